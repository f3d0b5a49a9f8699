/* SPDX-License-Identifier: MIT
 * Machine code: control bits, classes and operands of real instructions (tests/corpus/sass.txt says
 * where they come from).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traces/profiles/sass.h"

static struct sass_instruction decode(const char *text, uint64_t low, uint64_t high,
				      uint32_t offset)
{
	const uint64_t code[2] = { low, high };
	struct sass_instruction in;

	sass_decode(&in, text, code, offset);
	return in;
}

static struct sass_instruction text_only(const char *text)
{
	return decode(text, 0, 0, 0);
}

static void control_bits_are_where_the_encoding_has_them(void **state)
{
	static const struct {
		const char *text;
		uint64_t low, high;
		struct sass_control control;
	} cases[] = {
		/* a load raises scoreboard 2, its consumer waits for it and raises 0 until its
		   operands are read */
		{ "LDG.E.64 R8, desc[UR6][R10.64]",
		  0x060a087981,
		  0x000ea2000c1e1b00,
		  { 1, false, 2, 7, 0 } },
		{ "STG.E.64 desc[UR6][R2.64], R8",
		  0x0802007986,
		  0x0041d8000c101b06,
		  { 12, true, 7, 0, 4 } },
		{ "S2R R6, SR_CTAID.X", 0x67919, 0x000e220000002500, { 1, false, 0, 7, 0 } },
		{ "FADD R10, R7, R10", 0x0a070a7221, 0x001fc40000000000, { 2, true, 7, 7, 1 } },
		{ "MUFU.RCP R10, R10", 0x0a000a7308, 0x001e240000001000, { 2, false, 0, 7, 1 } },
		{ "BRA 0x480", 0xfffffffc00fc7947, 0x000fc0000383ffff, { 0, true, 7, 7, 0 } },
		{ "@!P1 FSETP.GEU.AND P1, PT, |R0|.reuse, 1, PT",
		  0x8000000000780b,
		  0x040fe20003f2e200,
		  { 1, false, 7, 7, 0 } },
		{ "LDGSTS.E.BYPASS.128 [R11], desc[UR6][R2.64]",
		  0x020b7fae,
		  0x0003e6000b901c46,
		  { 3, false, 7, 1, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sass_instruction in =
			decode(cases[i].text, cases[i].low, cases[i].high, 0);
		const struct sass_control *c = &in.control, *want = &cases[i].control;

		if (c->stall != want->stall || c->yield != want->yield ||
		    c->write_barrier != want->write_barrier ||
		    c->read_barrier != want->read_barrier || c->wait_mask != want->wait_mask)
			fail_msg("%s: stall %d yield %d write %d read %d wait %x", cases[i].text,
				 c->stall, c->yield, c->write_barrier, c->read_barrier,
				 c->wait_mask);
	}
}

