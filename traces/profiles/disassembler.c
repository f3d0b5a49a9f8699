/* SPDX-License-Identifier: MIT
 * Finds NVIDIA's disassembler and runs it. It is needed once, when a profile is made: the listing
 * is stored, the tool is not everywhere.
 */
#include "disassembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traces/base/util.h"

static const struct {
	const char *name;
	const char *options[3];
} tools[] = {
	{ "nvdisasm", { "-c", "-hex", NULL } },
	{ "cuobjdump", { "-sass", NULL } },
};

static char *in_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t length = strcspn(path, ":");
		char *file = xprintf("%.*s/%s", (int)length, path, name);

		if (length && !access(file, X_OK))
			return file;
		free(file);
		path += length + (path[length] == ':');
	}
	return NULL;
}

char *disassembler_find(void)
{
	const char *home = getenv("CUDA_HOME");
	const char *roots[] = { home && *home ? home : "/usr/local/cuda", "/usr/local/cuda",
				"/usr/local/cuda-13", "/opt/cuda" };

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *file = in_path(tools[i].name);

		for (size_t j = 0; !file && j < sizeof(roots) / sizeof(roots[0]); j++) {
			file = xprintf("%s/bin/%s", roots[j], tools[i].name);
			if (access(file, X_OK)) {
				free(file);
				file = NULL;
			}
		}
		if (file)
			return file;
	}
	return NULL;
}

/* In the child: never returns. */
static void run_tool(const char *tool, const char *file, int out)
{
	const char *base = strrchr(tool, '/') ? strrchr(tool, '/') + 1 : tool;
	const char *argument[6] = { tool };
	int count = 1;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		for (int j = 0; !strcmp(base, tools[i].name) && tools[i].options[j]; j++)
			argument[count++] = tools[i].options[j];
	argument[count] = file;
	dup2(out, STDOUT_FILENO);
	execv(tool, (char *const *)(uintptr_t)argument);
	_exit(127);
}

/* Everything from a pipe, with a zero after it. */
static char *read_all(int pipe)
{
	size_t bytes = 0, room = 1 << 16;
	char *text = xmalloc(room + 1);
	ssize_t got;

	while ((got = read(pipe, text + bytes, room - bytes)) > 0 || (got < 0 && errno == EINTR)) {
		if (got > 0)
			bytes += (size_t)got;
		if (bytes == room) {
			room *= 2;
			text = xrealloc(text, room + 1, 1);
		}
	}
	text[bytes] = '\0';
	return text;
}

static int write_file(int file, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t done = write(file, data, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		bytes -= (size_t)done;
	}
	return 0;
}

/* The tool's output over a file; NULL after a message. */
static char *listing_of(const char *tool, const char *file)
{
	int ends[2], status = 0;
	char *text;
	pid_t pid;

	if (pipe(ends)) {
		report("cannot run %s: %s", tool, strerror(errno));
		return NULL;
	}
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		run_tool(tool, file, ends[1]);
	}
	close(ends[1]);
	text = pid > 0 ? read_all(ends[0]) : NULL;
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !status)
		return text;
	report(pid > 0 ? "%s failed on the code of a module" : "cannot run %s", tool);
	free(text);
	return NULL;
}

int disassembler_run(struct disassembly *disassembly, const char *tool, const void *cubin,
		     size_t bytes)
{
	const char *folder = getenv("TMPDIR");
	char *path = xprintf("%s/warpreel-XXXXXX.cubin", folder && *folder ? folder : "/tmp"),
	     *text = NULL;
	int file = mkstemps(path, 6), result = -1;

	memset(disassembly, 0, sizeof(*disassembly));
	if (file < 0) {
		report("%s: %s", path, strerror(errno));
		free(path);
		return -1;
	}
	if (write_file(file, cubin, bytes))
		report("%s: %s", path, strerror(errno));
	else
		text = listing_of(tool, path);
	close(file);
	unlink(path);
	if (text)
		result = disassembly_read(disassembly, text, tool);
	free(text);
	free(path);
	return result;
}
