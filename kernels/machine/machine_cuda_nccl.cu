/* SPDX-License-Identifier: MIT
 * Messages by NCCL: a communicator a GPU, sends and receives of a thread as one group. The library
 * is opened when messages are asked for, so that neither building nor running anything else needs
 * it; WARPREEL_NCCL names another one. Its few calls are declared here, as its header has them
 * since version 2.7.
 */
#include <dlfcn.h>

#include "machine_cuda.cuh"

typedef struct ncclComm *nccl_comm;
enum { NCCL_SUCCESS = 0, NCCL_INT8 = 0 };
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
};

struct cuda_channel {
	struct nccl nccl;
	uint32_t gpus;
	nccl_comm *comm; /* [gpus] */
};

static const char *library_name(void)
{
	const char *named = getenv("WARPREEL_NCCL");

	return named && *named ? named : "libnccl.so.2";
}

static int library_open(struct nccl *nccl, enum machine_channel kind)
{
	void *library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
	int version = 0;

	if (!library)
		return report("no NCCL here: %s; WARPREEL_NCCL names one", dlerror());
	const struct {
		const char *name;
		void *into;
	} calls[] = { { "ncclGetVersion", &nccl->version },
		      { "ncclGetErrorString", &nccl->error },
		      { "ncclCommInitAll", &nccl->init_all },
		      { "ncclCommDestroy", &nccl->destroy },
		      { "ncclGroupStart", &nccl->group_start },
		      { "ncclGroupEnd", &nccl->group_end },
		      { "ncclSend", &nccl->send },
		      { "ncclRecv", &nccl->receive } };
	for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
		void *found = dlsym(library, calls[k].name);
		if (!found)
			return report("'%s' is no NCCL of 2.7 or later: it has no %s",
				      library_name(), calls[k].name);
		memcpy(calls[k].into, &found, sizeof(found));
	}
	if (nccl->version(&version))
		return report("'%s' does not say its version", library_name());
	if (kind == CHANNEL_PUT)
		return report("NCCL %d.%d.%d %s: sync nccl-put is not run on GPUs; sync nccl is",
			      version / 10000, version / 100 % 100, version % 100,
			      dlsym(library, "ncclPutSignal")
				      ? "has puts with a signal, which nobody has tried here"
				      : "has no puts with a signal (2.29 has)");
	return 0;
}

int cuda_channel_make(struct machine *base, uint32_t gpus, enum machine_channel kind)
{
	struct cuda_machine *m = cuda_of(base);
	int devices[64];

	if (m->channel && m->channel->gpus == gpus)
		return 0;
	if (gpus > m->devices || gpus > sizeof(devices) / sizeof(devices[0]))
		return report("NCCL wants a GPU of its own for each of %u parts: there are %u",
			      gpus, m->devices);
	cuda_channel_release(m);
	m->channel = (struct cuda_channel *)xcalloc(1, sizeof(*m->channel));
	if (library_open(&m->channel->nccl, kind))
		return -1;
	for (uint32_t gpu = 0; gpu < gpus; gpu++)
		devices[gpu] = device_of(m, gpu);
	m->channel->comm = (nccl_comm *)xcalloc(gpus, sizeof(*m->channel->comm));
	const int error = m->channel->nccl.init_all(m->channel->comm, (int)gpus, devices);
	if (error)
		return report("NCCL on %u GPUs: %s", gpus, m->channel->nccl.error(error));
	m->channel->gpus = gpus;
	return 0;
}

void cuda_channel_release(struct cuda_machine *m)
{
	struct cuda_channel *channel = m->channel;

	for (uint32_t gpu = 0; channel && gpu < channel->gpus; gpu++)
		(void)channel->nccl.destroy(channel->comm[gpu]);
	if (channel)
		free(channel->comm);
	free(channel);
	m->channel = NULL;
}

int cuda_messages(struct machine_thread *t, uint32_t stream, const struct machine_message *message,
		  uint32_t count)
{
	const struct cuda_machine *m = state_of(t)->machine;
	const struct nccl *nccl = &m->channel->nccl;
	nccl_comm comm = m->channel->comm[t->gpu];
	int error = nccl->group_start();

	for (uint32_t k = 0; k < count && !error; k++) {
		const struct machine_message *each = &message[k];
		const char *send =
			(const char *)m->buffer[each->send].address + each->send_offset_bytes;
		char *receive =
			(char *)m->buffer[each->receive].address + each->receive_offset_bytes;
		error = nccl->send(send, (size_t)each->bytes, NCCL_INT8, (int)each->peer, comm,
				   m->stream[stream]);
		if (!error)
			error = nccl->receive(receive, (size_t)each->bytes, NCCL_INT8,
					      (int)each->peer, comm, m->stream[stream]);
	}
	const int ended = nccl->group_end(); /* also after a failure: the group is the thread's */
	error = error ? error : ended;
	return error ? report("GPU %u: messages by NCCL: %s", t->gpu, nccl->error(error)) : 0;
}
