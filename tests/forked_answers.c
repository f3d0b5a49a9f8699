/* SPDX-License-Identifier: MIT
 * forked_answers TRACE...: thousands of answers of the whole program, without the reading of
 * shipped records again for each.
 *
 * Reads lines of arguments, separated by blanks, and answers each in a process of its own that
 * begins with the profiles of all TRACEs in memory: what it does is warpreel's main, as it is.
 * Prints a line an answer: exit code, seconds of a processor, kilobytes at most, then what the
 * second line of its standard output was (of --format tsv: the answer) and the last line of its
 * errors, separated by tabs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/records/profile.h"
#include "traces/base/util.h"
#include "traces/profiles/kernel_profile.h"

/* The linker hands calls of these to the functions below (--wrap, mk/check.mk). */
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);
int __real_kernel_profiles_add_file(struct kernel_profiles *profiles, const char *path);
int __wrap_kernel_profiles_add_file(struct kernel_profiles *profiles, const char *path);
int __real_profile_add_file(struct profile *profile, const char *path);
int __wrap_profile_add_file(struct profile *profile, const char *path);
void __real_kernel_profiles_release(struct kernel_profiles *profiles);
void __wrap_kernel_profiles_release(struct kernel_profiles *profiles);
void __real_profile_release(struct profile *profile);
void __wrap_profile_release(struct profile *profile);

/* All records of a folder, as the program reads them: file by file, in the order of names. */
static struct folder {
	char *path;
	struct kernel_profiles kernels;
	struct profile profile;
} folders[64];
static size_t folder_count;

static struct folder *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	for (size_t k = 0; k < folder_count; k++)
		if (strlen(folders[k].path) == length && !strncmp(folders[k].path, path, length))
			return &folders[k];
	return NULL;
}

/* The first file of a folder brings all of them. */
int __wrap_kernel_profiles_add_file(struct kernel_profiles *profiles, const char *path)
{
	struct folder *folder = folder_of(path);
	if (!folder || !folder->kernels.count)
		return __real_kernel_profiles_add_file(profiles, path);
	if (!profiles->count)
		*profiles = folder->kernels;
	return 0;
}

int __wrap_profile_add_file(struct profile *profile, const char *path)
{
	struct folder *folder = folder_of(path);
	if (!folder || !folder->profile.kernel_count)
		return __real_profile_add_file(profile, path);
	if (!profile->kernel_count)
		*profile = folder->profile;
	return 0;
}

/* A command that reads them more than once gets the same ones again. */
void __wrap_kernel_profiles_release(struct kernel_profiles *profiles)
{
	for (size_t k = 0; k < folder_count; k++)
		if (profiles->profile && profiles->profile == folders[k].kernels.profile) {
			kernel_profiles_init(profiles);
			return;
		}
	__real_kernel_profiles_release(profiles);
}

void __wrap_profile_release(struct profile *profile)
{
	for (size_t k = 0; k < folder_count; k++)
		if (profile->kernel && profile->kernel == folders[k].profile.kernel) {
			profile_init(profile);
			return;
		}
	__real_profile_release(profile);
}

static int keep(const char *path)
{
	struct folder *folder = folder_of(path);
	if (!folder) {
		if (folder_count == sizeof(folders) / sizeof(folders[0]))
			return report("%s: more than %zu folders", path, folder_count);
		folder = &folders[folder_count++];
		folder->path = xstrdup(path);
		*strrchr(folder->path, '/') = 0;
		kernel_profiles_init(&folder->kernels);
		profile_init(&folder->profile);
	}
	return strstr(path, "/kernels/") ? __real_kernel_profiles_add_file(&folder->kernels, path)
					 : __real_profile_add_file(&folder->profile, path);
}

/* A line of the file, from 1; the last where it has fewer or `number` is 0. Empty: it has none. */
static void line_of(FILE *file, int number, char *line, size_t size)
{
	rewind(file);
	*line = 0;
	for (int k = 1; fgets(line, (int)size, file) && k != number; k++)
		;
	line[strcspn(line, "\n")] = 0;
}

static void answer(char *line)
{
	enum { MOST = 256 };
	char *argv[MOST + 1] = { "warpreel" }, text[4096];
	int argc = 1, status = 0;
	for (char *word = strtok(line, " \n"); word && argc < MOST; word = strtok(NULL, " \n"))
		argv[argc++] = word;
	FILE *out = tmpfile(), *errors = tmpfile();
	if (!out || !errors) {
		report("no temporary file");
		exit(1);
	}
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(errors), STDERR_FILENO);
		exit(__real_main(argc, argv));
	}
	struct rusage cost = { 0 };
	if (child < 0 || wait4(child, &status, 0, &cost) != child) {
		report("no process for an answer");
		exit(1);
	}
	double seconds = (double)(cost.ru_utime.tv_sec + cost.ru_stime.tv_sec) +
			 1e-6 * (double)(cost.ru_utime.tv_usec + cost.ru_stime.tv_usec);
	printf("%d\t%.3f\t%ld\t", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
	       seconds, cost.ru_maxrss);
	line_of(out, 2, text, sizeof(text));
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = '|';
	printf("%s\t", text);
	line_of(errors, 0, text, sizeof(text));
	printf("%s\n", text);
	fclose(out);
	fclose(errors);
}

int __wrap_main(int argc, char **argv)
{
	char *all = NULL;
	size_t size = 0;
	for (int k = 1; k < argc; k++)
		if (keep(argv[k]))
			return 1;
	/* All of them before the first child, whose exit() would put back what was read ahead. */
	if (getdelim(&all, &size, 0, stdin) < 0)
		return report("no questions on standard input");
	for (char *line = all, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		answer(line);
	}
	free(all);
	return 0;
}
