/* SPDX-License-Identifier: MIT
 * Finds the recorder, runs a program with it, and passes signals on. The program's own exit,
 * however it comes, does not decide whether there is a result.
 */
#include "target.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "traces/base/util.h"

/* ---- signals: the program gets them, we stay to write the trace ---- */

static volatile sig_atomic_t child_pid, interrupted;

static void forward(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	interrupted = 1;
	/* What the terminal sends reaches the program without us. */
	if (child_pid > 0 && info->si_code != SI_KERNEL)
		kill((pid_t)child_pid, signal_number);
}

void target_hold_signals(struct sigaction before[2])
{
	struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };

	interrupted = 0;
	sigemptyset(&action.sa_mask);
	util_act_on(SIGINT, &action, &before[0]);
	util_act_on(SIGTERM, &action, &before[1]);
}

void target_release_signals(const struct sigaction before[2])
{
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGTERM, &before[1], NULL);
}

bool target_interrupted(void)
{
	return interrupted;
}

/* ---- the command line ---- */

int target_split(int argc, char **argv, char ***command)
{
	int split = 1;

	while (split < argc && strcmp(argv[split], "--"))
		split++;
	*command = split < argc ? argv + split + 1 : NULL;
	return split;
}

int target_check_command(const char *tool, int words, char **argv, char **command)
{
	if (!words && command && *command)
		return EXIT_OK;
	if (words)
		report("%s: what is '%s'? The command follows after --: warpreel %s -o FILE -- "
		       "COMMAND...",
		       tool, argv[1], tool);
	else
		report("%s: the command to run follows after --: warpreel %s -o FILE -- COMMAND...",
		       tool, tool);
	return EXIT_USAGE;
}

/* ---- finding things ---- */

/* The directory of this program, or "." */
static char *program_folder(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (length <= 0)
		return xstrdup(".");
	path[length] = '\0';
	slash = strrchr(path, '/');
	return xprintf("%.*s", slash && slash > path ? (int)(slash - path) : 1, path);
}

/* An absolute path, which the caller frees; NULL after a message (tool NULL: without one). `what`
 * it is, for messages. */
static char *find_library(const char *tool, const char *given, const char *environment,
			  const char *name, const char *what)
{
	char *folder = program_folder(), *found = NULL, *place[3] = { NULL };
	int places = 0;

	if (!given && environment && *environment)
		given = environment;
	if (given) {
		place[places++] = xstrdup(given);
	} else {
		place[places++] = xprintf("%s/%s", folder, name);
		place[places++] = xprintf("%s/../lib/warpreel/%s", folder, name);
		place[places++] = xprintf("%s/build/%s", util_root(), name);
	}
	for (int i = 0; i < places && !found; i++)
		if (!access(place[i], R_OK))
			found = realpath(place[i], NULL);
	if (!found && !tool)
		;
	else if (!found && given)
		report("%s: cannot read %s %s: %s", tool, what, given, strerror(errno));
	else if (!found)
		report("%s: %s was not found beside the program; make gpu builds it (needs nvcc "
		       "and CUPTI)",
		       tool, name);
	for (int i = 0; i < places; i++)
		free(place[i]);
	free(folder);
	return found;
}

char *target_find_recorder(const char *tool, const char *given)
{
	return find_library(tool, given, getenv("WARPREEL_RECORDER"), "libwarpreel-recorder.so",
			    "the recorder");
}

char *target_find_virtual(const char *tool)
{
	return find_library(tool, NULL, getenv("WARPREEL_VIRTUAL"), "libwarpreel-virtual.so",
			    "the library of virtual GPUs");
}

char *target_find_messages(void)
{
	return find_library(NULL, NULL, getenv("WARPREEL_MESSAGES"), "libwarpreel-messages.so", "");
}

/* libcupti where CUDA toolkits put it, or NULL: then the target's own search path must have it. The
 * caller frees. */
static char *find_cupti(void)
{
	const char *home = getenv("CUDA_HOME"), *given = getenv("WARPREEL_CUPTI");
	const char *roots[] = { home && *home ? home : "/usr/local/cuda", "/usr/local/cuda",
				"/usr/local/cuda-13", "/opt/cuda" };
	static const char *const folders[] = { "lib64", "extras/CUPTI/lib64", "lib",
					       "targets/x86_64-linux/lib",
					       "targets/sbsa-linux/lib" };

	if (given && *given)
		return xstrdup(given);
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		for (size_t j = 0; j < sizeof(folders) / sizeof(folders[0]); j++) {
			char *path = xprintf("%s/%s/libcupti.so.13", roots[i], folders[j]);

			if (!access(path, R_OK))
				return path;
			free(path);
		}
	return NULL;
}

/* ---- running ---- */

/*
 * A recorder that was linked to libcupti needs it on the search path. It is put last, and only when
 * there is no other way: a search path also moves the program's other libraries.
 */
