/* SPDX-License-Identifier: MIT
 * Shared links against the plain algorithm: every flow by itself, all rates found anew from the
 * definition of max-min fairness at every start and end, nothing kept from one to the next.
 */
#include <math.h>

#include "links_kit.h"

enum { FLOWS_MAX = 600, GPUS = 8, LINKS = 3 * GPUS + 2, HOST_UP = 2 * GPUS, HOST_DOWN, MEMORY };

/* What each flow asks of each link, bytes a ps. */
struct plain {
	double asked[FLOWS_MAX][LINKS], capacity[LINKS];
	double left_ps[FLOWS_MAX], rate[FLOWS_MAX];
	bool runs[FLOWS_MAX], fixed[FLOWS_MAX];
};

static void ask_memory(struct plain *plain, uint32_t flow, double own, double most, int gpu,
		       double weight)
{
	if (most > 0 && gpu < GPUS)
		plain->asked[flow][MEMORY + gpu] = own * weight < most ? own * weight : most;
}

static void ask(struct plain *plain, uint32_t flow, const struct start *start, double memory)
{
	const struct schedule_copy *copy = &start->copy;
	double own = own_rate(start);
	int from = copy->source_gpu, to = copy->target_gpu;
	memset(plain->asked[flow], 0, sizeof(plain->asked[flow]));
	switch (copy->kind) {
	case COPY_H2D:
		plain->asked[flow][HOST_DOWN] = own;
		ask_memory(plain, flow, own, memory, to, 1);
		break;
	case COPY_D2H:
		plain->asked[flow][HOST_UP] = own;
		ask_memory(plain, flow, own, memory, from, 1);
		break;
	case COPY_PEER:
		plain->asked[flow][2 * from] = own;
		plain->asked[flow][2 * to + 1] = own;
		ask_memory(plain, flow, own, memory, from, 1);
		ask_memory(plain, flow, own, memory, to, 1);
		break;
	case COPY_D2D:
		ask_memory(plain, flow, own, memory, to, 2);
		break;
	case COPY_KIND_COUNT:
		ask_memory(plain, flow, own, memory, from, 1);
		break;
	default:
		break;
	}
}

/* How much of what is asked of a link by flows that are not fixed yet it can carry, beside the
 * others. */
static double carried(const struct plain *plain, uint32_t count, int link, uint32_t *users)
{
	double asked = 0, left = plain->capacity[link];
	*users = 0;
	for (uint32_t k = 0; k < count; k++) {
		if (!plain->runs[k] || plain->asked[k][link] <= 0)
			continue;
		++*users;
		if (plain->fixed[k])
			left -= plain->asked[k][link] * plain->rate[k];
		else
			asked += plain->asked[k][link];
	}
	return asked > 0 ? left / asked : INFINITY;
}

static void find_rates(struct plain *plain, uint32_t count)
{
	bool overloaded = false;
	uint32_t users;
	for (uint32_t k = 0; k < count; k++) {
		plain->rate[k] = 1;
		plain->fixed[k] = false;
	}
	for (int link = 0; link < LINKS; link++)
		overloaded |= carried(plain, count, link, &users) < 1 - 1e-9 && users > 1;
	while (overloaded) {
		int tightest = -1;
		double share = 1;
		for (int link = 0; link < LINKS; link++) {
			double of_this = carried(plain, count, link, &users);
			if (of_this < share) {
				share = of_this;
				tightest = link;
			}
		}
		if (tightest < 0)
			return;
		for (uint32_t k = 0; k < count; k++)
			if (plain->runs[k] && !plain->fixed[k] && plain->asked[k][tightest] > 0) {
				plain->fixed[k] = true;
				plain->rate[k] = share;
			}
	}
}

static void find_capacities(struct plain *plain, const struct platform *platform, double memory,
			    uint32_t count)
{
	uint32_t up, down;
	for (int link = 0; link < LINKS; link++)
		plain->capacity[link] = link < HOST_UP	? platform->nvlink_bytes_per_s * 1e-12
					: link < MEMORY ? INFINITY
					: memory > 0	? memory
							: INFINITY;
	carried(plain, count, HOST_UP, &up);
	carried(plain, count, HOST_DOWN, &down);
	plain->capacity[HOST_UP] = curve_at_linear(&platform->share_d2h, up) * 1e-12;
	plain->capacity[HOST_DOWN] = curve_at_linear(&platform->share_h2d, down) * 1e-12;
}

