/* SPDX-License-Identifier: MIT
 * [sm] <class>_interval and <class>_latency of what computes: one warp in a chain where each
 * operation needs the one before, and 32 warps (8 a sub-partition) with independent chains. The
 * operations are assembly, chosen so that the assembler cannot fold two into one; what they became
 * is checked with cuobjdump -sass.
 */
#include "calibrate_sm.h"

#include <stdlib.h>
#include <string.h>

#define START(value)                                                                               \
	static_cast<uint32_t>(threadIdx.x * 2654435761u + 12345u * (value) + arguments.zero)

struct op_base {
	uint32_t x[8], a, b, c, d;
	enum { streams = 8 };
	__device__ void start(const struct probe_arguments &arguments)
	{
#pragma unroll
		for (uint32_t k = 0; k < streams; k++)
			x[k] = START(k);
		a = START(11), b = START(12), c = START(13), d = START(14);
	}
	__device__ void round(int)
	{
	}
	__device__ bool used() const
	{
		uint32_t all = a ^ b ^ c ^ d;
#pragma unroll
		for (int k = 0; k < streams; k++)
			all = all * 31 + x[k];
		return all == 0x12345678u;
	}
};

struct op_fp32 : op_base { /* FFMA, FADD */
	__device__ void step(int k, int i)
	{
		if (i % 2)
			asm volatile("add.rn.f32 %0, %0, %1;" : "+r"(x[k]) : "r"(a));
		else
			asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(b), "r"(c));
	}
};

struct op_imad : op_base {
	__device__ void step(int k, int)
	{
		asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(a), "r"(b));
	}
};

struct op_integer : op_base { /* LOP3, with operands in turn: the same twice would be one */
	__device__ void step(int k, int i)
	{
		asm volatile("lop3.b32 %0, %0, %1, %2, 0xd2;"
			     : "+r"(x[k])
			     : "r"(i % 2 ? a : b), "r"(i % 2 ? c : d));
	}
};

/*
 * Registers lie in two banks, each of which gives one a cycle; three operands come in time only as
 * long as the scheduler stays with one warp, whose last operands are kept. What is to run at a
 * cycle an instruction therefore reads one register and constants in the code.
 */
static __device__ void fp32_narrow(uint32_t &x, int i)
{
	if (i % 2)
		asm volatile("add.rn.f32 %0, %0, 0f3F800001;" : "+r"(x));
	else
		asm volatile("mul.rn.f32 %0, %0, 0f3F800003;" : "+r"(x));
}

static __device__ void integer_narrow(uint32_t &x, int i)
{
	if (i % 2)
		asm volatile("xor.b32 %0, %0, 0x12345677;" : "+r"(x));
	else
		asm volatile("min.u32 %0, %0, 0x7edcba95;" : "+r"(x));
}

struct op_fp32_narrow : op_base { /* FADD, FMUL */
	__device__ void step(int k, int i)
	{
		fp32_narrow(x[k], i);
	}
};

struct op_ffma_narrow : op_base { /* FFMA, twice the same register */
	__device__ void step(int k, int)
	{
		asm volatile("fma.rn.f32 %0, %0, 0f3F800001, %0;" : "+r"(x[k]));
	}
};

/* One chain of `EVERY` is of integers: two pipes, so that only the issue limits. */
template <int EVERY> struct op_mixed : op_base { /* FADD, FMUL; LOP3, VIMNMX */
	__device__ void step(int k, int i)
	{
		if (k % EVERY)
			fp32_narrow(x[k], i);
		else
			integer_narrow(x[k], i);
	}
};

struct op_half : op_base { /* HFMA2 */
	__device__ void step(int k, int)
	{
		asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(a), "r"(b));
	}
};

struct op_convert : op_base { /* F2I, read as a float again */
	__device__ void step(int k, int)
	{
		asm volatile("cvt.rzi.s32.f32 %0, %0;" : "+r"(x[k]));
	}
};

