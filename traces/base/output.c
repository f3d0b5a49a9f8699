/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "util.h"

enum { RANDOM_DIGITS = 16 };
static const char mark[] = ".part-";

/* The folder a path is in, as a path that can be opened. */
static char *folder_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xprintf("%.*s/", (int)(slash - path), path) : xstrdup(".");
}

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a link is an open descriptor of a process: /dev/stdout and /dev/fd/N lead to such. */
static bool is_descriptor(const char *link)
{
	char real[PATH_MAX], *folder = folder_path(link);
	size_t length = realpath(folder, real) ? strlen(real) : 0;

	free(folder);
	return length > 3 && !strncmp(real, "/proc/", 6) && !strcmp(real + length - 3, "/fd");
}

/* Whether somebody else put a link into a folder that all may write to, as Linux asks before it
 * follows one (fs.protected_symlinks in proc_sys_fs(5)). */
static bool is_strange(const char *link)
{
	struct stat of_link, of_folder;
	char *folder = folder_path(link);
	bool known = stat(folder, &of_folder) == 0 && lstat(link, &of_link) == 0;

	free(folder);
	return known && (of_folder.st_mode & S_ISVTX) && (of_folder.st_mode & S_IWOTH) &&
	       of_link.st_uid != geteuid() && of_link.st_uid != of_folder.st_uid;
}

/* The name at the end of a name's links, with a file behind it or none yet; NULL: they end in a
 * descriptor, or nowhere. A link that may not be followed sets the problem. */
static char *follow(const char *path, int *problem)
{
	enum { MOST_LINKS = 40 };
	char text[PATH_MAX], *at = xstrdup(path);

	for (int links = 0; links < MOST_LINKS; links++) {
		ssize_t length = readlink(at, text, sizeof(text) - 1);
		if (length < 0)
			return at;
		if (is_descriptor(at))
			break;
		if (is_strange(at)) {
			*problem = EACCES;
			return at;
		}
		text[length] = 0;
		const char *slash = strrchr(at, '/');
		char *next = text[0] != '/' && slash
				     ? xprintf("%.*s/%s", (int)(slash - at), at, text)
				     : xstrdup(text);
		free(at);
		at = next;
	}
	free(at);
	return NULL;
}

/* What the parts of a name begin with: the name; of one that leaves no room for the rest, its
 * begin, and a number that tells it from others with that begin. */
static char *begin_of(const char *name)
{
	const size_t length = strlen(name), room = NAME_MAX - (sizeof(mark) - 1) - RANDOM_DIGITS;
	uint32_t number = 2166136261u; /* FNV-1a (Fowler, Noll, Vo 1991) */

	for (const char *at = name; *at; at++)
		number = (number ^ (unsigned char)*at) * 16777619u;
	return length > room && length <= NAME_MAX
		       ? xprintf("%.*s-%08x%s", (int)room - 9, name, number, mark)
		       : xprintf("%s%s", name, mark);
}

static bool is_part(const char *name, const char *begin)
{
	const size_t length = strlen(begin);

	return !strncmp(name, begin, length) && strlen(name + length) == RANDOM_DIGITS &&
	       strspn(name + length, "0123456789abcdef") == RANDOM_DIGITS;
}

/* Removes the parts of a name whose programs were killed: ours, and held by nobody. */
static void remove_stale(const char *folder, const char *begin)
{
	DIR *open_folder = opendir(folder);
	struct stat status;

	if (!open_folder)
		return;
	for (struct dirent *entry; (entry = readdir(open_folder));) {
		if (!is_part(entry->d_name, begin))
			continue;
		int file = openat(dirfd(open_folder), entry->d_name,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file < 0)
			continue;
		if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		    status.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0)
			unlinkat(dirfd(open_folder), entry->d_name, 0);
		close(file);
	}
	closedir(open_folder);
}

/* Makes the part and holds it. Between the two another program may take it for a dead one's: then
 * it has no name any more, and the next is tried. */
