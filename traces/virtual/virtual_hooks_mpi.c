/* SPDX-License-Identifier: MIT
 * Operations of MPI that no rank leaves before all have come: barriers between processes, which the
 * simulator plays, since on one GPU a rank also waits there for others' turns. Other libraries' MPI
 * differ in what a communicator is (a pointer, a number), so it is only handed on. Of communicators
 * with fewer ranks nothing is noted: their time is the host's, as recorded.
 */
#include "virtual.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int64_t barriers; /* that this process came to */

/* How many processes the launcher started; 0: it does not say. */
static int world_size(void)
{
	static const char *const name[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",	  "PMIX_SIZE",
					    "MV2_COMM_WORLD_SIZE",  "WORLD_SIZE", "SLURM_NTASKS" };
	static atomic_int known = -1;
	int size = atomic_load(&known);

	for (size_t i = 0; size < 0 && i < sizeof(name) / sizeof(name[0]); i++)
		if (getenv(name[i]))
			size = atoi(getenv(name[i]));
	atomic_store(&known, size < 0 ? 0 : size);
	return size;
}

static bool is_of_all(uint64_t communicator)
{
	static void *_Atomic slot;
	int (*size_of)(uint64_t, int *) = (int (*)(uint64_t, int *))(uintptr_t)real_other(
		&slot, "libmpi.so", "MPI_Comm_size");
	int size = 0;

	return size_of && world_size() > 1 && !size_of(communicator, &size) && size == world_size();
}

/* Arguments are in registers and on the stack as integers, whatever they mean. */
#define MEETS(name, parameters, arguments, communicator)                                           \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		int(*real) parameters =                                                            \
			(int(*) parameters)(uintptr_t)real_other(&slot, "libmpi.so", #name);       \
		const bool of_all = gpus_all() > 1 && is_of_all(communicator);                     \
		const int64_t number = of_all ? atomic_fetch_add(&barriers, 1) : 0;                \
		const uint64_t start_ns = of_all ? notes_now_ns() : 0;                             \
		int result;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return 1;                                                                  \
		result = real arguments;                                                           \
		notes_barrier_of_processes(number, start_ns);                                      \
		return result;                                                                     \
	}
MEETS(MPI_Barrier, (uint64_t of), (of), of)
MEETS(MPI_Allreduce,
      (const void *send, void *receive, int count, uint64_t type, uint64_t operation, uint64_t of),
      (send, receive, count, type, operation, of), of)
MEETS(MPI_Allgather,
      (const void *send, int count, uint64_t type, void *receive, int each, uint64_t of_type,
       uint64_t of),
      (send, count, type, receive, each, of_type, of), of)
MEETS(MPI_Alltoall,
      (const void *send, int count, uint64_t type, void *receive, int each, uint64_t of_type,
       uint64_t of),
      (send, count, type, receive, each, of_type, of), of)