struct op_special : op_base { /* MUFU.EX2, MUFU.RSQ */
	__device__ void step(int k, int i)
	{
		if (i % 2)
			asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+r"(x[k]));
		else
			asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+r"(x[k]));
	}
};

struct op_special_register : op_base { /* S2R guarded by what came before: S2R and ISETP */
	__device__ void step(int k, int)
	{
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, %1; @p mov.u32 %0, %%smid; }"
			     : "+r"(x[k])
			     : "r"(a));
	}
};

struct op_compare : op_base { /* the same with a move: ISETP and a guarded MOV */
	__device__ void step(int k, int)
	{
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, %1; @p add.u32 %0, %0, %2; }"
			     : "+r"(x[k])
			     : "r"(a), "r"(b));
	}
};

struct op_fp64 { /* DFMA, twice the same pair of registers: it reads one; three take the ports of
		    the banks longer than the pipe */
	double x[8];
	enum { streams = 8 };
	__device__ void start(const struct probe_arguments &arguments)
	{
#pragma unroll
		for (uint32_t k = 0; k < streams; k++)
			x[k] = START(k);
	}
	__device__ void round(int)
	{
	}
	__device__ void step(int k, int)
	{
		asm volatile("fma.rn.f64 %0, %0, 0d3FE0000000000000, %0;" : "+d"(x[k]));
	}
	__device__ bool used() const
	{
		return x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] == 0.1234;
	}
};

/* FP64 that reads so many pairs of registers, and two FADD or FMUL that read a register each. */
template <int PAIRS> struct op_fp64_beside {
	double x[8], a[4], b[4];
	uint32_t y[8];
	enum { streams = 8 };
	__device__ void start(const struct probe_arguments &arguments)
	{
#pragma unroll
		for (uint32_t k = 0; k < streams; k++)
			x[k] = y[k] = START(k);
#pragma unroll
		for (uint32_t k = 0; k < 4;
		     k++) /* in turn, so that none is kept from one to the next */
			a[k] = START(20 + k), b[k] = START(30 + k);
	}
	__device__ void round(int)
	{
	}
	__device__ void step(int k, int i)
	{
		if (PAIRS == 1)
			asm volatile("fma.rn.f64 %0, %0, 0d3FE0000000000000, %0;" : "+d"(x[k]));
		else if (PAIRS == 2)
			asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x[k]) : "d"(a[k % 4]));
		else
			asm volatile("fma.rn.f64 %0, %1, %2, %0;"
				     : "+d"(x[k])
				     : "d"(a[k % 4]), "d"(b[k % 4]));
		fp32_narrow(y[k], i);
		fp32_narrow(y[(k + 1) % 8], i + 1);
	}
	__device__ bool used() const
	{
		double all = 0;
#pragma unroll
		for (int k = 0; k < streams; k++)
			all += x[k] + y[k];
		return all == 0.1234;
	}
};

struct op_tensor { /* HMMA.16816.F32 */
	float x[4][4];
	uint32_t a[4], b[2];
	enum { streams = 4 };
	__device__ void start(const struct probe_arguments &arguments)
	{
#pragma unroll
		for (uint32_t k = 0; k < streams; k++)
#pragma unroll
			for (uint32_t j = 0; j < 4; j++)
				x[k][j] = START(k + j), a[j] = arguments.zero + j,
				b[j % 2] = arguments.zero;
	}
	__device__ void round(int)
	{
	}
	__device__ void step(int k, int)
	{
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
			     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
			     : "+f"(x[k][0]), "+f"(x[k][1]), "+f"(x[k][2]), "+f"(x[k][3])
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	}
	__device__ bool used() const
	{
		float all = 0;
#pragma unroll
		for (int k = 0; k < streams; k++)
			all += x[k][0] + x[k][1] + x[k][2] + x[k][3];
		return all == 0.1234f;
	}
};