static int make_part(struct output *output, const char *folder, const char *begin)
{
	enum { MOST_TRIES = 100 };
	struct stat status;
	uint64_t number;

	for (int tries = 0; tries < MOST_TRIES; tries++) {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return errno;
		free(output->part_path);
		output->part_path = xprintf("%s%s%016llx", strchr(output->path, '/') ? folder : "",
					    begin, (unsigned long long)number);
		int file = open(output->part_path,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (file < 0 && errno == EEXIST)
			continue;
		if (file < 0)
			return errno;
		/* A file system without locks has no stale parts removed, either. */
		flock(file, LOCK_EX | LOCK_NB);
		if (fstat(file, &status) == 0 && status.st_nlink > 0) {
			output->lock = file;
			output->slot = util_remember_path(output->part_path);
			return 0;
		}
		close(file);
	}
	return EEXIST;
}

/* Something other than a file (a pipe, /dev/full), and what only a descriptor names, is written to
 * as it is: nothing may be renamed over it. */
static void find_place(struct output *output, const char *path)
{
	struct stat status;
	bool file = stat(path, &status) != 0 || S_ISREG(status.st_mode);

	*output = (struct output){ .slot = -1, .lock = -1 };
	output->path = file ? follow(path, &output->problem) : NULL;
	output->in_place = !output->path;
	if (output->in_place)
		output->path = xstrdup(path);
}

int output_begin(struct output *output, const char *path)
{
	find_place(output, path);
	output->part_path = xstrdup(output->path);
	if (output->in_place || output->problem)
		return 0;
	char *folder = folder_path(output->path), *begin = begin_of(name_in(output->path));
	output->was_there = stat(output->path, &output->before) == 0;
	remove_stale(folder, begin);
	output->problem = make_part(output, folder, begin);
	free(folder);
	free(begin);
	return 0;
}

FILE *output_open(const struct output *output)
{
	struct stat named, held;

	if (output->in_place)
		return fopen(output->part_path, "w");
	errno = output->problem;
	int file = errno ? -1 : open(output->part_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return NULL;
	if (fstat(file, &named) || fstat(output->lock, &held) || named.st_dev != held.st_dev ||
	    named.st_ino != held.st_ino || ftruncate(file, 0)) {
		close(file);
		errno = EACCES;
		return NULL;
	}
	return fdopen(file, "w");
}

static void output_free(struct output *output)
{
	util_forget_path(output->slot);
	if (output->lock >= 0)
		close(output->lock);
	free(output->path);
	free(output->part_path);
	*output = (struct output){ .slot = -1, .lock = -1 };
}

static void remove_part(const struct output *output)
{
	if (output->lock >= 0)
		unlink(output->part_path);
}

static bool another_wrote(const struct output *output)
{
	struct stat now;

	if (stat(output->path, &now))
		return false;
	return !output->was_there || now.st_dev != output->before.st_dev ||
	       now.st_ino != output->before.st_ino || now.st_size != output->before.st_size ||
	       now.st_mtim.tv_sec != output->before.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != output->before.st_mtim.tv_nsec;
}

int output_commit(struct output *output)
{
	int rc = 0, problem = output->problem;

	if (!output->in_place) {
		bool other = another_wrote(output);
		if (!problem && rename(output->part_path, output->path))
			problem = errno;
		if (problem) {
			rc = report("cannot write '%s': %s", output->path, strerror(problem));
			remove_part(output);
		} else if (other) {
			report_warning("'%s' was written by another program meanwhile; it holds "
				       "what this one wrote",
				       output->path);
		}
	}
	output_free(output);
	return rc;
}

void output_abandon(struct output *output)
{
	if (!output->path)
		return;
	remove_part(output);
	output_free(output);
}

int output_check(const char *path)
{
	struct output output;
	struct stat status;
	int problem = 0;

	output_begin(&output, path);
	if (output.in_place && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		problem = EISDIR;
	else if (output.in_place)
		problem = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? errno : 0;
	else
		problem = output.problem;
	output_abandon(&output);
	return problem ? report("cannot write '%s': %s", path, strerror(problem)) : 0;
}

int output_differs(const char *path, const char *input)
{
	struct stat written, read;

	if (!input || stat(path, &written) || stat(input, &read) || !S_ISREG(read.st_mode) ||
	    written.st_dev != read.st_dev || written.st_ino != read.st_ino)
		return 0;
	return report("cannot write '%s': it is the input '%s', which would be lost", path, input);
}

/* The folder a file is to be in; returns its name there. */
static const char *folder_of(const struct output *output, struct stat *status)
{
	char *folder = folder_path(output->path);
	int rc = stat(folder, status);

	free(folder);
	return rc ? NULL : name_in(output->path);
}

int outputs_differ(const char *path, const char *other)
{
	struct output one, two;
	struct stat folder[2];

	if (!path || !other)
		return 0;
	find_place(&one, path);
	find_place(&two, other);
	const char *first = one.in_place ? NULL : folder_of(&one, &folder[0]),
		   *second = two.in_place ? NULL : folder_of(&two, &folder[1]);
	bool same = first && second && !strcmp(first, second) &&
		    folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino;
	output_free(&one);
	output_free(&two);
	return same ? report("cannot write both to '%s' and to '%s': it is one file", path, other)
		    : 0;
}
