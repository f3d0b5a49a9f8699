/* SPDX-License-Identifier: MIT */
#include "planned_run.h"

#include "traces/base/util.h"

/*
 * Operations that are played of a long run: enough for what is drawn to even out (the error is
 * estimated, and where it is too large more are played). Runs of up to twice as many are whole.
 * What cannot be left out is held up to MOST_OPERATIONS of 32 bytes.
 */
enum { PLAYED_OPERATIONS = 1 << 18, MOST_OPERATIONS = 1 << 26 };
/* Threads in step wait for the slowest, which takes longer to even out. */
static int64_t played_operations(const struct planned_run *run)
{
	return run->gpus > 1 ? 2 * PLAYED_OPERATIONS : PLAYED_OPERATIONS;
}
/* Calls of a thread in a long run that are drawn as in a short one. */
enum { DRAWN_ALONE = 1024 };
/* A unit is a few exchanges long; launches ahead of a check take 2 x 32 iterations. */
enum { CYCLES_MOST = 64, UNITS_LEAST = 16, PROBED = 32 };
/* Of the units that are played, a window is so many sixteenths: the first eighth settles. */
enum { WINDOW_SIXTEENTHS = 7 };

static int plan(const struct planned_run *run, int64_t iterations, struct schedule *schedule)
{
	schedule_init(schedule);
	return run->program->plan_part(run->solver, run->config, run->gpus, iterations, schedule);
}

/* Whether so many iterations are a unit; -1 after a message. */
static int try_unit(struct planned_run *run, int64_t iterations)
{
	struct schedule shorter = { 0 }, longer = { 0 };
	const int64_t begin = run->iterations % iterations + 4 * iterations;
	int found = -1;
	if (!plan(run, begin + iterations, &shorter) && !plan(run, begin + 2 * iterations, &longer))
		found = schedule_repeat_find(&run->repeat, &shorter, &longer);
	schedule_release(&shorter);
	schedule_release(&longer);
	return found;
}

/* A unit that is no few cycles, such as one that ends with a check of every thousandth iteration:
 * looks for it in a long plan, and tries the iterations that its operations come to. */
static int search_unit(struct planned_run *run, double operations_each)
{
	struct schedule some = { 0 };
	const double most = (double)PLAYED_OPERATIONS / operations_each;
	if (most >= (double)run->iterations)
		return 0;
	int found =
		plan(run, (int64_t)most, &some) ? -1 : schedule_repeat_search(&run->repeat, &some);
	const double unit =
		found > 0 ? (double)run->repeat.unit_operations * most / (double)some.op_count : 0;
	schedule_release(&some);
	for (int64_t by = 0; found > 0 && by < 5; by++) { /* 0, 1, -1, 2, -2 from the nearest */
		run->unit_iterations = (int64_t)(unit + 0.5) + (by & 1 ? by / 2 + 1 : -by / 2);
		if (run->unit_iterations < 1)
			continue;
		schedule_repeat_release(&run->repeat);
		const int now = try_unit(run, run->unit_iterations);
		if (now)
			return now;
	}
	return found < 0 ? -1 : 0;
}

/* Sets repeat and unit_iterations; 0 where nothing repeats. */
static int find_unit(struct planned_run *run, int64_t cycle, double operations_each)
{
	for (int64_t cycles = 1; cycles <= CYCLES_MOST; cycles++) {
		/* Where there are no cycles, such as in passes over one GPU, a unit is anything. */
		const int64_t unit = (cycle < run->iterations ? cycle : 1) * cycles;
		if (6 * unit >= run->iterations ||
		    6 * operations_each * (double)unit > PLAYED_OPERATIONS)
			break;
		const int found = try_unit(run, unit);
		if (found) {
			run->unit_iterations = unit;
			return found;
		}
	}
	return 0;
}

/* Cuts the two shorter ones out of the schedule. */
static void cut(struct planned_run *run, int64_t left_out_units)
{
	struct schedule *s = &run->schedule;
	const int64_t operations = schedule_operations(s);
	for (int k = 0; k < 2; k++)
		schedule_cut(&run->shorter[k], s, &run->repeat, (k + 1) * run->window);
	run->left_out =
		(operations - schedule_operations(&run->shorter[0])) / run->window * left_out_units;
	run->more = (double)left_out_units / (double)run->window;
	run->skips = true;
}

static int plan_whole(struct planned_run *run)
{
	run->played = run->iterations;
	if (plan(run, 0, &run->schedule))
		return -1;
	if (run->operations_asked >= (double)(2 * played_operations(run)))
		run->schedule.drawn_alone = DRAWN_ALONE;
	return 0;
}

/* Plans so many operations of it; the whole run where it is not twice as long. 1: it does not
 * repeat by the unit. */