struct op_tensor_fp64 { /* DMMA.884 */
	double x[4][2], a, b;
	enum { streams = 4 };
	__device__ void start(const struct probe_arguments &arguments)
	{
#pragma unroll
		for (uint32_t k = 0; k < streams; k++)
			x[k][0] = x[k][1] = START(k);
		a = b = (double)arguments.zero;
	}
	__device__ void round(int)
	{
	}
	__device__ void step(int k, int)
	{
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, "
			     "{%0,%1};"
			     : "+d"(x[k][0]), "+d"(x[k][1])
			     : "d"(a), "d"(b));
	}
	__device__ bool used() const
	{
		double all = 0;
#pragma unroll
		for (int k = 0; k < streams; k++)
			all += x[k][0] + x[k][1];
		return all == 0.1234;
	}
};

/* Only the loop: UIADD3 of the counter, ISETP that needs it, BRA that needs that; without the FFMA
 * it would be none. */
struct op_loop : op_base {
	__device__ void round(int)
	{
		asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+r"(x[0]) : "r"(b), "r"(c));
	}
	__device__ void step(int, int)
	{
	}
};

static const double PIPE_MOST = 2.5; /* cycles: of a pipe beside which ports can be told */
enum { FULL_THREADS = 1024, SUB_PARTITIONS = 4, ROUNDS = 64 };

#define LATENCY(key, op, n)                                                                        \
	{                                                                                          \
		key, PROBE_KERNELS(op, n, true), 32, 1, ROUNDS, 1, 1, false, NULL                  \
	}
#define INTERVAL(key, op, n)                                                                       \
	{                                                                                          \
		key, PROBE_KERNELS(op, n, false), FULL_THREADS, 1, ROUNDS, 1,                      \
			FULL_THREADS / 32.0 / SUB_PARTITIONS, false, NULL                          \
	}

static const struct {
	const char *class_name, *operations;
	struct probe latency, interval;
} pipes[] = {
	{ "imad", "IMAD", LATENCY("sm.imad_latency", op_imad, 32),
	  INTERVAL("sm.imad_interval", op_imad, 32) },
	{ "integer", "LOP3", LATENCY("sm.integer_latency", op_integer, 32),
	  INTERVAL("sm.integer_interval", op_integer, 32) },
	{ "fp64", "DFMA, twice the same registers", LATENCY("sm.fp64_latency", op_fp64, 32),
	  INTERVAL("sm.fp64_interval", op_fp64, 32) },
	{ "half", "HFMA2", LATENCY("sm.half_latency", op_half, 32),
	  INTERVAL("sm.half_interval", op_half, 32) },
	{ "convert", "F2I", LATENCY("sm.convert_latency", op_convert, 32),
	  INTERVAL("sm.convert_interval", op_convert, 32) },
	{ "special", "MUFU.RSQ and MUFU.EX2 in turn", LATENCY("sm.special_latency", op_special, 32),
	  INTERVAL("sm.special_interval", op_special, 32) },
	{ "tensor", "HMMA.16816.F32", LATENCY("sm.tensor_latency", op_tensor, 16),
	  INTERVAL("sm.tensor_interval", op_tensor, 16) },
	{ "tensor_fp64", "DMMA.884", LATENCY("sm.tensor_fp64_latency", op_tensor_fp64, 16),
	  INTERVAL("sm.tensor_fp64_interval", op_tensor_fp64, 16) },
};

/* The least of several medians, for mixes that differ in what else may limit them. */
static int least_of(struct sm_bench *sm, const struct probe *mix, size_t count,
		    struct measured *least)
{
	for (size_t i = 0; i < count; i++) {
		struct measured measured;
		if (probe_measure(sm, mix[i], &measured))
			return -1;
		if (!i || measured.value < least->value)
			*least = measured;
	}
	return 0;
}

