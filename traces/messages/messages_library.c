/* SPDX-License-Identifier: MIT
 * Where MPI's own functions are, and where its implementations differ in what a program sees.
 */
#include "messages.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int see_library(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const names[] = { "libmpi.so", "libmpich.so", "libmpi_cray.so" };
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL,
		   *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i]))) {
			snprintf(data, 4096, "%s", info->dlpi_name);
			return 1;
		}
	return 0;
}

/* What Python opens itself does not follow us in the order of search. */
static void *find(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name), *library;
	char path[4096];

	if (found || !dl_iterate_phdr(see_library, path))
		return found;
	library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
	return library ? dlsym(library, name) : NULL;
}

void *library_function(void *_Atomic *slot, const char *name)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire);

	if (found)
		return found;
	found = find(name);
	atomic_store_explicit(slot, found, memory_order_release);
	return found;
}

/* Data: where the program has a copy of it, that is the one. */
static void *open_mpi_world(void)
{
	static const char name[] = "ompi_mpi_comm_world";
	static void *_Atomic slot;
	void *found = atomic_load_explicit(&slot, memory_order_acquire);

	if (found)
		return found;
	found = dlsym(RTLD_DEFAULT, name);
	found = found ? found : find(name);
	atomic_store_explicit(&slot, found, memory_order_release);
	return found;
}

bool library_is_open_mpi(void)
{
	return open_mpi_world() != NULL;
}

mpi_handle library_world(void)
{
	enum { MPICH_WORLD = 0x44000000 };

	return library_is_open_mpi() ? (uintptr_t)open_mpi_world() : MPICH_WORLD;
}

void *library_status(void *given, void *ours)
{
	const uintptr_t ignore = library_is_open_mpi() ? 0 : 1;

	return (uintptr_t)given == ignore || !given ? ours : given;
}

/* Open MPI: source, tag, error, ...; MPICH: two words of the count before them. */
static int status_word(const void *status, int at)
{
	int word;

	memcpy(&word, (const char *)status + 4 * (at + (library_is_open_mpi() ? 0 : 2)), 4);
	return word;
}

int library_source_of(const void *status)
{
	return status_word(status, 0);
}

int library_tag_of(const void *status)
{
	return status_word(status, 1);
}

size_t library_status_bytes(void)
{
	return library_is_open_mpi() ? 24 : 20;
}

mpi_handle library_request_at(const void *requests, int at)
{
	uint64_t wide;
	uint32_t narrow;

	if (library_is_open_mpi()) {
		memcpy(&wide, (const char *)requests + 8 * (size_t)at, 8);
		return wide;
	}
	memcpy(&narrow, (const char *)requests + 4 * (size_t)at, 4);
	return narrow;
}

/* NULL: nobody records, or not yet. */
static const struct warpreel_annotate *recorder_table(void)
{
	static _Atomic(const struct warpreel_annotate *) known;
	const struct warpreel_annotate *table = atomic_load_explicit(&known, memory_order_acquire);
	const char *path;
	void *library;

	if (table)
		return table;
	path = getenv("CUDA_INJECTION64_PATH");
	library = path && *path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	table = library ? dlsym(library, "warpreel_annotate_table") : NULL;
	if (!table || table->abi != WARPREEL_ANNOTATE_ABI)
		return NULL;
	atomic_store_explicit(&known, table, memory_order_release);
	return table;
}

uint64_t library_now_ns(void)
{
	const struct warpreel_annotate *table = recorder_table();

	return table ? table->now_ns() : 0;
}

void library_note(const struct note_message *note)
{
	const struct warpreel_annotate *table = note->start_ns ? recorder_table() : NULL;

	if (table)
		table->message(note);
}
