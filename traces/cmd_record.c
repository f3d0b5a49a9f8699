/* SPDX-License-Identifier: MIT
 * warpreel record: runs a program with the recorder inside it, then turns what the recorder left into traces, one for each process
 * that used CUDA. The program's own exit, however it comes, does not decide whether there is a trace.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "program.h"
#include "spool_read.h"
#include "util.h"

struct record_options {
	const char *output, *recorder, *spool, *driver_api;
	int flush_ms, clock_ms;
	bool keep_spool, event_times;
};
#define AT(field) offsetof(struct record_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE", "the trace to write; .zst compresses it (required)" },
	{ "keep-spool", OPTION_FLAG, AT(keep_spool), NULL, 0, 0, NULL, "keep what the recorder wrote, as FILE.spool-*" },
	{ "spool", OPTION_TEXT, AT(spool), NULL, 0, 0, "SPOOL", "run nothing: convert a spool that was kept or left behind" },
	{ "recorder", OPTION_TEXT, AT(recorder), NULL, 0, 0, "LIBRARY", "libwarpreel-recorder.so to use (else $WARPREEL_RECORDER, else the one beside the program)" },
	{ "driver-api", OPTION_CHOICE, AT(driver_api), "on", 0, 0, "on|off", "record calls of the driver API made without the runtime" },
	{ "event-times", OPTION_FLAG, AT(event_times), NULL, 0, 0, NULL, "ask for the GPU's time of each event record (costs more)" },
	{ "flush-ms", OPTION_INT, AT(flush_ms), "1000", 0, 3600000, "MS", "how often finished records are written out; 0: only when buffers are full" },
	{ "clock-ms", OPTION_INT, AT(clock_ms), "0", 0, 3600000, "MS", "how often GPU clocks are read; 0: at the start and at the end" },
	{ 0 }
};
static const struct command_help help = {
	.name = "record",
	.synopsis = "record -o FILE [options] -- COMMAND...",
	.summary = "Runs COMMAND with the recorder in it and writes what its GPUs and CUDA calls did to the trace FILE.\n"
		   "Other processes it starts that use CUDA get a trace each, FILE with their process id in it.",
};

/* ---- signals: the program gets them, we stay to write the trace ---- */

static volatile sig_atomic_t child_pid;

static void forward(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	/* What the terminal sends reaches the program without us. */
	if (child_pid > 0 && info->si_code != SI_KERNEL)
		kill((pid_t)child_pid, signal_number);
}

static void take_signals(struct sigaction before[2])
{
	struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &before[0]);
	sigaction(SIGTERM, &action, &before[1]);
}

static void give_back_signals(const struct sigaction before[2])
{
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGTERM, &before[1], NULL);
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

/* An absolute path, which the caller frees; NULL after a message. */
static char *find_recorder(const char *given)
{
	static const char name[] = "libwarpreel-recorder.so";
	const char *environment = getenv("WARPREEL_RECORDER");
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
	if (!found && given)
		report("record: cannot read the recorder %s: %s", given, strerror(errno));
	else if (!found)
		report("record: %s was not found beside the program; make gpu builds it (needs nvcc and CUPTI)", name);
	for (int i = 0; i < places; i++)
		free(place[i]);
	free(folder);
	return found;
}

/* libcupti where CUDA toolkits put it, or NULL: then the target's own search path must have it. The caller frees. */
static char *find_cupti(void)
{
	const char *home = getenv("CUDA_HOME"), *given = getenv("WARPREEL_CUPTI");
	const char *roots[] = { home && *home ? home : "/usr/local/cuda", "/usr/local/cuda", "/usr/local/cuda-13", "/opt/cuda" };
	static const char *const folders[] = { "lib64", "extras/CUPTI/lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib" };

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

static void set_number(const char *name, long value)
{
	char *text = xprintf("%ld", value);

	setenv(name, text, 1);
	free(text);
}

/*
 * A recorder that was linked to libcupti needs it on the search path. It is put last, and only when there is no other way: a search
 * path also moves the program's other libraries.
 */
static void help_loader(const char *recorder, const char *cupti)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char *path;

	if (!cupti || !strchr(cupti, '/') || dlopen(recorder, RTLD_LAZY | RTLD_LOCAL))
		return;
	path = xprintf("%s%s%.*s", before ? before : "", before && *before ? ":" : "", (int)(strrchr(cupti, '/') - cupti), cupti);
	setenv("LD_LIBRARY_PATH", path, 1);
	free(path);
}

