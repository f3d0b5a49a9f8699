/* SPDX-License-Identifier: MIT
 * The machine where there is no GPU: every launch and copy is done by the calling host thread, at
 * once. A stream is therefore always empty, a recorded event always complete; posts and awaits are
 * a mutex and a condition variable under both policies, since spinning starves the neighbours when
 * threads outnumber cores.
 */
#include "machine_cpu.h"
#include "machine_messages.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

struct cpu_counter {
	int64_t value;
};

struct cpu_machine {
	struct machine base;
	uint32_t gpus, threads, streams, events;
	int64_t *recorded_ns; /* [events] */
	size_t recorded_capacity;
	void **buffer;
	size_t buffer_count, buffer_capacity;
	struct cpu_counter *counter;
	size_t counter_count, counter_capacity;
	/* one lock for all counters: this machine is for correctness, not speed */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t arrived, generation;
	bool failed;
	struct machine_messages messages;
};

struct cpu_job {
	struct machine_thread *thread;
	int (*body)(struct machine_thread *, void *);
	void *arg;
	int rc;
};

static struct cpu_machine *cpu_of(struct machine *m)
{
	return (struct cpu_machine *)m;
}

static int cpu_gpu_count(struct machine *m, uint32_t *count)
{
	*count = cpu_of(m)->gpus;
	return 0;
}

static int cpu_buffer(struct machine *m, uint32_t gpu, enum machine_space space, int64_t bytes,
		      uint32_t *buffer)
{
	struct cpu_machine *cpu = cpu_of(m);
	(void)gpu;
	(void)space;
	GROW(cpu->buffer, cpu->buffer_count, cpu->buffer_capacity);
	void *memory = NULL;
	if (posix_memalign(&memory, 64, ((size_t)bytes + 63) / 64 * 64))
		return report("out of memory: %lld bytes", (long long)bytes);
	memset(memory, 0xff, (size_t)bytes); /* NaN: a read of what nothing wrote shows */
	cpu->buffer[cpu->buffer_count] = memory;
	*buffer = (uint32_t)cpu->buffer_count++;
	return 0;
}

static void cpu_buffer_free(struct machine *m, uint32_t buffer)
{
	free(cpu_of(m)->buffer[buffer]);
	cpu_of(m)->buffer[buffer] = NULL;
}

static void *cpu_address(struct machine *m, uint32_t buffer)
{
	return cpu_of(m)->buffer[buffer];
}

static int cpu_stream(struct machine *m, uint32_t gpu, uint32_t *stream)
{
	(void)gpu;
	*stream = cpu_of(m)->streams++;
	return 0;
}

int machine_cpu_event(struct machine *m, uint32_t gpu, uint32_t *event)
{
	struct cpu_machine *cpu = cpu_of(m);
	(void)gpu;
	GROW(cpu->recorded_ns, cpu->events, cpu->recorded_capacity);
	*event = cpu->events++;
	return 0;
}

static int cpu_counter(struct machine *m, uint32_t *counter)
{
	struct cpu_machine *cpu = cpu_of(m);
	GROW(cpu->counter, cpu->counter_count, cpu->counter_capacity);
	cpu->counter[cpu->counter_count] = (struct cpu_counter){ 0 };
	*counter = (uint32_t)cpu->counter_count++;
	return 0;
}

static int cpu_peer_access(struct machine *m, uint32_t gpu, uint32_t peer)
{
	return gpu < cpu_of(m)->gpus && peer < cpu_of(m)->gpus ? 0 : -1;
}

static int64_t cpu_texture_elements(struct machine *m, uint32_t gpu)
{
	(void)m;
	(void)gpu;
	return INT64_MAX;
}

static int cpu_channel(struct machine *m, uint32_t gpus, enum machine_channel channel,
		       int64_t bytes)
{
	(void)channel;
	(void)bytes;
	return machine_messages_make(&cpu_of(m)->messages, m, gpus);
}

