/* SPDX-License-Identifier: MIT */
#include "mps.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traces/base/util.h"

static const char control[] = "nvidia-cuda-mps-control";
static const char *const places[] = { "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY" };

/* Its exit code, 127 where there is no such program; it reads `input` (NULL: nothing) and its
 * output is ours to lose. */
static int run_control(const char *argument, const char *input)
{
	int ends[2], status = 0;
	pid_t pid;

	if (pipe(ends))
		return 126;
	pid = fork();
	if (pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		if (!freopen("/dev/null", "w", stdout))
			_exit(126);
		execlp(control, control, argument, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (pid > 0 && input && write(ends[1], input, strlen(input)) < 0)
		status = -1; /* it is not there to read; what it exits with says so, too */
	close(ends[1]);
	if (pid < 0)
		return 126;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	return remove(path);
}

static void forget(struct mps *mps)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		unsetenv(places[i]);
	nftw(mps->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(mps->folder);
	mps->folder = NULL;
}

int mps_start(struct mps *mps)
{
	/* Not in TMPDIR: names of sockets are short. */
	char folder[] = "/tmp/warpreel-mps-XXXXXX";
	int code;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (getenv(places[i]))
			return report("record: a server of MPS is set already (%s=%s): programs "
				      "use it without --mps",
				      places[i], getenv(places[i]));
	if (!mkdtemp(folder))
		return report("record: cannot make %s: %s", folder, strerror(errno));
	mps->folder = xstrdup(folder);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		setenv(places[i], folder, 1);
	code = run_control("-d", NULL);
	if (!code)
		return 0;
	forget(mps);
	if (code == 127)
		return report("record: --mps wants %s, which comes with NVIDIA's driver, in PATH",
			      control);
	return report("record: %s -d exited with %d: no server of MPS (leave --mps out)", control,
		      code);
}

void mps_stop(struct mps *mps)
{
	if (!mps->folder)
		return;
	if (run_control(NULL, "quit\n"))
		report_warning("record: %s did not end: echo quit | %s=%s %s", control, places[0],
			       mps->folder, control);
	forget(mps);
}