/* Ends are whole ps, as those of the simulator are. */
static void play_plainly(const struct platform *platform, double memory, const struct start *start,
			 uint32_t count, double end_ns[])
{
	static struct plain plain;
	uint32_t started = 0, ended = 0;
	double now_ps = 0;
	memset(&plain, 0, sizeof(plain));
	while (ended < count) {
		double next_ps = started < count ? (double)start[started].at_ns * 1000 : INFINITY;
		find_capacities(&plain, platform, memory, started);
		find_rates(&plain, started);
		for (uint32_t k = 0; k < started; k++)
			if (plain.runs[k]) {
				double at = now_ps + ceil(plain.left_ps[k] / plain.rate[k]);
				next_ps = at < next_ps ? at : next_ps;
			}
		for (uint32_t k = 0; k < started; k++) {
			if (!plain.runs[k])
				continue;
			plain.left_ps[k] -= (next_ps - now_ps) * plain.rate[k];
			if (plain.left_ps[k] > 1e-3)
				continue;
			plain.runs[k] = false;
			end_ns[k] = next_ps / 1000;
			ended++;
		}
		now_ps = next_ps;
		for (; started < count && (double)start[started].at_ns * 1000 <= now_ps;
		     started++) {
			sim_time solo_ns = start[started].solo_ns;
			ask(&plain, started, &start[started], memory);
			plain.runs[started] = true;
			plain.left_ps[started] =
				(double)(solo_ns ? solo_ns : start[started].copy.bytes) * 1000;
		}
	}
}

static struct start random_flow(sim_time at_ns, bool memory)
{
	static const uint8_t kinds[] = { COPY_PEER, COPY_PEER, COPY_PEER,      COPY_H2D,
					 COPY_D2H,  COPY_D2D,  COPY_KIND_COUNT };
	uint8_t kind = kinds[rand() % (memory ? 7 : 5)];
	int from = rand() % GPUS, to = (from + 1 + rand() % (GPUS - 1)) % GPUS;
	struct start start = { at_ns,
			       { .kind = kind,
				 .source_gpu = (uint16_t)from,
				 .target_gpu = (uint16_t)to,
				 .bytes = 100 + rand() % 5000,
				 .rows = 1 },
			       0 };
	start.solo_ns = start.copy.bytes / (1 + rand() % 3) + rand() % 50;
	return start;
}

/* Rounding apart: a time off by a ps moves others by as much, times how often that goes on. */
static void compare(const struct platform *platform, double memory, const struct start *start,
		    uint32_t count)
{
	static double end[FLOWS_MAX], plain_end[FLOWS_MAX];
	run_flows(platform, memory * 1e12, start, count, end, NULL);
	play_plainly(platform, memory, start, count, plain_end);
	for (uint32_t k = 0; k < count; k++)
		if (fabs(end[k] - plain_end[k]) > 0.02 + 1e-9 * plain_end[k])
			fail_msg("flow %u of %u ends at %.3f ns, plainly at %.3f", k, count, end[k],
				 plain_end[k]);
}

static void random_flows_end_when_the_plain_algorithm_says(void **state)
{
	static struct start start[FLOWS_MAX];
	(void)state;
	struct platform platform;
	platform_of(&platform, "free");
	set(&platform, "share.h2d.bytes_per_s", 2.5e9);
	set(&platform, "share.d2h.bytes_per_s", 1.7e9);
	srand(11);
	for (int round = 0; round < 300; round++) {
		uint32_t count = 1 + (uint32_t)rand() % 40;
		bool memory = round % 3 == 0;
		sim_time at_ns = 0;
		for (uint32_t k = 0; k < count; k++) {
			start[k] = random_flow(at_ns, memory);
			at_ns += rand() % 3 ? rand() % 700 : 0;
		}
		compare(&platform, memory ? 0.004 : 0, start, count);
	}
	platform_release(&platform);
}

static void so_do_512_flows_at_once(void **state)
{
	static struct start start[512];
	(void)state;
	struct platform platform;
	platform_of(&platform, "free");
	srand(12);
	for (uint32_t k = 0; k < 512; k++)
		start[k] = random_flow(k / 16, true);
	compare(&platform, 0.004, start, 512);
	platform_release(&platform);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_flows_end_when_the_plain_algorithm_says),
		cmocka_unit_test(so_do_512_flows_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
