/* SPDX-License-Identifier: MIT
 * The recorder's life inside a CUDA program. The driver loads this library (CUDA_INJECTION64_PATH)
 * and calls InitializeInjection from cuInit; from then on CUPTI fills buffers, and everything else
 * happens on CUPTI's worker thread and on one housekeeping thread of our own. docs/recorder.md says
 * what is recorded and what a killed program loses.
 */
#include "recorder.h"
#include "recorder_profile.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
	BUFFER_BYTES = 1 << 20,
	BUFFERS_AT_START = 48,
	BUFFERS_SPARE = 12,
	TICK_MS = 20,
	FLUSH_MS = 1000,
	STOP_TIMEOUT_S = 10
};

struct recorder recorder = {
	.writer = { .fd = -1,
		    .file_lock = PTHREAD_MUTEX_INITIALIZER,
		    .string_lock = PTHREAD_MUTEX_INITIALIZER },
	.pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .buffer_bytes = BUFFER_BYTES },
	.wake_lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
};

/* No recording at all: the program runs on, the spool says why. */
static void refuse(const char *why)
{
	fprintf(stderr, "warpreel recorder: %s; the program runs unrecorded\n", why);
	writer_meta(&recorder.writer, "error", why);
	writer_loss(&recorder.writer, "not-recorded", 1, why);
	writer_close(&recorder.writer);
}

static bool sleep_until_tick(void)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TICK_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	pthread_mutex_lock(&recorder.wake_lock);
	if (!recorder.stop)
		pthread_cond_timedwait(&recorder.wake, &recorder.wake_lock, &until);
	stop = recorder.stop;
	pthread_mutex_unlock(&recorder.wake_lock);
	return !stop;
}

static void *keep_house(void *unused)
{
	uint64_t flushed_ns = clock_ns(CLOCK_MONOTONIC), clocked_ns = flushed_ns, seen = 0;

	(void)unused;
	pthread_setname_np(pthread_self(), "warpreel");
	recorder.nvml = nvml_open();
	if (recorder.nvml) {
		nvml_write_facts(recorder.nvml);
		nvml_write_clocks(recorder.nvml);
	}
	core_scan();
	while (sleep_until_tick()) {
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC),
			 requested = atomic_load(&recorder.pool.requested);

		notes_drain();
		pool_fill(&recorder.pool, BUFFERS_SPARE);
		if (recorder.flush_ms && requested &&
		    now_ns - flushed_ns >= (uint64_t)recorder.flush_ms * 1000000u) {
			recorder.cupti.cuptiActivityFlushAll(0);
			if (requested != seen) { /* an idle program adds nothing to its spool */
				identity_write_time(SPOOL_TIME_DURING);
				core_scan();
			}
			seen = requested;
			flushed_ns = clock_ns(CLOCK_MONOTONIC);
		}
		if (recorder.nvml && recorder.clock_ms &&
		    now_ns - clocked_ns >= (uint64_t)recorder.clock_ms * 1000000u) {
			nvml_write_clocks(recorder.nvml);
			clocked_ns = now_ns;
		}
	}
	core_scan();
	return NULL;
}