static int measure_issue(struct sm_bench *sm, double *fp32_latency)
{
	const struct probe fp32[] = { INTERVAL("sm.fp32_interval", op_fp32_narrow, 64),
				      INTERVAL("sm.fp32_interval", op_ffma_narrow, 64) };
	const struct probe issue[] = { INTERVAL("sm.issue_interval", op_mixed<2>, 64),
				       INTERVAL("sm.issue_interval", op_mixed<4>, 64),
				       INTERVAL("sm.issue_interval", op_mixed<8>, 64), fp32[0],
				       fp32[1] };
	const struct probe chain = LATENCY("sm.fp32_latency", op_fp32, 32);
	struct measured measured;
	if (least_of(sm, issue, sizeof(issue) / sizeof(issue[0]), &measured))
		return -1;
	sm_emit(sm, "issue_interval", &measured, 1,
		"FADD and FMUL, of eight chains none, one, two or four LOP3 and VIMNMX, and FFMA; "
		"each reads one register; 32 warps, cycles of a "
		"sub-partition; the least of these five");
	if (least_of(sm, fp32, sizeof(fp32) / sizeof(fp32[0]), &measured))
		return -1;
	sm_emit(sm, "fp32_interval", &measured, 1,
		"FADD and FMUL in turn, or FFMA; each reads one register; 32 warps with 8 chains "
		"each, cycles of a sub-partition; the lesser");
	if (probe_measure(sm, chain, &measured))
		return -1;
	sm_emit(sm, "fp32_latency", &measured, 1,
		"FFMA and FADD in turn, one warp, each needs the one before; bodies of 2n less n");
	*fp32_latency = measured.value;
	return 0;
}

static int measure_pipes(struct sm_bench *sm, double *integer_latency, double *fp64_interval)
{
	for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
		struct measured latency, interval;
		char *name = xprintf("%s_latency", pipes[i].class_name),
		     *other = xprintf("%s_interval", pipes[i].class_name);
		char *how = xprintf("%s, one warp, each needs the one before; bodies of 2n less n",
				    pipes[i].operations);
		char *other_how = xprintf(
			"%s, 32 warps with %d chains each, cycles of a sub-partition",
			pipes[i].operations, i + 1 == sizeof(pipes) / sizeof(pipes[0]) ? 4 : 8);
		int rc = probe_measure(sm, pipes[i].latency, &latency) ||
					 probe_measure(sm, pipes[i].interval, &interval)
				 ? -1
				 : 0;
		if (!rc) {
			sm_emit(sm, name, &latency, 1, how);
			sm_emit(sm, other, &interval, 1, other_how);
		}
		free(name), free(other), free(how), free(other_how);
		if (rc)
			return -1;
		if (!strcmp(pipes[i].class_name, "integer"))
			*integer_latency = latency.value;
		if (!strcmp(pipes[i].class_name, "fp64"))
			*fp64_interval = interval.value;
	}
	return 0;
}

/*
 * Their registers come by the ports that those of the others come by. Not where the pipe is so slow
 * that two others fit in beside it whatever it reads: what is measured would be the pipe.
 */
static int measure_fp64_ports(struct sm_bench *sm, double fp64_interval)
{
	static const struct {
		const char *name, *operation;
		struct probe probe;
	} ports[] = {
		{ "fp64_pair_cycles", "DFMA, twice the same registers,",
		  INTERVAL("sm.fp64_pair_cycles", op_fp64_beside<1>, 16) },
		{ "fp64_two_pairs_cycles", "DADD of two pairs",
		  INTERVAL("sm.fp64_two_pairs_cycles", op_fp64_beside<2>, 16) },
		{ "fp64_three_pairs_cycles", "DFMA of three pairs",
		  INTERVAL("sm.fp64_three_pairs_cycles", op_fp64_beside<3>, 16) },
	};
	struct measured measured;
	for (size_t k = 0; fp64_interval <= PIPE_MOST && k < sizeof(ports) / sizeof(ports[0]);
	     k++) {
		if (probe_measure(sm, ports[k].probe, &measured))
			return -1;
		measured.value = fmax(measured.value - 2, 1);
		char *how = xprintf("%s and two FADD or FMUL, 32 warps with 8 chains each, cycles "
				    "of a sub-partition; less 2",
				    ports[k].operation);
		sm_emit(sm, ports[k].name, &measured, 1, how);
		free(how);
	}
	return 0;
}