/* In the child: never returns. */
static void run_command(const struct record_options *settings, const char *recorder, const char *spool, char **command)
{
	char *cupti = find_cupti();

	setenv("CUDA_INJECTION64_PATH", recorder, 1);
	setenv("NVTX_INJECTION64_PATH", recorder, 0); /* a tool that is there already keeps its ranges */
	setenv("WARPREEL_SPOOL", spool, 1);
	if (cupti)
		setenv("WARPREEL_CUPTI", cupti, 1);
	help_loader(recorder, cupti);
	set_number("WARPREEL_FLUSH_MS", settings->flush_ms);
	set_number("WARPREEL_CLOCK_MS", settings->clock_ms);
	set_number("WARPREEL_EVENT_TIMES", settings->event_times);
	set_number("WARPREEL_DRIVER_API", strcmp(settings->driver_api, "on") == 0);
	execvp(command[0], command);
	report("record: cannot run %s: %s", command[0], strerror(errno));
	_exit(127);
}

/* Runs the command to its end. -1 after a message when it could not be started or waited for; else its wait status. */
static int run(const struct record_options *settings, const char *recorder, const char *spool, char **command, pid_t *pid)
{
	int status = 0;

	*pid = fork();
	if (*pid < 0)
		return report("record: cannot start a process: %s", strerror(errno));
	if (*pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		run_command(settings, recorder, spool, command);
	}
	child_pid = (sig_atomic_t)*pid;
	while (waitpid(*pid, &status, 0) < 0)
		if (errno != EINTR)
			return report("record: cannot wait for %s: %s", command[0], strerror(errno));
	child_pid = 0;
	return status;
}

/* ---- converting ---- */

/* "runs/a.sqlite.zst" and 123 -> "runs/a.123.sqlite.zst" */
static char *name_for_process(const char *output, long pid)
{
	const char *base = strrchr(output, '/'), *dot;

	base = base ? base + 1 : output;
	dot = *base ? strchr(base + 1, '.') : NULL;
	if (!dot)
		return xprintf("%s.%ld", output, pid);
	return xprintf("%.*s.%ld%s", (int)(dot - output), output, pid, dot);
}

static int64_t device_records(const struct trace *trace)
{
	return (int64_t)(trace->kernel_count + trace->memcpy_count + trace->memset_count);
}

static int64_t losses(const struct trace *trace)
{
	int64_t count = 0;

	for (size_t i = 0; i < trace->loss_count; i++)
		count += trace->loss[i].count;
	return count;
}

static void summarize(const struct trace *trace, const char *output)
{
	struct stat status = { 0 };

	if (stat(output, &status))
		status.st_size = 0;
	fprintf(stderr, "warpreel: %s: %zu kernels, %zu copies, %zu memsets, %zu calls, %zu events, %zu notes; ", output, trace->kernel_count,
		trace->memcpy_count, trace->memset_count, trace->api_count, trace->event_count, trace->host_op_count + trace->footprint_count);
	if (trace->loss_count)
		fprintf(stderr, "%lld losses (see warpreel check); ", (long long)losses(trace));
	else
		fprintf(stderr, "nothing lost; ");
	fprintf(stderr, "%lld bytes\n", (long long)status.st_size);
}

/* -1 after a message; 0 when written, with *records what the GPUs did. */
static int convert(const char *spool, const char *output, int64_t *records)
{
	struct trace trace;
	int result;

	trace_init(&trace);
	result = spool_to_trace(&trace, spool);
	if (!result)
		result = trace_write(&trace, output);
	if (!result) {
		const char *problem = trace_get_meta(&trace, "error");

		*records = device_records(&trace);
		if (problem)
			report("record: nothing could be recorded: %s", problem);
		summarize(&trace, output);
	}
	trace_release(&trace);
	return result;
}

/* The process id at the end of a spool's name. */
static long pid_of(const char *spool)
{
	const char *dot = strrchr(spool, '.');
	int64_t pid = 0;

	if (!dot || parse_i64(dot + 1, &pid))
		return 0;
	return (long)pid;
}

/*
 * One trace a spool. The command's own process, or the only one, or else the first, gets the plain name.
 * Returns how many could not be converted; *records adds up what was.
 */