static void *cpu_thread(void *arg)
{
	struct cpu_job *job = arg;
	struct cpu_machine *cpu = cpu_of(job->thread->machine);
	job->rc = job->body(job->thread, job->arg);
	if (job->rc) {
		pthread_mutex_lock(&cpu->lock);
		cpu->failed = true;
		pthread_cond_broadcast(&cpu->changed);
		pthread_mutex_unlock(&cpu->lock);
	}
	return NULL;
}

static int cpu_run(struct machine *m, uint32_t threads,
		   int (*body)(struct machine_thread *, void *), void *arg,
		   struct machine_thread *out)
{
	struct cpu_machine *cpu = cpu_of(m);
	pthread_t *thread = xcalloc(threads, sizeof(*thread));
	struct cpu_job *job = xcalloc(threads, sizeof(*job));
	uint32_t started = 0;
	int rc = 0;
	cpu->threads = threads;
	cpu->failed = false;
	cpu->arrived = 0;
	for (; started < threads; started++) {
		out[started] = (struct machine_thread){ .machine = m,
							.index = started,
							.gpu = started,
							.mark_ns = { -1, -1, -1, -1 } };
		job[started] = (struct cpu_job){ &out[started], body, arg, 0 };
		int error = pthread_create(&thread[started], NULL, cpu_thread, &job[started]);
		if (error) {
			rc = report("cannot start host thread %u: %s", started, strerror(error));
			pthread_mutex_lock(&cpu->lock);
			cpu->failed = true;
			pthread_cond_broadcast(&cpu->changed);
			pthread_mutex_unlock(&cpu->lock);
			break;
		}
	}
	for (uint32_t t = 0; t < started; t++) {
		pthread_join(thread[t], NULL);
		rc = job[t].rc ? -1 : rc;
	}
	free(thread);
	free(job);
	return rc;
}

static int cpu_launch(struct machine_thread *t, uint32_t stream,
		      const struct machine_launch *launch)
{
	int64_t *launches = t->state; /* counted while somebody times them */
	(void)stream;
	if (launches)
		++*launches;
	launch->cpu(launch->args);
	return 0;
}

static int cpu_copy(struct machine_thread *t, uint32_t stream, const struct machine_copy *copy)
{
	const struct cpu_machine *cpu = cpu_of(t->machine);
	int64_t *copies = t->state; /* machine_cpu_time.c counts */
	(void)stream;
	if (copies)
		++*copies;
	const char *from = (const char *)cpu->buffer[copy->source] + copy->source_offset_bytes;
	char *to = (char *)cpu->buffer[copy->target] + copy->target_offset_bytes;
	for (int64_t row = 0; row < copy->rows; row++)
		memcpy(to + row * copy->target_pitch_bytes, from + row * copy->source_pitch_bytes,
		       (size_t)copy->row_bytes);
	return 0;
}

static int cpu_record(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	(void)stream;
	cpu_of(t->machine)->recorded_ns[event] = monotonic_ns();
	return 0;
}

int machine_cpu_elapsed(struct machine *m, uint32_t first, uint32_t second, double *ns)
{
	const int64_t *at = cpu_of(m)->recorded_ns;
	*ns = (double)(at[second] - at[first]);
	return 0;
}

static int cpu_nothing(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	(void)t;
	(void)stream;
	(void)event;
	return 0;
}

static int cpu_sync(struct machine_thread *t, uint32_t stream)
{
	(void)t;
	(void)stream;
	return 0;
}

static int cpu_post(struct machine_thread *t, uint32_t counter, int64_t value,
		    enum await_policy policy)
{
	struct cpu_machine *cpu = cpu_of(t->machine);
	(void)policy;
	pthread_mutex_lock(&cpu->lock);
	cpu->counter[counter].value = value;
	pthread_cond_broadcast(&cpu->changed);
	pthread_mutex_unlock(&cpu->lock);
	return 0;
}

