/* SPDX-License-Identifier: MIT
 * Messages by NCCL: a communicator a GPU, sends and receives of a thread as one group; or puts with
 * a signal. The library is opened when messages are asked for, so that neither building nor running
 * anything else needs it; WARPREEL_NCCL names another one. Its few calls are declared here, as its
 * header has them since version 2.7, and those of puts since 2.29.
 *
 * Puts go into a window of memory that NCCL makes, a slot for each peer. A slot is free again once
 * its bytes have been copied to where they were wanted, which a signal back says: of signals from a
 * peer every odd one is a put's, every even one says that a slot is free.
 */
#include <dlfcn.h>

#include "machine_cuda.cuh"

typedef struct ncclComm *nccl_comm;
typedef struct ncclWindow_vidmem *nccl_window;
enum { NCCL_INT8 = 0, NCCL_WINDOW_SYMMETRIC = 1, GPUS_MOST = 64, SLOT_ALIGN_BYTES = 512 };
struct nccl_wait {
	int count, peer, signal, context;
};
struct nccl {
	int (*version)(int *version);
	const char *(*error)(int result);
	int (*init_all)(nccl_comm *comm, int count, const int *devices);
	int (*destroy)(nccl_comm comm);
	int (*group_start)(void);
	int (*group_end)(void);
	int (*send)(const void *bytes, size_t count, int type, int peer, nccl_comm comm,
		    cudaStream_t stream);
	int (*receive)(void *bytes, size_t count, int type, int peer, nccl_comm comm,
		       cudaStream_t stream);
	/* of puts */
	int (*allocate)(void **memory, size_t bytes);
	int (*give_back)(void *memory);
	int (*enter)(nccl_comm comm, void *memory, size_t bytes, nccl_window *window, int flags);
	int (*leave)(nccl_comm comm, nccl_window window);
	int (*put)(const void *bytes, size_t count, int type, int peer, nccl_window window,
		   size_t offset, int signal, int context, unsigned flags, nccl_comm comm,
		   cudaStream_t stream);
	int (*signal)(int peer, int signal, int context, unsigned flags, nccl_comm comm,
		      cudaStream_t stream);
	int (*wait)(int count, struct nccl_wait *waits, nccl_comm comm, cudaStream_t stream);
};

struct cuda_channel {
	struct nccl nccl;
	enum machine_channel kind;
	uint32_t gpus;
	nccl_comm *comm; /* [gpus] */
	/* of puts */
	int64_t slot_bytes;
	char *memory[GPUS_MOST];
	nccl_window window[GPUS_MOST];
	bool used[GPUS_MOST][GPUS_MOST]; /* [gpu][peer] a message went: a slot has been used */
};

struct nccl_call {
	const char *name;
	void *into;
};

static const char *library_name(void)
{
	const char *named = getenv("WARPREEL_NCCL");

	return named && *named ? named : "libnccl.so.2";
}

/* The first call that it lacks; NULL: none. */
static const char *library_calls(void *library, const struct nccl_call *call)
{
	for (; call->name; call++) {
		void *found = dlsym(library, call->name);
		if (!found)
			return call->name;
		memcpy(call->into, &found, sizeof(found));
	}
	return NULL;
}

