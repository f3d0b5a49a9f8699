/* SPDX-License-Identifier: MIT
 * A platform: what devices, links and host cost, as data with provenance. Text (.ini), written by
 * `warpreel calibrate` or by hand from a data sheet (and then it says so). Every value is reachable
 * by its dotted name, "host.launch_ns", which is also what --set KEY=VALUE takes.
 * docs/warpreel-platform.5 describes every key.
 *
 * Costs named *_ns under [host] are lists over the number of host threads that use their GPUs at
 * once ([host] threads).
 */
#ifndef WARPREEL_PLATFORM_H
#define WARPREEL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/device/sm_device.h"
#include "model/mechanism/mechanism.h"

struct number_list {
	double *value;
	size_t count;
}; /* owned by the platform */

/* y over x, both ascending in x; looked up with curve_at (log-log between points, slope kept beyond
 * the ends). */
struct curve {
	struct number_list x, y;
};

enum {
	HOST_LAUNCH,
	HOST_LAUNCH_IDLE,
	HOST_RECORD,
	HOST_WAIT,
	HOST_WAIT_OWN, /* for an event of the same GPU: loop_host alone */
	HOST_COPY_H2D,
	HOST_COPY_D2H,
	HOST_COPY_PEER,
	HOST_COPY_D2D,
	HOST_MEMSET,
	HOST_SYNC_IDLE,
	HOST_TEXTURE,
	HOST_LIBRARY,
	HOST_SYNC_WAKE,
	HOST_POST,
	HOST_POST_BLOCK,
	HOST_AWAIT_READY,
	HOST_WAKE_SPIN,
	HOST_WAKE_BLOCK,
	HOST_BARRIER,
	HOST_COST_COUNT
};
/* Calls that a shared core makes longer by as much. */
enum shared_sort {
	SHARED_LAUNCH,
	SHARED_EVENT,
	SHARED_COPY,
	SHARED_MEMSET,
	SHARED_PAUSE, /* what the program does between calls; files of before have no such value */
	SHARED_SORTS
};

extern const char *const host_cost_key[HOST_COST_COUNT]; /* "launch_ns", ... */

enum {
	COPY_CURVE_H2D,
	COPY_CURVE_D2H,
	COPY_CURVE_PEER,
	COPY_CURVE_D2D,
	COPY_CURVE_H2D_PAGEABLE,
	COPY_CURVE_D2H_PAGEABLE,
	COPY_CURVE_H2D_2D,
	COPY_CURVE_D2H_2D,
	COPY_CURVE_COUNT
};
extern const char *const copy_curve_section[COPY_CURVE_COUNT]; /* "copy.h2d", ... */

