/* SPDX-License-Identifier: MIT
 * The functions of MPI by which a rank waits for others. Each calls the library's own, with what
 * it was passed, and notes when that began and when it returned. Of a call that does not wait
 * (MPI_Isend) the begin counts, and the end of the call that waits for its request.
 *
 * What is not noted (one-sided operations, persistent requests, neighbourhood collectives,
 * MPI_Iprobe in a loop) is time of the host, as long as it took.
 */
#include "messages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define HOOK __attribute__((visibility("default")))
/* MPI's own: by the profiling interface, which no other tool replaces. */
#define REAL(name, ...)                                                                            \
	({                                                                                         \
		static void *_Atomic slot_;                                                        \
		(int (*)(__VA_ARGS__))(uintptr_t) library_function(&slot_, "P" #name);             \
	})
enum { NO_MPI = 1 };

static int64_t bytes_of(int64_t count, mpi_handle type)
{
	int (*size_of)(mpi_handle, int *) = REAL(MPI_Type_size, mpi_handle, int *);
	int size = 0;

	return size_of && count > 0 && !size_of(type, &size) ? count * size : 0;
}

static bool is_any(int peer)
{
	return peer == (library_is_open_mpi() ? -1 : -2);
}

/* Fills a note, but for its number; false: there is nothing to tell. */
static bool describe(struct note_message *note, enum message_kind kind, int phase, mpi_handle of,
		     int peer, int tag, int64_t bytes)
{
	const struct ranks *ranks = ranks_of(of);
	const bool has_peer = kind != MESSAGE_OF_ALL;

	*note = (struct note_message){ .kind = kind, .phase = phase, .peer = -1 };
	if (!ranks)
		return false;
	note->communicator = ranks->communicator;
	note->rank = ranks->own;
	note->tag = tag;
	note->bytes = bytes;
	if (has_peer && !(kind == MESSAGE_RECEIVE && is_any(peer))) {
		note->peer = ranks_world(ranks, peer);
		if (note->peer < 0) /* MPI_PROC_NULL */
			return false;
	}
	return true;
}

/* Whose message it is, is known when it has come. */
static bool is_open(const struct note_message *note)
{
	return note->kind == MESSAGE_RECEIVE && (note->peer < 0 || note->tag < 0);
}

static void begin(struct note_message *note)
{
	if (!is_open(note))
		note->number = numbers_next(note);
	note->start_ns = library_now_ns();
}

/* `status` is read where it was open; `of`: its communicator, 0: that is not known any more. */
static void end(struct note_message *note, const void *status, const struct ranks *ranks)
{
	if (is_open(note)) {
		if (!status || !ranks)
			return;
		note->peer = ranks_world(ranks, library_source_of(status));
		note->tag = library_tag_of(status);
		if (note->peer < 0)
			return;
		note->number = numbers_next(note);
	}
	note->end_ns = library_now_ns();
	library_note(note);
}

/* ---- one message ---- */

#define SENDS(name, phases)                                                                        \
	HOOK int name(const void *, int, mpi_handle, int, int, mpi_handle);                        \
	HOOK int name(const void *data, int count, mpi_handle type, int to, int tag,               \
		      mpi_handle of)                                                               \
	{                                                                                          \
		int (*real)(const void *, int, mpi_handle, int, int, mpi_handle) =                 \
			REAL(name, const void *, int, mpi_handle, int, int, mpi_handle);           \
		struct note_message note;                                                          \
		const bool told =                                                                  \
			describe(&note, MESSAGE_SEND, phases, of, to, tag, bytes_of(count, type)); \
		int result;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return NO_MPI;                                                             \
		if (told)                                                                          \
			begin(&note);                                                              \
		result = real(data, count, type, to, tag, of);                                     \
		if (told)                                                                          \
			end(&note, NULL, NULL);                                                    \
		return result;                                                                     \
	}
SENDS(MPI_Send, MESSAGE_BEGINS | MESSAGE_ENDS)
SENDS(MPI_Ssend, MESSAGE_BEGINS | MESSAGE_ENDS)
SENDS(MPI_Rsend, MESSAGE_BEGINS | MESSAGE_ENDS)
SENDS(MPI_Bsend, MESSAGE_BEGINS)

HOOK int MPI_Recv(void *, int, mpi_handle, int, int, mpi_handle, void *);
HOOK int MPI_Recv(void *data, int count, mpi_handle type, int from, int tag, mpi_handle of,
		  void *status)
{
	int (*real)(void *, int, mpi_handle, int, int, mpi_handle, void *) =
		REAL(MPI_Recv, void *, int, mpi_handle, int, int, mpi_handle, void *);
	char ours[STATUS_BYTES] = { 0 };
	struct note_message note;
	const bool told = describe(&note, MESSAGE_RECEIVE, MESSAGE_BEGINS | MESSAGE_ENDS, of, from,
				   tag, bytes_of(count, type));
	int result;

	if (!real)
		return NO_MPI;
	if (told)
		begin(&note);
	status = told && is_open(&note) ? library_status(status, ours) : status;
	result = real(data, count, type, from, tag, of, status);
	if (told)
		end(&note, status, ranks_of(of));
	return result;
}

HOOK int MPI_Sendrecv(const void *, int, mpi_handle, int, int, void *, int, mpi_handle, int, int,
		      mpi_handle, void *);
HOOK int MPI_Sendrecv(const void *out, int count, mpi_handle type, int to, int tag, void *in,
		      int count_in, mpi_handle type_in, int from, int tag_in, mpi_handle of,
		      void *status)
{
	int (*real)(const void *, int, mpi_handle, int, int, void *, int, mpi_handle, int, int,
		    mpi_handle, void *) =
		REAL(MPI_Sendrecv, const void *, int, mpi_handle, int, int, void *, int, mpi_handle,
		     int, int, mpi_handle, void *);
	const int both = MESSAGE_BEGINS | MESSAGE_ENDS;
	char ours[STATUS_BYTES] = { 0 };
	struct note_message sent, received;
	const bool sends = describe(&sent, MESSAGE_SEND, both, of, to, tag, bytes_of(count, type)),
		   receives = describe(&received, MESSAGE_RECEIVE, both, of, from, tag_in,
				       bytes_of(count_in, type_in));
	int result;

	if (!real)
		return NO_MPI;
	if (sends)
		begin(&sent);
	if (receives)
		begin(&received);
	status = receives && is_open(&received) ? library_status(status, ours) : status;
	result = real(out, count, type, to, tag, in, count_in, type_in, from, tag_in, of, status);
	if (sends)
		end(&sent, NULL, NULL);
	if (receives)
		end(&received, status, ranks_of(of));
	return result;
}

/* ---- requests ---- */

#define STARTS_SEND(name)                                                                          \
	HOOK int name(const void *, int, mpi_handle, int, int, mpi_handle, void *);                \
	HOOK int name(const void *data, int count, mpi_handle type, int to, int tag,               \
		      mpi_handle of, void *request)                                                \
	{                                                                                          \
		int (*real)(const void *, int, mpi_handle, int, int, mpi_handle, void *) =         \
			REAL(name, const void *, int, mpi_handle, int, int, mpi_handle, void *);   \
		struct note_message note;                                                          \
		const bool told = describe(&note, MESSAGE_SEND, MESSAGE_BEGINS, of, to, tag,       \
					   bytes_of(count, type));                                 \
		int result;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return NO_MPI;                                                             \
		if (told)                                                                          \
			begin(&note);                                                              \
		result = real(data, count, type, to, tag, of, request);                            \
		if (told) {                                                                        \
			end(&note, NULL, NULL);                                                    \
			numbers_keep(library_request_at(request, 0), of, &note);                   \
		}                                                                                  \
		return result;                                                                     \
	}
STARTS_SEND(MPI_Isend)
STARTS_SEND(MPI_Issend)
STARTS_SEND(MPI_Irsend)

HOOK int MPI_Irecv(void *, int, mpi_handle, int, int, mpi_handle, void *);
HOOK int MPI_Irecv(void *data, int count, mpi_handle type, int from, int tag, mpi_handle of,
		   void *request)
{
	int (*real)(void *, int, mpi_handle, int, int, mpi_handle, void *) =
		REAL(MPI_Irecv, void *, int, mpi_handle, int, int, mpi_handle, void *);
	struct note_message note;
	const bool told = describe(&note, MESSAGE_RECEIVE, MESSAGE_BEGINS, of, from, tag,
				   bytes_of(count, type));
	int result;

	if (!real)
		return NO_MPI;
	if (told)
		begin(&note);
	result = real(data, count, type, from, tag, of, request);
	if (told) {
		end(&note, NULL, NULL); /* of an open one nothing is told yet */
		numbers_keep(library_request_at(request, 0), of, &note);
	}
	return result;
}

/* A request is done; the call that waited for it began at start_ns. */
static void done(mpi_handle request, const void *status, uint64_t start_ns)
{
	struct note_message note;
	mpi_handle of;

	if (!numbers_take(request, &of, &note))
		return;
	note.phase = MESSAGE_ENDS;
	note.start_ns = start_ns;
	end(&note, status, is_open(&note) ? ranks_of(of) : NULL);
}

#define WAITS(name, parameters, arguments, is_done)                                                \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		int(*real) parameters = (int(*) parameters)(uintptr_t)({                           \
			static void *_Atomic slot_;                                                \
			library_function(&slot_, "P" #name);                                       \
		});                                                                                \
		const mpi_handle handle = library_request_at(request, 0);                          \
		const uint64_t start_ns = library_now_ns();                                        \
		char ours[STATUS_BYTES] = { 0 };                                                   \
		int result;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return NO_MPI;                                                             \
		status = library_status(status, ours);                                             \
		result = real arguments;                                                           \
		if (is_done)                                                                       \
			done(handle, status, start_ns);                                            \
		return result;                                                                     \
	}