static int library_open(struct nccl *nccl, enum machine_channel kind)
{
	const struct nccl_call always[] = { { "ncclGetVersion", &nccl->version },
					    { "ncclGetErrorString", &nccl->error },
					    { "ncclCommInitAll", &nccl->init_all },
					    { "ncclCommDestroy", &nccl->destroy },
					    { "ncclGroupStart", &nccl->group_start },
					    { "ncclGroupEnd", &nccl->group_end },
					    { "ncclSend", &nccl->send },
					    { "ncclRecv", &nccl->receive },
					    { NULL, NULL } },
			       puts[] = { { "ncclMemAlloc", &nccl->allocate },
					  { "ncclMemFree", &nccl->give_back },
					  { "ncclCommWindowRegister", &nccl->enter },
					  { "ncclCommWindowDeregister", &nccl->leave },
					  { "ncclPutSignal", &nccl->put },
					  { "ncclSignal", &nccl->signal },
					  { "ncclWaitSignal", &nccl->wait },
					  { NULL, NULL } };
	void *library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
	int version = 0;

	if (!library)
		return report("no NCCL here: %s; WARPREEL_NCCL names one", dlerror());
	const char *missing = library_calls(library, always);
	if (missing || nccl->version(&version))
		return report("'%s' is no NCCL of 2.7 or later: it has no %s", library_name(),
			      missing ? missing : "version");
	missing = kind == CHANNEL_PUT ? library_calls(library, puts) : NULL;
	return missing ? report("NCCL %d.%d.%d has no %s, which sync nccl-put wants (2.29 has it); "
				"sync nccl does without",
				version / 10000, version / 100 % 100, version % 100, missing)
		       : 0;
}

/* Memory that all GPUs put into; each registers its own, all at once. */
static int make_windows(struct cuda_machine *m, struct cuda_channel *channel, int64_t bytes)
{
	const struct nccl *nccl = &channel->nccl;
	int error = 0;

	channel->slot_bytes = (bytes + SLOT_ALIGN_BYTES - 1) / SLOT_ALIGN_BYTES * SLOT_ALIGN_BYTES;
	const size_t whole = (size_t)channel->slot_bytes * channel->gpus;
	for (uint32_t gpu = 0; gpu < channel->gpus && !error; gpu++) {
		void *memory = NULL;
		error = cudaSetDevice(device_of(m, gpu)) || nccl->allocate(&memory, whole);
		channel->memory[gpu] = (char *)memory;
	}
	if (error)
		return report("NCCL has no %zu bytes of memory for puts", whole);
	error = nccl->group_start();
	for (uint32_t gpu = 0; gpu < channel->gpus && !error; gpu++)
		error = nccl->enter(channel->comm[gpu], channel->memory[gpu], whole,
				    &channel->window[gpu], NCCL_WINDOW_SYMMETRIC);
	const int ended = nccl->group_end();
	error = error ? error : ended;
	return error ? report("NCCL: a window of %zu bytes: %s", whole, nccl->error(error)) : 0;
}

int cuda_channel_make(struct machine *base, uint32_t gpus, enum machine_channel kind, int64_t bytes)
{
	struct cuda_machine *m = cuda_of(base);
	int devices[GPUS_MOST];

	if (gpus > m->devices || gpus > GPUS_MOST)
		return report("NCCL wants a GPU of its own for each of %u parts: there are %u",
			      gpus, m->devices);
	cuda_channel_release(m);
	struct cuda_channel *channel = m->channel =
		(struct cuda_channel *)xcalloc(1, sizeof(*m->channel));
	channel->kind = kind;
	if (library_open(&channel->nccl, kind))
		return -1;
	for (uint32_t gpu = 0; gpu < gpus; gpu++)
		devices[gpu] = device_of(m, gpu);
	channel->comm = (nccl_comm *)xcalloc(gpus, sizeof(*channel->comm));
	const int error = channel->nccl.init_all(channel->comm, (int)gpus, devices);
	if (error)
		return report("NCCL on %u GPUs: %s", gpus, channel->nccl.error(error));
	channel->gpus = gpus;
	return kind == CHANNEL_PUT ? make_windows(m, channel, bytes) : 0;
}

void cuda_channel_release(struct cuda_machine *m)
{
	struct cuda_channel *channel = m->channel;

	for (uint32_t gpu = 0; channel && gpu < channel->gpus; gpu++) {
		if (channel->window[gpu])
			(void)channel->nccl.leave(channel->comm[gpu], channel->window[gpu]);
		if (channel->memory[gpu])
			(void)channel->nccl.give_back(channel->memory[gpu]);
		(void)channel->nccl.destroy(channel->comm[gpu]);
	}
	if (channel)
		free(channel->comm);
	free(channel);
	m->channel = NULL;
}