static int plan_beginning(struct planned_run *run)
{
	const int64_t unit = run->unit_iterations, begin = run->iterations % unit + 4 * unit,
		      wanted = run->operations / run->repeat.unit_operations,
		      units = wanted > UNITS_LEAST ? wanted : UNITS_LEAST;
	run->played = begin + units * unit;
	if (2 * run->played >= run->iterations)
		return plan_whole(run);
	if (plan(run, run->played, &run->schedule))
		return -1;
	run->window = units * WINDOW_SIXTEENTHS / 16;
	/* It is the driver that says what so many iterations are: it may do something else now and
	 * then, which a few of them do not show. */
	if (schedule_repeat_count(&run->repeat, &run->schedule) < 2 * run->window) {
		schedule_release(&run->schedule);
		return 1;
	}
	run->schedule.drawn_alone = DRAWN_ALONE;
	const int64_t left_out = (run->iterations - run->played) / unit;
	schedule_number_as_whole(&run->schedule, &run->repeat, left_out);
	cut(run, left_out);
	return 0;
}

static int too_long(const struct planned_run *run, double operations, bool whole)
{
	return report("%s of %lld iterations is a schedule of %.3g operations, %s: %d can be held",
		      run->solver, (long long)run->iterations, operations,
		      whole ? "all of which -o and --no-skip play" : "which do not repeat evenly",
		      MOST_OPERATIONS);
}

static int make(struct planned_run *run, bool whole)
{
	struct schedule probe;
	int rc = plan(run, PROBED, &probe);
	const double probed = (double)probe.op_count;
	const int64_t cycle = probe.cycle > 0 ? probe.cycle : 1;
	whole = whole ||
		probe.participant_count; /* what is said of operations by number is not cut */
	run->iterations = probe.iterations;
	schedule_release(&probe);
	if (rc)
		return -1;
	const double each = probed / PROBED, all = each * (double)run->iterations;
	run->operations_asked = all;
	if (all < (double)(2 * played_operations(run)) || run->iterations <= 2 * PROBED)
		return plan_whole(run);
	for (int far = 0; !whole && far < 2; far++) {
		schedule_repeat_release(&run->repeat);
		const int found = far ? search_unit(run, each) : find_unit(run, cycle, each);
		rc = found > 0 ? plan_beginning(run) : found < 0 ? -1 : 1;
		if (rc <= 0)
			return rc;
	}
	return all > MOST_OPERATIONS ? too_long(run, all, whole) : plan_whole(run);
}

int planned_run_make(struct planned_run *run, const struct program *program, const char *solver,
		     const char *config, uint32_t gpus, bool whole)
{
	*run = (struct planned_run){
		.program = program, .solver = solver, .config = config, .gpus = gpus
	};
	run->operations = played_operations(run);
	return make(run, whole);
}

/* Cuts so many operations, in whole units, out of the recorded run; false: that is most of it. */
static bool shorten(struct planned_run *run)
{
	const struct schedule_repeat *r = &run->repeat;
	const int64_t wanted = run->operations / r->unit_operations,
		      units = wanted > UNITS_LEAST ? wanted : UNITS_LEAST,
		      left_out = r->count - units;
	if (left_out < units)
		return false;
	schedule_cut(&run->schedule, &run->recorded, r, left_out);
	run->schedule.drawn_alone = DRAWN_ALONE;
	run->window = units * WINDOW_SIXTEENTHS / 16;
	run->iterations = r->count;
	run->played = units;
	cut(run, left_out);
	return true;
}

/* Whatever is left of it. */
static void take_back_recorded(struct planned_run *run)
{
	run->schedule = run->recorded;
	run->recorded = (struct schedule){ 0 };
}

void planned_run_shorten(struct planned_run *run)
{
	run->gpus = run->schedule.gpu_count;
	run->operations = played_operations(run);
	/* What is said of operations by their number is not cut with them. */
	if (run->schedule.nvtx_count || run->schedule.queries_count ||
	    run->schedule.participant_count || run->schedule.op_count < 2 * run->operations ||
	    !schedule_repeat_search(&run->repeat, &run->schedule))
		return;
	run->recorded = run->schedule;
	if (!shorten(run))
		take_back_recorded(run);
}

static void release_schedules(struct planned_run *run)
{
	for (int k = 0; k < 2; k++)
		schedule_cut_release(&run->shorter[k]);
	if (run->recorded.op_count)
		schedule_cut_release(&run->schedule);
	else
		schedule_release(&run->schedule);
	run->skips = false;
	run->left_out = 0;
	run->more = 0;
}

int planned_run_longer(struct planned_run *run)
{
	release_schedules(run);
	run->operations *= 2;
	if (!run->recorded.op_count)
		return plan_beginning(run) <= 0 ? 0 : plan_whole(run);
	if (!shorten(run))
		take_back_recorded(run);
	return 0;
}

void planned_run_release(struct planned_run *run)
{
	release_schedules(run);
	schedule_release(&run->recorded);
	schedule_repeat_release(&run->repeat);
}