WAITS(MPI_Wait, (void *request, void *status), (request, status), true)
WAITS(MPI_Test, (void *request, int *flag, void *status), (request, flag, status), *flag)

/* Of several requests at once: their handles, which the call takes away, and statuses. */
struct several {
	mpi_handle *handle;
	char *ours, *status;
};

static struct several several_begin(int count, const void *requests, void *statuses)
{
	const size_t n = count > 0 ? (size_t)count : 0;
	struct several all = { messages_room((n + 1) * sizeof(mpi_handle)),
			       messages_room((n + 1) * STATUS_BYTES), NULL };

	for (int i = 0; i < count; i++)
		all.handle[i] = library_request_at(requests, i);
	all.status = library_status(statuses, all.ours);
	return all;
}

static void several_end(struct several *all, int count, bool are_done, uint64_t start_ns)
{
	for (int i = 0; i < count && are_done; i++)
		done(all->handle[i], all->status + (size_t)i * library_status_bytes(), start_ns);
	free(all->handle);
	free(all->ours);
}

HOOK int MPI_Waitall(int, void *, void *);
HOOK int MPI_Waitall(int count, void *requests, void *statuses)
{
	int (*real)(int, void *, void *) = REAL(MPI_Waitall, int, void *, void *);
	const uint64_t start_ns = library_now_ns();
	struct several all;
	int result;

	if (!real)
		return NO_MPI;
	all = several_begin(count, requests, statuses);
	result = real(count, requests, all.status);
	several_end(&all, count, true, start_ns);
	return result;
}