static const void *source_of(const struct cuda_machine *m, const struct machine_message *message)
{
	return (const char *)m->buffer[message->send].address + message->send_offset_bytes;
}

static void *target_of(const struct cuda_machine *m, const struct machine_message *message)
{
	return (char *)m->buffer[message->receive].address + message->receive_offset_bytes;
}

static int send_and_receive(struct cuda_machine *m, uint32_t gpu, cudaStream_t stream,
			    const struct machine_message *message, uint32_t count)
{
	const struct nccl *nccl = &m->channel->nccl;
	nccl_comm comm = m->channel->comm[gpu];
	int error = nccl->group_start();

	for (uint32_t k = 0; k < count && !error; k++) {
		const size_t bytes = (size_t)message[k].bytes;
		const int peer = (int)message[k].peer;
		error = nccl->send(source_of(m, &message[k]), bytes, NCCL_INT8, peer, comm, stream);
		if (!error)
			error = nccl->receive(target_of(m, &message[k]), bytes, NCCL_INT8, peer,
					      comm, stream);
	}
	const int ended = nccl->group_end(); /* also after a failure: the group is the thread's */
	return error ? error : ended;
}

static int wait_for(const struct nccl *nccl, nccl_comm comm, cudaStream_t stream,
		    const struct machine_message *message, uint32_t count, const bool *only)
{
	struct nccl_wait waits[GPUS_MOST];
	int n = 0;

	for (uint32_t k = 0; k < count; k++)
		if (!only || only[message[k].peer])
			waits[n++] = { 1, (int)message[k].peer, 0, 0 };
	return n ? nccl->wait(n, waits, comm, stream) : 0;
}

static int put_and_wait(struct cuda_machine *m, uint32_t gpu, cudaStream_t stream,
			const struct machine_message *message, uint32_t count)
{
	struct cuda_channel *channel = m->channel;
	const struct nccl *nccl = &channel->nccl;
	nccl_comm comm = channel->comm[gpu];
	const int64_t slot = channel->slot_bytes;
	int error = wait_for(nccl, comm, stream, message, count, channel->used[gpu]); /* free? */

	if (error)
		return error;
	error = nccl->group_start();
	for (uint32_t k = 0; k < count && !error; k++)
		error = nccl->put(source_of(m, &message[k]), (size_t)message[k].bytes, NCCL_INT8,
				  (int)message[k].peer, channel->window[gpu], (size_t)(gpu * slot),
				  0, 0, 0, comm, stream);
	const int ended = nccl->group_end();
	error = error ? error : ended;
	if (!error)
		error = wait_for(nccl, comm, stream, message, count, NULL); /* there? */
	for (uint32_t k = 0; k < count && !error; k++) {
		if (cudaMemcpyAsync(target_of(m, &message[k]),
				    channel->memory[gpu] + message[k].peer * slot,
				    (size_t)message[k].bytes, cudaMemcpyDeviceToDevice, stream))
			return 1; /* of CUDA's, as NCCL has it */
		error = nccl->signal((int)message[k].peer, 0, 0, 0, comm, stream);
		channel->used[gpu][message[k].peer] = true;
	}
	return error;
}

int cuda_messages(struct machine_thread *t, uint32_t stream, const struct machine_message *message,
		  uint32_t count)
{
	struct cuda_machine *m = state_of(t)->machine;
	const struct nccl *nccl = &m->channel->nccl;
	const int error = (m->channel->kind == CHANNEL_PUT ? put_and_wait : send_and_receive)(
		m, t->gpu, m->stream[stream], message, count);

	return error ? report("GPU %u: messages by NCCL: %s", t->gpu, nccl->error(error)) : 0;
}