/* The program's signals are for the program's threads. */
static void start_housekeeper(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	recorder.housekeeper_runs =
		pthread_create(&recorder.housekeeper, NULL, keep_house, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_housekeeper(void)
{
	struct timespec until;

	if (!recorder.housekeeper_runs)
		return;
	pthread_mutex_lock(&recorder.wake_lock);
	recorder.stop = true;
	pthread_cond_signal(&recorder.wake);
	pthread_mutex_unlock(&recorder.wake_lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_TIMEOUT_S;
	if (pthread_timedjoin_np(recorder.housekeeper, NULL, &until))
		writer_loss(&recorder.writer, "recorder-stuck", 1,
			    "the housekeeping thread did not end; the last records may be missing");
	else if (recorder.nvml)
		nvml_write_clocks(recorder.nvml);
}

static void report_counts(void)
{
	const struct {
		const char *kind;
		uint64_t count;
		const char *detail;
	} loss[] = {
		{ "dropped-records", atomic_load(&recorder.dropped),
		  "CUPTI had no buffer for them" },
		{ "undecodable-buffers", atomic_load(&recorder.undecodable),
		  "CUPTI could not walk a buffer to its end" },
		{ "unknown-records", atomic_load(&recorder.unknown_kind),
		  "record kinds this recorder does not know" },
		{ "refused-buffers", atomic_load(&recorder.pool.refused),
		  "no memory for an activity buffer" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(loss) / sizeof(loss[0]); i++)
		if (loss[i].count)
			writer_loss(&recorder.writer, loss[i].kind, loss[i].count, loss[i].detail);
	notes_report();
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)atomic_load(&recorder.pool.requested));
	writer_meta(&recorder.writer, "activity_buffers", text);
}

/* What the library of virtual GPUs keeps until a thread hides something again. */
static void flush_virtual(void)
{
	void *found = dlsym(RTLD_DEFAULT, "warpreel_virtual_flush");
	void (*flush)(void);

	memcpy(&flush, &found, sizeof(flush));
	if (found)
		flush();
}

static void at_exit(void)
{
	size_t dropped = 0;

	if (!atomic_load(&recorder.active))
		return;
	stop_housekeeper();
	recorder.cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	if (recorder.cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped) == CUPTI_SUCCESS)
		atomic_fetch_add(&recorder.dropped, dropped);
	flush_virtual();
	notes_drain();
	identity_write_threads();
	report_counts();
	identity_write_time(SPOOL_TIME_END);
	writer_close(&recorder.writer);
}

/* A forked child shares our descriptor but none of our threads, and cannot use its parent's CUDA:
 * it is not recorded. */
static void in_child(void)
{
	atomic_store(&recorder.active, false);
	recorder.writer.fd = -1;
	recorder.housekeeper_runs = false;
}

static int open_spool(void)
{
	const char *base = getenv("WARPREEL_SPOOL");

	if (!base || !*base) {
		fprintf(stderr, "warpreel recorder: WARPREEL_SPOOL does not name a spool; the "
				"program runs unrecorded\n");
		return -1;
	}
	if (!writer_open_new(&recorder.writer, base, (uint32_t)getpid()))
		return 0;
	fprintf(stderr, "warpreel recorder: cannot make %s.%ld: %s; the program runs unrecorded\n",
		base, (long)getpid(), strerror(errno));
	return -1;
}

static pthread_once_t cupti_once = PTHREAD_ONCE_INIT;
static char cupti_problem[256];
static bool cupti_ready;
static atomic_bool nvtx_declined;

static void load_cupti(void)
{
	cupti_ready = cupti_open(&recorder.cupti, cupti_problem, sizeof(cupti_problem)) == 0;
}

static void lose_nvtx(void)
{
	writer_loss(&recorder.writer, "not-recorded", 1,
		    "NVTX ranges: CUPTI 13.0.0 crashes on them, a later 13.x does not");
}

/* On virtual GPUs there is a sentence why a program cannot run on them, in the library that makes
 * them; NULL: it can, or it runs on those there are. */
static const char *virtual_problem(void)
{
	const char *gpus = getenv("WARPREEL_AS_GPUS"), *first = getenv("WARPREEL_VIRTUAL_FIRST"),
		   *shared = getenv("WARPREEL_RANKS");
	void *found;
	const char *(*problem)(void);

	if (!gpus || !*gpus)
		return NULL;
	writer_meta(&recorder.writer, "virtual_gpus", gpus);
	if (first && *first) /* what is in no context of a virtual device is this one's */
		writer_meta(&recorder.writer, "virtual_first", first);
	if (shared && *shared) /* processes of the recording take turns on the one GPU */
		writer_meta(&recorder.writer, "virtual_processes", "in turns");
	/* Writing down what is hidden is hidden itself. */
	writer_meta(&recorder.writer, "virtual_notes", "hidden");
	found = dlsym(RTLD_DEFAULT, "warpreel_virtual_problem");
	memcpy(&problem, &found, sizeof(problem));
	return found ? problem()
		     : "libwarpreel-virtual.so is not in the process (is it a program that drops "
		       "LD_PRELOAD?)";
}

/* What would run now is not what was asked for. */
static void end_program(const char *why)
{
	fprintf(stderr, "warpreel recorder: %s; the program is ended\n", why);
	writer_meta(&recorder.writer, "error", why);
	writer_close(&recorder.writer);
	_exit(1);
}

static void start(void)
{
	const char *profile = getenv("WARPREEL_PROFILE");
	char why[256];

	if (open_spool())
		return;
	recorder.flush_ms = environment_long("WARPREEL_FLUSH_MS", FLUSH_MS, 0, 3600000);
	recorder.clock_ms = environment_long("WARPREEL_CLOCK_MS", 0, 0, 3600000);
	pthread_once(&cupti_once, load_cupti);
	identity_write();
	identity_write_time(SPOOL_TIME_START);
	if (!cupti_ready) {
		refuse(cupti_problem);
		return;
	}
	if (virtual_problem())
		end_program(virtual_problem());
	if (profile && *profile) {
		profile_start(profile);
		return;
	}
	encode_start();
	notes_start();
	pool_fill(&recorder.pool, BUFFERS_AT_START);
	if (enable_start(why, sizeof(why))) {
		atomic_store(&recorder.active, false);
		refuse(why);
		return;
	}
	if (atomic_load(&nvtx_declined)) /* before CUDA started; else it is said when NVTX asks */
		lose_nvtx();
	core_note(true);
	pthread_atfork(NULL, NULL, in_child);
	start_housekeeper();
	if (!recorder.housekeeper_runs)
		writer_loss(&recorder.writer, "not-recorded", 1,
			    "no housekeeping thread: nothing is flushed before the end, no clocks");
	if (atexit(at_exit))
		writer_loss(&recorder.writer, "not-recorded", 1,
			    "no exit handler: the end will be missing");
}

/* Called by the driver inside cuInit. Always answers "fine": a recorder that cannot record must not
 * stop the program. */
EXPORT int InitializeInjection(void);
int InitializeInjection(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
	return 1;
}

/*
 * NVTX (NVTX_INJECTION64_PATH) asks for these; CUPTI has them too, and turns the ranges into marker
 * records. 13.0.0 is left out: its nvtxName* functions crash (github.com/NVIDIA/NVTX/issues/125).
 */
static int forward_nvtx(const char *symbol, void *argument)
{
	int (*initialize)(void *) = NULL;
	void *address;

	pthread_once(&cupti_once, load_cupti);
	if (!cupti_ready)
		return 0;
	if (recorder.cupti.version == 130000) {
		if (!atomic_exchange(&nvtx_declined, true) && atomic_load(&recorder.active))
			lose_nvtx();
		return 0;
	}
	address = cupti_symbol(&recorder.cupti, symbol);
	if (!address)
		return 0;
	memcpy(&initialize, &address, sizeof(address));
	return initialize(argument);
}

EXPORT int InitializeInjectionNvtx2(void *get_export_table);
int InitializeInjectionNvtx2(void *get_export_table)
{
	return forward_nvtx("InitializeInjectionNvtx2", get_export_table);
}

EXPORT int InitializeInjectionNvtx(void *get_export_table);
int InitializeInjectionNvtx(void *get_export_table)
{
	return forward_nvtx("InitializeInjectionNvtx", get_export_table);
}