static void parameters_are_read_from_constant_bank_0(void **state)
{
	static const struct {
		const char *text;
		int32_t constant;
	} cases[] = {
		{ "LDC R1, c[0x0][0x28]", 0x28 },
		{ "@!P0 ULDC.64 UR4, c[0x0][0x210]", 0x210 },
		{ "IMAD R3, R3, c[0x0][0x24c], R2", 0x24c },
		{ "LDG.E R0, desc[UR4][R2.64]", -1 },
		{ "LDC R2, c[0x3][R4]", -1 },
		{ "LDC R2, c[0x0][R4+0x210]", -1 },
		{ "LDC R2, c[0x0][0x10210]", 0x210 },
		{ "NOP ; /* c[0x0][0x210] */", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (decode(cases[i].text, 0, 0, 0).constant != cases[i].constant)
			fail_msg("%s: %d", cases[i].text,
				 (int)decode(cases[i].text, 0, 0, 0).constant);
}

static void classes_follow_the_pipe_and_not_the_name(void **state)
{
	static const struct {
		const char *text;
		enum sass_class class;
	} cases[] = {
		{ "IMAD.WIDE R2, R6, 0x2, RZ", SASS_FP32 },
		{ "IMAD.MOV.U32 R1, RZ, RZ, R2", SASS_FP32 },
		{ "VIADD R0, R0, UR4", SASS_FP32 },
		{ "IADD3 R1, R2, R3, RZ", SASS_INTEGER },
		{ "FSEL R51, R10, R8, !P3", SASS_INTEGER },
		{ "FSETP.GT.AND P0, PT, R17, RZ, PT", SASS_INTEGER },
		{ "FMNMX R2, R0, R5, !PT", SASS_INTEGER },
		{ "I2FP.F32.S32 R13, R2", SASS_INTEGER },
		{ "I2F.F64 R16, R16", SASS_CONVERT },
		{ "POPC R26, R15", SASS_SPECIAL },
		{ "MUFU.RCP64H R25, R3", SASS_SPECIAL },
		{ "DSETP.GT.AND P0, PT, |R4|, 1, PT", SASS_FP64 },
		{ "HFMA2.MMA R38, -RZ, RZ, 0, 0", SASS_HALF },
		{ "UIADD3 UR4, UR8, -0x1, URZ", SASS_UNIFORM },
		{ "ULDC UR5, c[0x0][0x0]", SASS_CONSTANT },
		{ "LDL R3, [R16+-0x4]", SASS_GLOBAL_LOAD },
		{ "ATOMS.ADD RZ, [UR7], R2", SASS_SHARED_ATOMIC },
		{ "REDG.E.ADD.STRONG.GPU desc[UR8][R6.64], R19", SASS_ATOMIC },
		{ "LDGSTS.E [R15+0xe10], desc[UR6][R4.64]", SASS_ASYNC_COPY },
		{ "HMMA.16816.F32 R8, R4.reuse, R8, RZ", SASS_TENSOR },
		{ "DMMA.8x8x4 R4, R2, R8, R4", SASS_TENSOR_FP64 },
		{ "MEMBAR.SC.GPU", SASS_FENCE },
		{ "VOTE.ANY R0, PT, !P0", SASS_SHUFFLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sass_instruction in = text_only(cases[i].text);

		if (!in.known || in.class != cases[i].class)
			fail_msg("%s: %s%s", cases[i].text, sass_class_name[in.class],
				 in.known ? "" : ", unknown");
	}
}

static void operands_are_registers_read_and_written(void **state)
{
	static const struct {
		const char *text;
		int destination, count, source[4], bytes;
	} cases[] = {
		{ "LDG.E.128.CONSTANT R8, desc[UR4][R4.64]", 8, 4, { 4, 5, -1, -1 }, 16 },
		{ "LDG.E.LTC128B.64 R8, desc[UR4][R4.64+0x10]", 8, 2, { 4, 5, -1, -1 }, 8 },
		{ "LDG.E.U8 R10, desc[UR4][R8.64]", 10, 1, { 8, 9, -1, -1 }, 1 },
		{ "STG.E.U16 desc[UR4][R14.64], R17", -1, 0, { 14, 17, 15, -1 }, 2 },
		{ "ATOMG.E.CAS.64.STRONG.GPU PT, R8, [R12], R8, R10", 8, 2, { 12, 8, 10, -1 }, 8 },
		{ "ATOMS.CAS R4, [R8], R4, R5", 4, 1, { 8, 4, 5, -1 }, 4 },
		{ "LDSM.16.M88.4 R4, [R10]", 4, 4, { 10, -1, -1, -1 }, 16 },
		{ "STSM.16.M88.2 [R10], R4", -1, 0, { 10, 4, -1, -1 }, 8 },
		{ "LDC.64 R48, c[0x0][0x218]", 48, 2, { -1, -1, -1, -1 }, 8 },
		{ "DFMA R8, -R22, UR4, R4", 8, 2, { 22, 4, 23, 5 }, 0 },
		{ "DSETP.GEU.AND P4, PT, R4, RZ, PT", -1, 0, { 4, 5, -1, -1 }, 0 },
		{ "IMAD.WIDE.U32 R4, R10, UR4, R6", 4, 2, { 10, 6, -1, -1 }, 0 },
		{ "LEA.HI R7, P0, R11, R10, RZ, 0x1", 7, 1, { 11, 10, -1, -1 }, 0 },
		{ "SHFL.IDX PT, R6, R51, R48, 0x1f", 6, 1, { 51, 48, -1, -1 }, 0 },
		{ "F2I.F64 R20, R20", 20, 1, { 20, -1, -1, -1 }, 0 },
		{ "F2I.S64.TRUNC R10, R10", 10, 2, { 10, -1, -1, -1 }, 0 },
		{ "F2F.F64.F32 R12, R12", 12, 2, { 12, -1, -1, -1 }, 0 },
		{ "F2F.F32.F64 R7, UR6", 7, 1, { -1, -1, -1, -1 }, 0 },
		{ "CS2R R12, SRZ", 12, 2, { -1, -1, -1, -1 }, 0 },
		{ "CS2R.32 R3, SR_CLOCKLO", 3, 1, { -1, -1, -1, -1 }, 0 },
		{ "TEX.LL RZ, R7, R6, R15, UR4, 0x0, 2D, 0x1", 7, 2, { 6, 15, -1, -1 }, 4 },
		{ "@!P0 IADD3 RZ, R1, R1.reuse, -R255 ; /* a comment with R9 */",
		  -1,
		  0,
		  { 1, -1, -1, -1 },
		  0 },
		{ "BMOV.32.CLEAR R16, B6", 16, 1, { -1, -1, -1, -1 }, 0 },
		{ "FFMA R4, R3, -1.5707962512969970703, R0 &wr=0x1 ?trans2 &req={R9}",
		  4,
		  1,
		  { 3, 0, -1, -1 },
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sass_instruction in = text_only(cases[i].text);
		bool sources = true;

		for (int k = 0; k < 4; k++)
			sources &= in.source[k] == cases[i].source[k];
		if (in.destination != cases[i].destination ||
		    in.destination_count != cases[i].count || !sources ||
		    in.access_bytes != cases[i].bytes)
			fail_msg("%s: R%d + %d from R%d R%d R%d R%d, %d bytes", cases[i].text,
				 in.destination, in.destination_count, in.source[0], in.source[1],
				 in.source[2], in.source[3], in.access_bytes);
	}
}

/* Whatever stands between them: constants and uniform registers take a place, too. */
static void what_arithmetic_reads_is_in_the_order_of_the_text(void **state)
{
	static const struct {
		const char *text;
		struct sass_operand operand[3];
	} cases[] = {
		{ "DFMA R8, R2.reuse, UR6, R4",
		  { { 2, true, true }, { 4, true, false }, { -1, false, false } } },
		{ "DFMA R8, R8, R8, -R10.reuse",
		  { { 8, true, false }, { 10, true, true }, { -1, false, false } } },
		{ "DADD R6, |R4|.reuse, R6",
		  { { 4, true, true }, { 6, true, false }, { -1, false, false } } },
		{ "FFMA R4, R3, -1.5, R0.reuse",
		  { { 3, false, false }, { 0, false, true }, { -1, false, false } } },
		{ "MOV R4, 0x3",
		  { { -1, false, false }, { -1, false, false }, { -1, false, false } } },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sass_instruction in = text_only(cases[i].text);
		for (int k = 0; k < 3; k++) {
			const struct sass_operand *got = &in.operand[k],
						  *want = &cases[i].operand[k];
			if (got->reg != want->reg || got->pair != want->pair ||
			    got->reuse != want->reuse)
				fail_msg("%s: operand %d is R%d%s%s", cases[i].text, k, got->reg,
					 got->pair ? ", a pair" : "", got->reuse ? ", kept" : "");
		}
	}
}

static void branches_say_where_they_go(void **state)
{
	static const struct {
		const char *text, *labelled;
		uint64_t low, high;
		uint32_t offset, target;
	} cases[] = {
		{ "BRA 0x480", "BRA `(.L_x_1)", 0xfffffffc00fc7947, 0x000fc0000383ffff, 0x480,
		  0x480 },
		{ "CALL.REL.NOINC 0x1380", "CALL.REL.NOINC `($k$sqrt)", 0xc00bc7944,
		  0x000fea0003c00000, 0x480, 0x1380 },
		{ "BRA.DIV UR7, 0x4950", "BRA.DIV UR7, `(.L_x_9)", 0x4207547947, 0x000fec000b800000,
		  0x7f0, 0x4950 },
		{ "RET.REL.NODEC R8 0x0", "RET.REL.NODEC R8 `(k)", 0xffffffe408d07950,
		  0x000fec0003c3ffff, 0x18b0, SASS_TARGET_UNKNOWN },
		{ "BRX R2 -0xe30", "BRX R2 -0xe30", 0xfffffff002747949, 0x000fea000383ffff, 0xe20,
		  SASS_TARGET_UNKNOWN },
		{ "CALL.ABS.NOINC R2", "CALL.ABS.NOINC R2", 0x2007343, 0x003fea0003c00000, 0,
		  SASS_TARGET_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sass_instruction in =
			decode(cases[i].text, cases[i].low, cases[i].high, cases[i].offset);

		assert_true(in.is_branch);
		assert_int_equal(in.target, cases[i].target);
		assert_int_equal(
			decode(cases[i].labelled, cases[i].low, cases[i].high, cases[i].offset)
				.target,
			cases[i].target);
	}
	assert_false(text_only("BSSY B0, 0x3f0").is_branch);
	assert_true(text_only("@P0 EXIT").is_exit);
	assert_false(text_only("@P0 EXIT").is_branch);
}

static void guards_count_unless_they_are_always_true(void **state)
{
	(void)state;
	assert_true(text_only("@!P0 EXIT").predicated);
	assert_true(text_only("@UP1 UMOV UR4, UR5").predicated);
	assert_false(text_only("@PT EXIT").predicated);
	assert_false(text_only("FADD R1, R2, R3").predicated);
}

static void a_barrier_meets_the_block_unless_it_only_arrives(void **state)
{
	(void)state;
	assert_true(text_only("BAR.SYNC.DEFER_BLOCKING 0x0").is_barrier);
	assert_true(text_only("BAR.RED.POPC.DEFER_BLOCKING 0x0, P0").is_barrier);
	assert_false(text_only("BAR.ARV 0x1, 0x40").is_barrier);
	assert_int_equal(text_only("BAR.ARV 0x1, 0x40").class, SASS_BARRIER);
}

static void depbar_names_a_scoreboard_and_how_far_down(void **state)
{
	struct sass_instruction in =
		decode("DEPBAR.LE SB5, 0x1", 0xd0400000791a, 0x000fc80000000000, 0);

	(void)state;
	assert_int_equal(in.depbar_scoreboard, 5);
	assert_int_equal(in.depbar_count, 1);
	assert_int_equal(in.control.wait_mask, 0);
	in = text_only("DEPBAR.LE SB0, 0x2, {4,3}");
	assert_int_equal(in.depbar_scoreboard, 0);
	assert_int_equal(in.depbar_count, 2);
	assert_int_equal(in.control.wait_mask, 0x18);
	assert_int_equal(text_only("LDGDEPBAR").depbar_scoreboard, -1);
}

static void an_unknown_opcode_takes_the_slowest_class_of_its_shape(void **state)
{
	static const struct {
		const char *text;
		enum sass_class class;
	} cases[] = {
		{ "LDQ.E.64 R4, desc[UR4][R2.64]", SASS_ATOMIC },
		{ "LDGX.64 R4, [R2]", SASS_GLOBAL_LOAD },
		{ "STX desc[UR4][R2.64], R4", SASS_GLOBAL_STORE },
		{ "QXYZ R4, [R2+0x10]", SASS_ATOMIC },
		{ "QXYZ R4, R2, c[0x0][0x210]", SASS_SPECIAL },
		{ "DQUX R4, R6", SASS_FP64 },
		{ "HQUX R4, R6", SASS_HALF },
		{ "XMMA.8 R4, R6", SASS_TENSOR },
		{ "UQUX UR4, UR5", SASS_UNIFORM },
		{ "UQUX [UR4], UR5", SASS_ASYNC_COPY },
		{ "", SASS_SPECIAL },
		{ "@P0", SASS_SPECIAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sass_instruction in = text_only(cases[i].text);

		assert_false(in.known);
		if (in.class != cases[i].class)
			fail_msg("%s: %s", cases[i].text, sass_class_name[in.class]);
	}
}

static void every_form_of_the_corpus_is_known_and_plausible(void **state)
{
	FILE *file = fopen("tests/corpus/sass.txt", "r");
	char line[512];
	int forms = 0, loads = 0, loads_waited_for = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct sass_instruction in;
		uint64_t low, high;
		uint32_t offset;
		int text;

		line[strcspn(line, "\n")] = 0;
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %n", &offset,
					&low, &high, &text),
				 3);
		in = decode(line + text, low, high, offset);
		forms++;
		if (!in.known)
			fail_msg("unknown: %s", line + text);
		if (in.control.write_barrier == 6 || in.control.read_barrier == 6)
			fail_msg("there are six scoreboards: %s", line + text);
		if ((in.class == SASS_GLOBAL_LOAD || in.class == SASS_SHARED_LOAD) && ++loads)
			loads_waited_for += in.control.write_barrier < 6;
		/* a result after a fixed number of cycles needs no scoreboard */
		if ((in.class == SASS_FP32 || in.class == SASS_INTEGER || in.class == SASS_HALF) &&
		    in.control.write_barrier != 7)
			fail_msg("a scoreboard on %s", line + text);
	}
	fclose(file);
	assert_in_range(forms, 300, 400);
	assert_true(loads_waited_for * 10 >=
		    loads * 8); /* one of a row of loads carries it for all */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_bits_are_where_the_encoding_has_them),
		cmocka_unit_test(parameters_are_read_from_constant_bank_0),
		cmocka_unit_test(classes_follow_the_pipe_and_not_the_name),
		cmocka_unit_test(operands_are_registers_read_and_written),
		cmocka_unit_test(what_arithmetic_reads_is_in_the_order_of_the_text),
		cmocka_unit_test(branches_say_where_they_go),
		cmocka_unit_test(guards_count_unless_they_are_always_true),
		cmocka_unit_test(a_barrier_meets_the_block_unless_it_only_arrives),
		cmocka_unit_test(depbar_names_a_scoreboard_and_how_far_down),
		cmocka_unit_test(an_unknown_opcode_takes_the_slowest_class_of_its_shape),
		cmocka_unit_test(every_form_of_the_corpus_is_known_and_plausible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