/* S2R comes with the comparison that guards it, which a guarded addition tells apart. */
static int measure_special_register(struct sm_bench *sm)
{
	const struct probe both = LATENCY("sm.special_register_latency", op_special_register, 16);
	const struct probe compare = LATENCY("sm.special_register_latency", op_compare, 16);
	const struct probe integer = LATENCY("sm.special_register_latency", op_integer, 32);
	const struct probe full = INTERVAL("sm.special_register_interval", op_special_register, 16);
	struct measured whole, less, addition, interval;
	if (probe_measure(sm, both, &whole) || probe_measure(sm, compare, &less) ||
	    probe_measure(sm, integer, &addition) || probe_measure(sm, full, &interval))
		return -1;
	whole.value += addition.value - less.value;
	whole.spread += less.spread;
	sm_emit(sm, "special_register_latency", &whole, 1,
		"S2R guarded by a comparison with its last value, one warp, less the same with an "
		"IADD3, plus integer_latency");
	sm_emit(sm, "special_register_interval", &interval, 1,
		"the same pair, 32 warps with 8 chains each, cycles of a sub-partition");
	return 0;
}

/*
 * The end of a round: counter (UIADD3), comparison, branch. With one warp the first two hide in a
 * chain of FFMA; without the chain they follow each other. The assembler moves nothing else through
 * the uniform datapath when asked, so this is all that is seen of it.
 */
static int measure_loop(struct sm_bench *sm, double fp32_latency, double integer_latency)
{
	struct probe one = LATENCY("sm.control_latency", op_fp32, 8),
		     full = INTERVAL("sm.control_interval", op_fp32, 8);
	struct probe bare = LATENCY("sm.uniform_latency", op_loop, 0),
		     bare_full = INTERVAL("sm.uniform_interval", op_loop, 0);
	struct measured latency, interval, round, rounds;
	one.intercept = full.intercept = bare.intercept = bare_full.intercept = true;
	one.rounds = full.rounds = bare.rounds = bare_full.rounds = 1024;
	if (probe_measure(sm, one, &latency) || probe_measure(sm, full, &interval) ||
	    probe_measure(sm, bare, &round) || probe_measure(sm, bare_full, &rounds))
		return -1;
	latency.value = fmax(latency.value + fp32_latency - 1, 1);
	interval.value = fmax(interval.value - 2, 1);
	round.value = fmax(round.value - integer_latency - latency.value, 1);
	rounds.value = fmax(rounds.value - 3, 1);
	sm_emit(sm, "control_latency", &latency, 1,
		"taken branch at the end of a loop: what a round of a chain of FFMA takes beyond "
		"its links, plus fp32_latency less one issue");
	sm_emit(sm, "control_interval", &interval, 1,
		"the same with 32 warps, less the issues of counter and comparison, at least 1");
	sm_emit(sm, "uniform_latency", &round, 1,
		"UIADD3 of a loop's counter: a round of a loop of one FFMA, one warp, less "
		"integer_latency and control_latency, at least 1");
	sm_emit(sm, "uniform_interval", &rounds, 1,
		"the same with 32 warps, cycles of a sub-partition less three issues, at least 1");
	return 0;
}

int calibrate_sm_pipes(struct sm_bench *sm)
{
	double fp32_latency = 0, integer_latency = 0, fp64_interval = 0;
	bench_progress(sm->bench, "sm pipes");
	return measure_issue(sm, &fp32_latency) ||
			       measure_pipes(sm, &integer_latency, &fp64_interval) ||
			       measure_fp64_ports(sm, fp64_interval) ||
			       measure_special_register(sm) ||
			       measure_loop(sm, fp32_latency, integer_latency)
		       ? -1
		       : 0;
}