static int cpu_await(struct machine_thread *t, uint32_t counter, int64_t value,
		     enum await_policy policy)
{
	struct cpu_machine *cpu = cpu_of(t->machine);
	(void)policy;
	pthread_mutex_lock(&cpu->lock);
	while (cpu->counter[counter].value < value && !cpu->failed)
		pthread_cond_wait(&cpu->changed, &cpu->lock);
	int rc = cpu->counter[counter].value < value ? -1 : 0;
	pthread_mutex_unlock(&cpu->lock);
	return rc;
}

static int cpu_barrier(struct machine_thread *t)
{
	struct cpu_machine *cpu = cpu_of(t->machine);
	pthread_mutex_lock(&cpu->lock);
	uint32_t generation = cpu->generation;
	if (++cpu->arrived == cpu->threads) {
		cpu->arrived = 0;
		cpu->generation++;
		pthread_cond_broadcast(&cpu->changed);
	}
	while (generation == cpu->generation && !cpu->failed)
		pthread_cond_wait(&cpu->changed, &cpu->lock);
	int rc = generation == cpu->generation ? -1 : 0;
	pthread_mutex_unlock(&cpu->lock);
	return rc;
}

static int cpu_messages(struct machine_thread *t, uint32_t stream,
			const struct machine_message *message, uint32_t count)
{
	return machine_messages_pass(&cpu_of(t->machine)->messages, t, stream, message, count);
}

static int cpu_drive(struct machine_thread *t, uint32_t gpu)
{
	t->gpu = gpu;
	return 0;
}

static int cpu_repeat(struct machine_thread *t, const struct machine_repeat *repeat)
{
	int rc = 0;
	for (int k = 0; k < repeat->times && !rc; k++)
		rc = repeat->body(t, repeat->arg);
	return rc;
}

static int cpu_mark(struct machine_thread *t, enum mark mark)
{
	t->mark_ns[mark] = monotonic_ns();
	return 0;
}

static void cpu_reset(struct machine *m)
{
	struct cpu_machine *cpu = cpu_of(m);
	for (size_t i = 0; i < cpu->buffer_count; i++)
		free(cpu->buffer[i]);
	cpu->buffer_count = cpu->counter_count = 0;
	cpu->streams = cpu->events = 0;
	machine_messages_release(&cpu->messages);
}

static void cpu_free(struct machine *m)
{
	struct cpu_machine *cpu = cpu_of(m);
	cpu_reset(m);
	pthread_mutex_destroy(&cpu->lock);
	pthread_cond_destroy(&cpu->changed);
	free(cpu->buffer);
	free(cpu->counter);
	free(cpu->recorded_ns);
	free(cpu);
}

static const struct machine_ops cpu_ops = {
	.name = "cpu",
	.computes = true,
	.gpu_count = cpu_gpu_count,
	.buffer = cpu_buffer,
	.buffer_free = cpu_buffer_free,
	.address = cpu_address,
	.stream = cpu_stream,
	.event = machine_cpu_event,
	.counter = cpu_counter,
	.peer_access = cpu_peer_access,
	.texture_elements = cpu_texture_elements,
	.channel = cpu_channel,
	.run = cpu_run,
	.launch = cpu_launch,
	.copy = cpu_copy,
	.record = cpu_record,
	.wait = cpu_nothing,
	.sync = cpu_sync,
	.post = cpu_post,
	.await = cpu_await,
	.barrier = cpu_barrier,
	.messages = cpu_messages,
	.drive = cpu_drive,
	.repeat = cpu_repeat,
	.mark = cpu_mark,
	.reset = cpu_reset,
	.free = cpu_free,
};

struct machine *machine_cpu_new(uint32_t gpus)
{
	struct cpu_machine *cpu = xcalloc(1, sizeof(*cpu));
	cpu->base.ops = &cpu_ops;
	cpu->base.timing = &machine_cpu_timing;
	cpu->gpus = gpus ? gpus : MACHINE_GPUS_MOST;
	pthread_mutex_init(&cpu->lock, NULL);
	pthread_cond_init(&cpu->changed, NULL);
	return &cpu->base;
}
