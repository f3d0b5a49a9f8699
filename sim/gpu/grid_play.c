/* SPDX-License-Identifier: MIT */
#include "grid_play.h"

#include <math.h>
#include <string.h>

static struct sm_job job_of(const struct sm_device *device, int sm_count,
			    const struct grid_launch *launch, int resident, int64_t blocks)
{
	const double dispatch_ns = mechanism_on(&device->mechanisms, MECHANISM_BLOCK_DISPATCH)
					   ? device->block_dispatch_ns
					   : 0;
	return (struct sm_job){
		.program = launch->program,
		.blocks = blocks,
		.resident = resident,
		.every_cycles = dispatch_ns * 1e-3 * device->clock_mhz *
				(double)(launch->blocks < sm_count ? launch->blocks : sm_count),
		.l2_miss_share = launch->traffic.l2_miss_share,
		.dram_write_share = launch->traffic.dram_write_share,
		.l1_scale = launch->traffic.l1_scale,
		.work_scale = launch->traffic.work_scale,
	};
}

/* What a warp asks of DRAM, added up over launches on the same multiprocessor. */
struct asked {
	double reads, writes, excess_reads, excess_writes;
};

static void ask(struct asked *asked, const struct grid_launch *launch, double weight)
{
	const struct warp_program *p = launch->program;
	const struct traffic *t = &launch->traffic;
	weight *= t->work_scale > 0 ? t->work_scale : 1;
	double reads = p->l2_read_bytes * (t->l1_scale > 0 ? t->l1_scale : 1) * t->l2_miss_share *
		       weight,
	       writes = p->l2_write_bytes * t->dram_write_share * weight;
	asked->reads += reads;
	asked->writes += writes;
	asked->excess_reads += reads * (t->over_read > 1 ? t->over_read : 1);
	asked->excess_writes += writes * (t->over_write > 1 ? t->over_write : 1);
}

static double share(double part, double rest)
{
	return part + rest > 0 ? part / (part + rest) : 0;
}

static double sharers_of(const struct grid_launch *launch, int sm_count)
{
	if (launch->sharers > 0)
		return launch->sharers;
	return (double)launch->blocks / (double)((launch->blocks + sm_count - 1) / sm_count);
}

/* All multiprocessors that begin want the same lines at once. */
static double constant_cold(const struct sm_device *device, int sm_count, int64_t blocks)
{
	if (!mechanism_on(&device->mechanisms, MECHANISM_COLD_PARAMETERS))
		return 0;
	double others = sm_count > 1 ? (double)((blocks < sm_count ? blocks : sm_count) - 1) /
					       (sm_count - 1)
				     : 0;
	return device->constant_alone_cycles +
	       others * (device->constant_cold_cycles - device->constant_alone_cycles);
}

/* Blocks that wait for each other stay in step. */
static double skew_of(const struct sm_device *device, const struct grid_launch *launch)
{
	return mechanism_on(&device->mechanisms, MECHANISM_SM_SKEW) && !launch->program->polls
		       ? device->skew_share
		       : 0;
}

int grid_play(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
	      int resident, int64_t blocks, const struct grid_place *place, struct sm_run *run,
	      struct sm_snapshot **snapshot)
{
	struct sm_job job[2] = { job_of(device, sm_count, launch, resident, blocks) };
	if (place->at_rim) {
		job[0].program = launch->kinds.within;
		job[0].rim = launch->kinds.rim;
		job[0].at_rim = place->at_rim;
	}
	struct asked asked = { 0 };
	ask(&asked, launch, 1);
	struct sm_setup setup = {
		.device = device,
		.job = job,
		.job_count = 1,
		.memory = {
			.skew = skew_of(device, launch),
			.sharers = sharers_of(launch, sm_count),
			.traffic = launch->traffic,
			.dram_read_share = share(asked.reads, asked.writes),
			.background_dram_bytes_per_s = launch->background_dram_bytes_per_s,
		},
		.code_bytes = launch->code_bytes,
		.constant_cold_cycles = constant_cold(device, sm_count, launch->blocks),
		.chance_first = (uint32_t)(place->sm * blocks),
		.turn_first = place->turn,
		.duration_only = launch->duration_only,
	};
	if (place->visits_most)
		memcpy(setup.visits_most, place->visits_most, sizeof(setup.visits_most));
	if (launch->beside) {
		const struct grid_launch *other = launch->beside;
		struct sm_memory_setup *memory = &setup.memory;
		double sharers = sharers_of(other, sm_count);
		setup.job_first = launch->beside_first;
		job[setup.job_count++] =
			job_of(device, sm_count, other, launch->beside_resident, -1);
		/* by instruction: both have their turn */
		ask(&asked, other,
		    other->program->instructions > 0
			    ? launch->program->instructions / other->program->instructions
			    : 1);
		memory->sharers = sharers > memory->sharers ? sharers : memory->sharers;
		memory->dram_read_share = share(asked.reads, asked.writes);
		memory->traffic.over_read = asked.reads > 0 ? asked.excess_reads / asked.reads : 1;
		memory->traffic.over_write =
			asked.writes > 0 ? asked.excess_writes / asked.writes : 1;
		if (!(launch->traffic.atomic_lines > 0))
			memory->traffic.atomic_lines = other->traffic.atomic_lines;
	}
	return snapshot ? sm_engine_begin(&setup, run, snapshot) : sm_engine_run(&setup, run);
}

/* A round ends at the mean of its blocks' ends. */
static double round_end(const struct sm_run *run, int resident, int64_t round)
{
	double end = 0;
	for (int64_t k = 0; k < resident; k++)
		end += run->block_end[round * resident + k] / resident;
	return end;
}

/* From the second round of resident blocks to the last but one. A line through single ends would
 * come out flatter where blocks end in bursts. Rounds are not independent, a long one is followed
 * by a short one: their error is from the means of BATCHES parts (batch means: Conway 1963). */
double grid_pace(const struct sm_run *run, int resident, double *error)
{
	enum { BATCHES = 4 };
	int64_t n = run->block_count / resident - 3;
	double squares = 0;
	*error = 0;
	if (n < 1)
		return run->cycles / (double)run->block_count;
	double first = round_end(run, resident, 1),
	       mean = (round_end(run, resident, n + 1) - first) / (double)n;
	for (int64_t k = 0; k < BATCHES && n >= BATCHES; k++) {
		int64_t from = n * k / BATCHES, to = n * (k + 1) / BATCHES;
		double off =
			(round_end(run, resident, 1 + to) - round_end(run, resident, 1 + from)) /
				(double)(to - from) -
			mean;
		squares += off * off;
	}
	*error = mean > 0 ? sqrt(squares / (BATCHES * (BATCHES - 1))) / mean : 0;
	return mean / resident;
}
