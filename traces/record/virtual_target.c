/* SPDX-License-Identifier: MIT
 * A program with its CUDA runtime linked in has no boundary to stand at: it is recognised before it
 * is run.
 */
#include "virtual_target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/base/util.h"

int virtual_counts(const char *text, int gpus[VIRTUAL_SERIES_MAX])
{
	int count = 0;

	for (const char *at = text;;) {
		const size_t length = strcspn(at, ",");
		char *word = xprintf("%.*s", (int)length, at);
		int64_t value = 0;
		const bool good = !parse_i64(word, &value) && value >= 1 &&
				  value <= VIRTUAL_GPUS_MAX && count < VIRTUAL_SERIES_MAX;

		free(word);
		if (!good)
			return report(
				"--as-gpus takes numbers from 1 to %d with commas between, at "
				"most %d of them, not '%s'",
				VIRTUAL_GPUS_MAX, VIRTUAL_SERIES_MAX, text);
		for (int i = 0; i < count; i++)
			if (gpus[i] == (int)value)
				return report("--as-gpus names %d GPU%s twice", gpus[i],
					      gpus[i] == 1 ? "" : "s");
		gpus[count++] = (int)value;
		if (!at[length])
			return count;
		at += length + 1;
	}
}

/* The file execvp would run, the caller's; NULL: there is none (which running it will say). */
static char *find_command(const char *command)
{
	const char *path = getenv("PATH"), *at = path ? path : "/bin:/usr/bin";

	if (strchr(command, '/'))
		return xstrdup(command);
	while (*at) {
		size_t length = strcspn(at, ":");
		char *file =
			xprintf("%.*s/%s", length ? (int)length : 1, length ? at : ".", command);

		if (!access(file, X_OK))
			return file;
		free(file);
		at += length + (at[length] == ':');
	}
	return NULL;
}

struct image {
	const unsigned char *byte;
	size_t bytes;
};

static bool holds(const struct image *image, uint64_t offset, uint64_t bytes)
{
	return offset <= image->bytes && bytes <= image->bytes - offset;
}

/* Where in the file an address is loaded from; false: nowhere. */
static bool offset_of(const struct image *image, const Elf64_Ehdr *head, uint64_t address,
		      uint64_t *offset)
{
	for (unsigned i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr part;

		memcpy(&part, image->byte + head->e_phoff + i * sizeof(part), sizeof(part));
		if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
		    address - part.p_vaddr < part.p_filesz) {
			*offset = address - part.p_vaddr + part.p_offset;
			return *offset < image->bytes;
		}
	}
	return false;
}

/* Whether the dynamic section at `at` needs a library whose name begins with `name`. */
static bool section_needs(const struct image *image, const Elf64_Ehdr *head, const Elf64_Phdr *at,
			  const char *name)
{
	uint64_t text = 0, count = at->p_filesz / sizeof(Elf64_Dyn);
	bool has_text = false;
	Elf64_Dyn entry;

	if (!holds(image, at->p_offset, at->p_filesz))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		memcpy(&entry, image->byte + at->p_offset + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag == DT_STRTAB)
			has_text = offset_of(image, head, entry.d_un.d_ptr, &text);
	}
	for (uint64_t i = 0; has_text && i < count; i++) {
		memcpy(&entry, image->byte + at->p_offset + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < image->bytes - text &&
		    holds(image, text + entry.d_un.d_val, strlen(name)) &&
		    !memcmp(image->byte + text + entry.d_un.d_val, name, strlen(name)))
			return true;
	}
	return false;
}

static bool needs(const struct image *image, const Elf64_Ehdr *head, const char *name)
{
	for (unsigned i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr part;

		memcpy(&part, image->byte + head->e_phoff + i * sizeof(part), sizeof(part));
		if (part.p_type == PT_DYNAMIC && section_needs(image, head, &part, name))
			return true;
	}
	return false;
}

/* The runtime has the names of its functions in a table, stripped or not. Put together here, since
 * this program, which is no CUDA program, would hold it else. */
static bool holds_runtime(const struct image *image)
{
	char *name = xprintf("%s%s", "cudaGetDriverEntry", "PointByVersion");
	bool found = memmem(image->byte, image->bytes, name, strlen(name)) != NULL;

	free(name);
	return found;
}

static int check_image(const struct image *image, const char *command)
{
	Elf64_Ehdr head;

	if (image->bytes < sizeof(head))
		return 0;
	memcpy(&head, image->byte, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(Elf64_Phdr) ||
	    !holds(image, head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr)) ||
	    needs(image, &head, "libcudart.so"))
		return 0;
	if (holds_runtime(image))
		return report(
			"record: %s has its CUDA runtime linked in, and --as-gpus stands between "
			"a program and its runtime: link it with nvcc -cudart shared",
			command);
	if (needs(image, &head, "libcuda.so"))
		return report(
			"record: %s calls the CUDA driver without the runtime, which --as-gpus "
			"does not answer for",
			command);
	return 0;
}

int virtual_check(const char *command)
{
	char *path = find_command(command);
	struct image image = { NULL, 0 };
	struct stat status;
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1, result = 0;
	void *mapped = MAP_FAILED;

	if (file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0)
		mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (mapped != MAP_FAILED) {
		image = (struct image){ mapped, (size_t)status.st_size };
		result = check_image(&image, command);
		munmap(mapped, image.bytes);
	}
	if (file >= 0)
		close(file);
	free(path);
	return result;
}

int virtual_share(char **name)
{
	const int file = memfd_create("warpreel-ranks", MFD_CLOEXEC);

	*name = file < 0 ? NULL : xprintf("/proc/%ld/fd/%d", (long)getpid(), file);
	return file;
}

char *virtual_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");

	return before && *before ? xprintf("%s:%s", library, before) : xstrdup(library);
}