static int convert_all(const struct record_options *settings, char **spools, size_t count, pid_t pid, int64_t *records)
{
	size_t main_spool = 0;
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		if (pid_of(spools[i]) == (long)pid)
			main_spool = i;
	for (size_t i = 0; i < count; i++) {
		char *output = i == main_spool ? xstrdup(settings->output) : name_for_process(settings->output, pid_of(spools[i]));
		int64_t in_this = 0;
		int problem = convert(spools[i], output, &in_this) != 0;

		failed += problem;
		*records += in_this;
		if (problem)
			report("record: the spool is kept: %s; warpreel record --spool converts it", spools[i]);
		else if (!settings->keep_spool)
			unlink(spools[i]);
		free(output);
	}
	return failed;
}

static int report_status(int status, const char *command)
{
	if (WIFSIGNALED(status)) {
		report("record: %s was ended by signal %d (%s); its trace holds what was written out until then", command, WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
		return EXIT_BAD;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		report("record: %s exited with %d", command, WEXITSTATUS(status));
		return EXIT_BAD;
	}
	return EXIT_OK;
}

/* All spools with this base, sorted; the base may hold characters that mean something to glob. */
static int find_spools(const char *base, glob_t *found)
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

static int record(const struct record_options *settings, char **command)
{
	char *recorder = find_recorder(settings->recorder), *base = NULL;
	struct sigaction before[2];
	glob_t found = { 0 };
	int status, code = EXIT_BAD;
	int64_t records = 0;
	pid_t pid;

	if (!recorder)
		return EXIT_BAD;
	base = settings->output[0] == '/' ? xprintf("%s.spool-%ld", settings->output, (long)getpid()) : NULL;
	if (!base) {
		char *folder = getcwd(NULL, 0);

		base = xprintf("%s/%s.spool-%ld", folder ? folder : ".", settings->output, (long)getpid());
		free(folder);
	}
	take_signals(before);
	status = run(settings, recorder, base, command, &pid);
	if (status < 0)
		goto out;
	code = report_status(status, command[0]);
	if (find_spools(base, &found) || !found.gl_pathc) {
		report("record: %s made no CUDA call that the recorder saw: no trace was written", command[0]);
		code = EXIT_BAD;
		goto out;
	}
	if (convert_all(settings, found.gl_pathv, found.gl_pathc, pid, &records)) {
		code = EXIT_BAD;
	} else if (!records) {
		report("record: no kernel, copy or memset was recorded");
		code = EXIT_BAD;
	}
out:
	give_back_signals(before);
	globfree(&found);
	free(base);
	free(recorder);
	return code;
}

/* A folder that cannot be written to is better known before the program runs than after. */
static int check_output(const char *output)
{
	struct output probe = { 0 };
	FILE *file;

	if (output_begin(&probe, output))
		return -1;
	file = fopen(probe.part_path, "wb");
	if (!file)
		report("record: cannot write %s: %s", output, strerror(errno));
	if (file)
		fclose(file);
	output_abandon(&probe);
	return file ? 0 : -1;
}

int cmd_record(const struct program *program, int argc, char **argv)
{
	struct record_options settings = { 0 };
	const char *other = getenv("CUDA_INJECTION64_PATH");
	int words, split = 1, code;
	int64_t records = 0;

	(void)program;
	while (split < argc && strcmp(argv[split], "--"))
		split++;
	code = options_parse(&help, options, &settings, split, argv, &words);
	if (code)
		return code > EXIT_USAGE ? EXIT_OK : code;
	if (!settings.output) {
		report("record: -o FILE says where the trace goes (see warpreel record --help)");
		return EXIT_USAGE;
	}
	if (words) {
		report("record: what is '%s'? The command follows after --: warpreel record -o FILE -- COMMAND...", argv[1]);
		return EXIT_USAGE;
	}
	if (!settings.spool && split + 1 >= argc) {
		report("record: the command to run follows after --: warpreel record -o FILE -- COMMAND...");
		return EXIT_USAGE;
	}
	if (settings.spool && split < argc) {
		report("record: --spool converts a spool and runs no command");
		return EXIT_USAGE;
	}
	if (check_output(settings.output))
		return EXIT_BAD;
	if (settings.spool)
		return convert(settings.spool, settings.output, &records) ? EXIT_BAD : EXIT_OK;
	if (other && *other) {
		report("record: another tool is already set to load into CUDA programs (CUDA_INJECTION64_PATH=%s)", other);
		return EXIT_BAD;
	}
	return record(&settings, argv + split + 1);
}