static void help_loader(const char *recorder, const char *cupti)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char *path;

	if (!cupti || !strchr(cupti, '/') || dlopen(recorder, RTLD_LAZY | RTLD_LOCAL))
		return;
	path = xprintf("%s%s%.*s", before ? before : "", before && *before ? ":" : "",
		       (int)(strrchr(cupti, '/') - cupti), cupti);
	setenv("LD_LIBRARY_PATH", path, 1);
	free(path);
}

/* In the child: never returns. */
static void run_command(const char *tool, const char *recorder, const char *spool,
			const struct target_setting *settings, size_t count, char **command)
{
	char *cupti = find_cupti();

	setenv("CUDA_INJECTION64_PATH", recorder, 1);
	setenv("NVTX_INJECTION64_PATH", recorder,
	       0); /* a tool that is there already keeps its ranges */
	setenv("WARPREEL_SPOOL", spool, 1);
	unsetenv("WARPREEL_PROFILE");
	if (cupti)
		setenv("WARPREEL_CUPTI", cupti, 1);
	help_loader(recorder, cupti);
	for (size_t i = 0; i < count; i++)
		if (settings[i].value)
			setenv(settings[i].name, settings[i].value, 1);
	execvp(command[0], command);
	report("%s: cannot run %s: %s", tool, command[0], strerror(errno));
	_exit(127);
}

int target_run(const char *tool, const char *recorder, const char *spool,
	       const struct target_setting *settings, size_t count, char **command, pid_t *pid)
{
	int status = 0;

	*pid = fork();
	if (*pid < 0)
		return report("%s: cannot start a process: %s", tool, strerror(errno));
	if (*pid == 0) {
		const struct sigaction standard = { .sa_handler = SIG_DFL };
		struct sigaction held;

		util_act_on(SIGINT, &standard, &held);
		util_act_on(SIGTERM, &standard, &held);
		run_command(tool, recorder, spool, settings, count, command);
	}
	child_pid = (sig_atomic_t)*pid;
	while (waitpid(*pid, &status, 0) < 0)
		if (errno != EINTR)
			return report("%s: cannot wait for %s: %s", tool, command[0],
				      strerror(errno));
	child_pid = 0;
	return status;
}

int target_report_status(const char *tool, int status, const char *command, const char *what)
{
	if (WIFSIGNALED(status)) {
		report("%s: %s was ended by signal %d (%s); its %s holds what was written out "
		       "until then",
		       tool, command, WTERMSIG(status), strsignal(WTERMSIG(status)), what);
		return EXIT_BAD;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		report("%s: %s exited with %d", tool, command, WEXITSTATUS(status));
		return EXIT_BAD;
	}
	return EXIT_OK;
}

/* All spools with this base, sorted; the base may hold characters that mean something to glob. */
int target_find_spools(const char *base, glob_t *found)
{
	char *pattern = xmalloc(strlen(base) * 2 + 3), *out = pattern;
	int result;

	for (const char *at = base; *at; at++) {
		if (strchr("*?[\\", *at))
			*out++ = '\\';
		*out++ = *at;
	}
	memcpy(out, ".*", 3);
	result = glob(pattern, 0, NULL, found);
	free(pattern);
	return result;
}

/* The process that has a spool open for writing; 0: none. */
static pid_t writer_of(const char *spool)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(spool, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_GETLK, &whole))
		whole.l_type = F_UNLCK;
	if (fd >= 0)
		close(fd);
	return whole.l_type == F_UNLCK ? 0 : whole.l_pid;
}

void target_await(const char *tool, const char *base)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	pid_t told = 0, writer = 1;

	while (writer && !interrupted) {
		glob_t found = { 0 };

		writer = 0;
		if (!target_find_spools(base, &found))
			for (size_t i = 0; i < found.gl_pathc && !writer; i++)
				writer = writer_of(found.gl_pathv[i]);
		globfree(&found);
		if (!writer)
			break;
		if (writer != told)
			report("%s: process %ld still runs and is recorded: waiting for its end (a "
			       "signal ends the waiting)",
			       tool, (long)writer);
		told = writer;
		nanosleep(&pause, NULL);
	}
}

char *target_spool_base(const char *output)
{
	char *folder, *base;

	if (output[0] == '/')
		return xprintf("%s.spool-%ld", output, (long)getpid());
	folder = getcwd(NULL, 0);
	base = xprintf("%s/%s.spool-%ld", folder ? folder : ".", output, (long)getpid());
	free(folder);
	return base;
}

int target_check_free(const char *tool)
{
	const char *other = getenv("CUDA_INJECTION64_PATH");

	if (other && *other)
		return report("%s: another tool is already set to load into CUDA programs "
			      "(CUDA_INJECTION64_PATH=%s)",
			      tool, other);
	return 0;
}