HOOK int MPI_Testall(int, void *, int *, void *);
HOOK int MPI_Testall(int count, void *requests, int *flag, void *statuses)
{
	int (*real)(int, void *, int *, void *) = REAL(MPI_Testall, int, void *, int *, void *);
	const uint64_t start_ns = library_now_ns();
	struct several all;
	int result;

	if (!real)
		return NO_MPI;
	all = several_begin(count, requests, statuses);
	result = real(count, requests, flag, all.status);
	several_end(&all, count, *flag, start_ns);
	return result;
}

HOOK int MPI_Waitany(int, void *, int *, void *);
HOOK int MPI_Waitany(int count, void *requests, int *index, void *status)
{
	int (*real)(int, void *, int *, void *) = REAL(MPI_Waitany, int, void *, int *, void *);
	const uint64_t start_ns = library_now_ns();
	char ours[STATUS_BYTES] = { 0 };
	struct several all;
	int result;

	if (!real)
		return NO_MPI;
	all = several_begin(count, requests, NULL);
	status = library_status(status, ours);
	result = real(count, requests, index, status);
	if (*index >= 0 && *index < count)
		done(all.handle[*index], status, start_ns);
	several_end(&all, count, false, start_ns);
	return result;
}

HOOK int MPI_Waitsome(int, void *, int *, int *, void *);
HOOK int MPI_Waitsome(int count, void *requests, int *out, int *indices, void *statuses)
{
	int (*real)(int, void *, int *, int *, void *) =
		REAL(MPI_Waitsome, int, void *, int *, int *, void *);
	const uint64_t start_ns = library_now_ns();
	struct several all;
	int result;

	if (!real)
		return NO_MPI;
	all = several_begin(count, requests, statuses);
	result = real(count, requests, out, indices, all.status);
	for (int i = 0; i < *out; i++)
		if (indices[i] >= 0 && indices[i] < count)
			done(all.handle[indices[i]],
			     all.status + (size_t)i * library_status_bytes(), start_ns);
	several_end(&all, count, false, start_ns);
	return result;
}

HOOK int MPI_Comm_free(void *);
HOOK int MPI_Comm_free(void *communicator)
{
	int (*real)(void *) = REAL(MPI_Comm_free, void *);

	ranks_forget(library_request_at(communicator, 0));
	return real ? real(communicator) : NO_MPI;
}

/* ---- of all ranks ---- */