struct platform {
	char *path, *name;   /* owned */
	bool from_datasheet; /* [platform] source = datasheet or extrapolated: not all of it was
				measured */
	char *kernels; /* owned; [platform] kernels: whose kernel profiles serve; NULL = those of
			  `data` */
	char *data;    /* owned; [platform] data: whose recorded profile and intervals serve; NULL =
			  its own */
	int measured_gpus; /* GPU counts beyond this were not measured; 0 = all were */
	/* [device] */
	int sm_count, copy_engines, gpus;
	int copy_channels;   /* of an engine, which streams share by turns; 0: each has its own */
	double memory_bytes; /* of one GPU */
	/* [host] */
	struct number_list threads;
	struct number_list host[HOST_COST_COUNT];	/* ns; same length as threads */
	struct number_list loop_host[HOST_COST_COUNT];	/* the same calls in a loop with others
							   (calibrate_loops.cu); may be empty */
	struct number_list first_host[HOST_COST_COUNT]; /* what the first call of its kind takes
							   more in a thread just made; may be empty
							 */
	struct number_list loop_launch_plain;
	/* A copy right behind another of its direction, over many streams. */
	struct number_list loop_copies_h2d, loop_copies_d2h;
	double slowest_call_ns; /* what the slowest 0.2 % of the calls take more than others */
	/* [peer_exchange]: the calls of threads that exchange from GPU to GPU; may be empty */
	struct number_list peer_exchange[HOST_COST_COUNT], peer_exchange_call_quantiles;
	/* [poll]: when a copy behind a kernel goes on (calibrate_poll.cu); period 0: at once */
	struct {
		double sync_ns, period_ns, polled_ns, least_ns, call_ns;
	} poll;
	/* [doorbell]: what the host's calls hasten; may be 0 */
	struct {
		double silent_exchange_ns, rung_exchange_ns, poll_ns;
	} doorbell;
	double nccl_call_ns; /* host, but for the launch; 0: not known */
	double nccl_step_ns; /* each further step of a ring; 0: not known */
	double interval_below, interval_above, interval_runs; /* [interval]: widths that so many
							      runs on this machine gave; 0: none */
	double nccl_least_ns; /* [nccl]: a collective that moves next to nothing; 0: not known */
	struct number_list thread_quantiles, call_quantiles; /* spread of host costs between threads
								and between calls; may be empty */
	int queue_depth; /* launches the host can be ahead of the device before it blocks */
	/* [stream]: device side */
	double start_latency_ns; /* launch call returned on an idle stream -> kernel starts */
	double copy_start_latency_ns;
	double timed_record_ns;	   /* as record_ns, of an event that keeps the time */
	double record_ns, wait_ns; /* what a record / an already satisfied wait adds between two
				      kernels of a stream */
	double wait_peer_ns; /* the same of a satisfied wait for another GPU's event; 0: as wait_ns
			      */
	double event_same_ns, event_peer_ns; /* event completes on one stream -> a waiting stream of
					    the same / another GPU goes on */
	struct curve kernel_gap; /* duration as the tracer reports it (ns) -> what to add to get the
				    untraced period (ns, may be < 0) */
	/* [copy.*]: bytes -> ns the stream is busy with the copy, engine switches included,
	 * untraced */
	struct curve copy[COPY_CURVE_COUNT];
	/* The same kinds as a host thread meets them when it waits for each (no lists: then copy[]
	 * serves): bytes -> ns */
	struct curve idle[COPY_CURVE_COUNT]; /* stream idle: return of the call to return of the
						synchronisation */
	struct number_list behind[COPY_CURVE_COUNT]; /* over idle[].x: what a copy adds to a kernel
							and the synchronisation after both */
	double row_ns[COPY_CURVE_COUNT]; /* what each row of a copy of rows adds to its bytes' */
	struct number_list behind_copy[COPY_CURVE_COUNT]; /* over idle[].x: what a copy adds to a
							     chain of copies */
	double exchange_ns; /* doorbell.silent_exchange_ns, moved by what its copy and its events
			       were set to */
	/* [share.h2d] [share.d2h]: GPUs at once -> total bytes/s */
	struct curve share_h2d, share_d2h;
	struct curve share_both;   /* [share.both]: the same, each GPU both ways */
	double nvlink_bytes_per_s; /* each GPU, each direction */
	struct curve nccl_share;   /* bytes on a link -> how much of that NCCL's kernels reach; may
				      be empty */
	/* [memory]: footprint of a copy kernel (bytes read + written arrays) -> bytes/s */
	struct curve memory;
	struct mechanism_set mechanisms; /* all zero: all on; platform_leave_out */
	struct sm_device sm; /* [sm]: a GPU from the inside; absent from platforms that only have
				measured kernels */
	/* [tracer]. What of a call's record is the call's own, by what it asks for; the rest is the
	 * recorder's. The same on a core that is shared as on one's own (docs/recorder.md). */
	double launch_part, event_part, copy_part, memset_part; /* 0: not measured */
	struct number_list launch_record; /* ns: on a core of its own, on a shared one */
	double code_load_ns;		  /* what the recorder adds to a process's first launch */
	double outside_ns,		  /* what the recorder takes behind any call's record */
		outside_launch_ns;	  /* and before a launch's */
	struct number_list period,
		traced_period; /* ns of kernels back to back, untraced and traced: pairs */
	double recorded_start_latency_ns; /* return of a launch on an idle stream to the kernel's
					     begin, by the recorder's clock */
	double recorded_wake_ns; /* such a kernel's end to the return of the synchronisation that
				    waits for it, by the recorder's clock; 0: not measured */
	double note_host_op_ns, note_footprint_ns; /* what annotating costs the calling thread */
	double serial_kernel_ns, /* virtual GPUs: what a record adds to a kernel where one is
				    recorded at a time */
		switch_ns;	 /* and to one after another context's; 0: not measured */
	double block_ns;   /* what the recorder adds to a block of a kernel; 0 = never measured */
	double shared_met, /* of a host's shared cores, what running threads meet; 0: all */
		core_additions,		  /* of a core of one's own (core_share.h); 0: not known */
		shared_cores;		  /* asked for, 0 to 1; only if given */
	struct number_list shared_longer; /* by enum shared_sort: what calls take more there */
	double query_ns, traced_query_ns, api_query_ns; /* a query call: untraced, traced, and by
						     its record; 0 = not measured */
	double graph_ns, graph_turn_ns, graph_copy_turn_ns, /* a graph's launch (platform_keys.c) */
		graph_pause_ns, /* what the recorder adds to a pause there; 0 = not measured */
		traced_turn_ns; /* and to a turn of a WHILE node */
	/* Owned: the same values as they were when the finer measurements of this platform were
	 * made (costs.c); NULL in itself. */
	struct platform *base;
	struct platform_entry *entry;
	size_t entry_count, entry_capacity; /* every key as read: private, see platform_text */
};

/*
 * `name_or_path`: a file, or the name of a shipped platform (model/platforms/<name>.ini). -1 after
 * a message that names file, section and key: missing required key, not a number, negative where a
 * cost must not be, lists of unequal length, not ascending.
 */
int platform_read(struct platform *platform, const char *name_or_path);
/* The file of a shipped platform, owned by the caller; NULL = none has that name. */
char *platform_shipped(const char *name);
/* Applies "KEY=VALUE" (dotted key; a list value is separated by spaces or commas; a single number
 * scales nothing, it replaces the whole list). What an edit of the file does, this does: finer
 * measurements of the same thing move along (costs.c). Unknown key: -1 after a message naming near
 * keys. Re-validates. device.dram_gb_per_s and device.l2_gb_per_s are short for the read and the
 * write rate of [sm] together. */
int platform_set(struct platform *platform, const char *assignment);
/* Whether an assignment is to a number that is for the reader: no model looks at it. */
bool platform_set_is_idle(const char *assignment);
/* From now on the models leave out what the set leaves out, inside the device too. */
void platform_leave_out(struct platform *platform, const struct mechanism_set *set);
void platform_release(struct platform *platform);
/* The text of a key as read or set; NULL if absent. */
const char *platform_text(const struct platform *platform, const char *dotted_key);

/* Cost in ns of host call `kind` with `threads` host threads active (linear between the calibrated
 * counts, ends held). */
double platform_host_ns(const struct platform *platform, int kind, int threads);
/* The same from any list over [host] threads; `otherwise` when the list is empty. */
double platform_list_ns(const struct platform *platform, const struct number_list *list,
			int threads, double otherwise);
double curve_at(const struct curve *curve,
		double x); /* log-log; ends extrapolated with the last slope */
double curve_at_linear(const struct curve *curve, double x); /* linear; ends held */

#endif
