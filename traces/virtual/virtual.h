/* SPDX-License-Identifier: MIT
 * Virtual GPUs: a program that was written for several GPUs runs on one. libwarpreel-virtual.so is
 * preloaded and stands between the program and its shared CUDA runtime. Device 0 is the real
 * device's primary context, every other a context of its own on the same device, so that driver and
 * runtime stay truthful and the recorder tells devices apart by context. docs/as-gpus.md says what
 * this may be trusted for.
 *
 *   virtual_gpus.c      the devices: contexts, which is current, peer access
 *   virtual_real.c      the functions behind ours, in whichever libraries the program brought
 *   virtual_ranges.c    whose memory a pointer is
 *   virtual_turns.c     kernels of different devices do not overlap
 *   virtual_notes.c     what the recorder is told
 *   virtual_hooks_*.c   the functions the program calls instead
 *   virtual_nccl.h      NCCL's operations between devices
 */
#ifndef WARPREEL_VIRTUAL_H
#define WARPREEL_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

/* A target may export any name: ours stay inside, but for the hooks. */
#pragma GCC visibility push(hidden)
#define HOOK __attribute__((visibility("default")))

enum { VIRTUAL_GPUS_MAX = 64 };

/* How many devices the program sees; 0: the library is to do nothing. */
int gpus_count(void);
/* How many there are in all processes: CUDA_VISIBLE_DEVICES may show this one fewer of them. */
int gpus_all(void);
/* Which of all a device of this process is. */
int gpus_number(int device);
/* Whether the runtime knows `device`. */
static inline bool gpus_has(int device)
{
	return device >= 0 && device < gpus_count();
}
/* The device of the calling thread: that of the current context, else the one it set last. */
int gpus_current(void);
/* Makes `device` current for the calling thread, and its context when it has none. */
cudaError_t gpus_set_current(int device);
/* The device a context stands for; every context that is not ours is device 0's. */
int gpus_of_context(CUcontext context);
/* NULL: `device` has no context yet (or is device 0, whose context is the runtime's). */
CUcontext gpus_context(int device);
bool gpus_started(int device);
/* What cudaDeviceReset of a device other than 0 leaves of it: peer access is off. */
void gpus_forget_peers(int device);
cudaError_t gpus_enable_peer(int device, int peer, bool enable);

/* The driver's functions, loaded when first asked for; NULL when there is no driver. */
struct driver {
	CUresult (*cuInit)(unsigned);
	CUresult (*cuDeviceGet)(CUdevice *, int);
	CUresult (*cuCtxCreate_v2)(CUcontext *, unsigned, CUdevice);
	CUresult (*cuCtxGetCurrent)(CUcontext *);
	CUresult (*cuCtxSetCurrent)(CUcontext);
	CUresult (*cuCtxSynchronize)(void);
	CUresult (*cuStreamGetCtx)(CUstream, CUcontext *);
	CUresult (*cuPointerGetAttributes)(unsigned, CUpointer_attribute *, void **, CUdeviceptr);
	CUresult (*cuMemGetInfo_v2)(size_t *, size_t *);
	/* Of NCCL's operations. */
	CUresult (*cuEventCreate)(CUevent *, unsigned);
	CUresult (*cuEventDestroy_v2)(CUevent);
	CUresult (*cuEventRecord)(CUevent, CUstream);
	CUresult (*cuStreamWaitEvent)(CUstream, CUevent, unsigned);
	CUresult (*cuStreamIsCapturing)(CUstream, CUstreamCaptureStatus *);
	CUresult (*cuMemcpyAsync)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
	CUresult (*cuStreamSynchronize)(CUstream);
	CUresult (*cuMemHostRegister_v2)(void *, size_t, unsigned);
	CUresult (*cuMemHostUnregister)(void *);
	CUresult (*cuMemHostGetDevicePointer_v2)(CUdeviceptr *, void *, unsigned);
	CUresult (*cuModuleLoadData)(CUmodule *, const void *);
	CUresult (*cuModuleGetFunction)(CUfunction *, CUmodule, const char *);
	CUresult (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
				   unsigned, unsigned, CUstream, void **, void **);
};
const struct driver *real_driver(void);
/* A function of the program's CUDA runtime; ends the program when it has none of that name. */
void *real_runtime(void *_Atomic *slot, const char *name);
/* The major version of that runtime; 0: the process has no shared one. */
int real_runtime_major(void);
/* A function of the library that `part` of a file name is of, or of any after us. */
void *real_other(void *_Atomic *slot, const char *part, const char *name);
/* dlsym, which is itself hooked. */
void *real_symbol(void *handle, const char *name);

#define REAL(name)                                                                                 \
	({                                                                                         \
		static void *_Atomic slot_;                                                        \
		(__typeof__(&name))(uintptr_t)real_runtime(&slot_, #name);                         \
	})

/* Whose memory `pointer` is; -1: the host's, or unknown. */
int ranges_device(const void *pointer);
/* Memory of a device, allocated and freed. */
void ranges_add(const void *base, size_t bytes, int device);
void ranges_remove(const void *base);

/* Around a call that runs kernels on the current device: what the devices before it were given has
 * ended by then. Nothing while a stream is being captured. */
void turns_begin(void);
void turns_end(void);
void turns_capture(int more);
bool turns_captures(void); /* whether one is under way */
/* The order in which threads get their turns (virtual_queue.c); between both, one thread is inside.
 * A device of -1 is none of the program's. */
void queue_enter(int device);
void queue_leave(void);
/* Who waits spins so long first, where every device's thread may have a core, and this library's as
 * well. */
enum { QUEUE_SPIN_NS = 2000000 };
bool queue_may_spin(void);
int64_t queue_now_ns(void); /* the clock for it */
/* After how long a wait is noticed, and a clock for it. */
int64_t turns_stuck_ms(void);
int64_t turns_now_ms(void);

/* The clock of the trace; 0: nobody records. */
uint64_t notes_now_ns(void);
/* From `start_ns` to now this thread did what a program on several GPUs does not. */
void notes_hidden(uint64_t start_ns);
/* The same where that made calls which are recorded: written down at once, as a thread may do
 * nothing more. */
void notes_hidden_calls(uint64_t start_ns);
/* From now on what this thread notes as hidden lies within a stretch that will be noted. */
void notes_mute(bool on);
/* The next call of this thread copies from one device to another; `as_peer`: the program asked for
 * cudaMemcpyPeer. */
void notes_peer_copy(int source, int target, bool as_peer, uint64_t start_ns);
/* What a device holds from now on. */
void notes_memory(int device, size_t bytes);
void notes_barrier(uint32_t object, uint64_t start_ns);
/* The `number`-th that this process came to, whether it was recorded by then or not. */
void notes_barrier_of_processes(int64_t number, uint64_t start_ns);
void notes_context(CUcontext context, int device);
struct note_collective;
void notes_collective(const struct note_collective *note); /* hidden, too */
/* One line to the user, once for each `once`. */
void notes_say(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#pragma GCC visibility pop
#endif