/* Arguments are in registers and on the stack as integers, whatever they mean. */
#define MEETS(name, what, root, parameters, arguments)                                             \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		int(*real) parameters = (int(*) parameters)(uintptr_t)({                           \
			static void *_Atomic slot_;                                                \
			library_function(&slot_, "P" #name);                                       \
		});                                                                                \
		struct note_message note;                                                          \
		const bool told = describe(&note, what, MESSAGE_BEGINS | MESSAGE_ENDS, of,         \
					   (int)(root), 0, 0);                                     \
		int result;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return NO_MPI;                                                             \
		if (told)                                                                          \
			begin(&note);                                                              \
		result = real arguments;                                                           \
		if (told)                                                                          \
			end(&note, NULL, NULL);                                                    \
		return result;                                                                     \
	}
/* Those that come back at once, with a request. */
#define STARTS(name, what, root, parameters, arguments)                                            \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		int(*real) parameters = (int(*) parameters)(uintptr_t)({                           \
			static void *_Atomic slot_;                                                \
			library_function(&slot_, "P" #name);                                       \
		});                                                                                \
		struct note_message note;                                                          \
		const bool told = describe(&note, what, MESSAGE_BEGINS, of, (int)(root), 0, 0);    \
		int result;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return NO_MPI;                                                             \
		if (told)                                                                          \
			begin(&note);                                                              \
		result = real arguments;                                                           \
		if (told) {                                                                        \
			end(&note, NULL, NULL);                                                    \
			numbers_keep(library_request_at(request, 0), of, &note);                   \
		}                                                                                  \
		return result;                                                                     \
	}
typedef uint64_t any;
#define REQUEST void *request
#define LIST_OF(...) __VA_ARGS__
/* name, its form that starts; kind, root; parameters before the communicator, and their names */
#define BOTH(name, starts, what, root, parameters, arguments)                                      \
	MEETS(name, what, root, (LIST_OF parameters, mpi_handle of), (LIST_OF arguments, of))      \
	STARTS(starts, what, root, (LIST_OF parameters, mpi_handle of, REQUEST),                   \
	       (LIST_OF arguments, of, request))

MEETS(MPI_Barrier, MESSAGE_OF_ALL, 0, (mpi_handle of), (of))
STARTS(MPI_Ibarrier, MESSAGE_OF_ALL, 0, (mpi_handle of, REQUEST), (of, request))
BOTH(MPI_Allreduce, MPI_Iallreduce, MESSAGE_OF_ALL, 0, (any a, any b, any c, any d, any e),
     (a, b, c, d, e))
BOTH(MPI_Allgather, MPI_Iallgather, MESSAGE_OF_ALL, 0, (any a, any b, any c, any d, any e, any f),
     (a, b, c, d, e, f))
BOTH(MPI_Allgatherv, MPI_Iallgatherv, MESSAGE_OF_ALL, 0,
     (any a, any b, any c, any d, any e, any f, any g), (a, b, c, d, e, f, g))
BOTH(MPI_Alltoall, MPI_Ialltoall, MESSAGE_OF_ALL, 0, (any a, any b, any c, any d, any e, any f),
     (a, b, c, d, e, f))
BOTH(MPI_Alltoallv, MPI_Ialltoallv, MESSAGE_OF_ALL, 0,
     (any a, any b, any c, any d, any e, any f, any g, any h), (a, b, c, d, e, f, g, h))
BOTH(MPI_Reduce_scatter, MPI_Ireduce_scatter, MESSAGE_OF_ALL, 0,
     (any a, any b, any c, any d, any e), (a, b, c, d, e))
BOTH(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MESSAGE_OF_ALL, 0,
     (any a, any b, any c, any d, any e), (a, b, c, d, e))
BOTH(MPI_Bcast, MPI_Ibcast, MESSAGE_FROM_ROOT, d, (any a, any b, any c, any d), (a, b, c, d))
BOTH(MPI_Scatter, MPI_Iscatter, MESSAGE_FROM_ROOT, g,
     (any a, any b, any c, any d, any e, any f, any g), (a, b, c, d, e, f, g))
BOTH(MPI_Scatterv, MPI_Iscatterv, MESSAGE_FROM_ROOT, h,
     (any a, any b, any c, any d, any e, any f, any g, any h), (a, b, c, d, e, f, g, h))
BOTH(MPI_Reduce, MPI_Ireduce, MESSAGE_TO_ROOT, f, (any a, any b, any c, any d, any e, any f),
     (a, b, c, d, e, f))
BOTH(MPI_Gather, MPI_Igather, MESSAGE_TO_ROOT, g, (any a, any b, any c, any d, any e, any f, any g),
     (a, b, c, d, e, f, g))
BOTH(MPI_Gatherv, MPI_Igatherv, MESSAGE_TO_ROOT, h,
     (any a, any b, any c, any d, any e, any f, any g, any h), (a, b, c, d, e, f, g, h))
