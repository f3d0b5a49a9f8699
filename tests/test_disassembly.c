/* SPDX-License-Identifier: MIT
 * Listings of nvdisasm and cuobjdump, as they print them and damaged.
 */
#include <stdlib.h>

#include "traces/profiles/disassembly.h"
#include "traces/base/util.h"
#include "support.h"

static const char nvdisasm[] =
	"\t.headerflags\t@\"EF_CUDA_SM90\"\n"
	"\n"
	"//--------------------- .text._Z1kPf     --------------------------\n"
	"\t.section\t.text._Z1kPf,\"ax\",@progbits\n"
	"\t.align\t128\n"
	"        .global         _Z1kPf\n"
	"_Z1kPf:\n"
	".text._Z1kPf:\n"
	"        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */\n"
	"                                                            /* 0x000fe20000000800 */\n"
	".L_x_1:\n"
	"        /*0010*/              @!P2 BRA `(.L_x_0) ;          /* 0x0000002000c8a947 */\n"
	"                                                            /* 0x000fea0003800000 */\n"
	"        /*0020*/                   BRX R2 -0x350   (*\"BRANCH_TARGETS .L_x_0,.L_x_1\"*); "
	"/* 0xfffffffc022c7949 */\n"
	"                                                            /* 0x000fea000383ffff */\n"
	".L_x_0:\n"
	"        /*0030*/                   BRA `(.L_x_1);           /* 0xfffffffc00fc7947 */\n"
	"                                                            /* 0x000fc0000383ffff */\n"
	"        .type           $_Z1kPf$f,@function\n"
	"$_Z1kPf$f:\n"
	"        /*0040*/                   CALL.REL.NOINC `(elsewhere) ; /* 0x0000000800507944 "
	"*/\n"
	"                                                            /* 0x003fea0003c00000 */\n"
	".L_x_9:\n"
	"\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n"
	"\t.section\t.text.second,\"ax\",@progbits\n"
	"second:\n"
	"        /*0000*/                   EXIT ;                   /* 0x000000000000794d */\n"
	"                                                            /* 0x000fea0003800000 */\n";

static const char cuobjdump[] =
	"\n\tcode for sm_90\n"
	"\t\tFunction : _Z1kPf\n"
	"\t.headerflags\t@\"EF_CUDA_SM90\"\n"
	"        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */\n"
	"                                                            /* 0x000fe20000000800 */\n"
	"        /*0010*/              @!P2 BRA 0x30 ;               /* 0x0000002000c8a947 */\n"
	"                                                            /* 0x000fea0003800000 */\n"
	"\t\t..........\n\n\n";

static int read_text(struct disassembly *out, const char *text)
{
	char *copy = xstrdup(text);
	int result = disassembly_read(out, copy, "listing");

	free(copy);
	return result;
}

static void branches_become_offsets_from_the_entry(void **state)
{
	struct disassembly code;
	const struct disassembled_function *k;

	(void)state;
	assert_int_equal(read_text(&code, nvdisasm), 0);
	assert_int_equal(code.function_count, 2);
	k = disassembly_find(&code, "_Z1kPf");
	assert_non_null(k);
	assert_int_equal(k->instruction_count, 5);
	assert_string_equal(k->instruction[0].text, "LDC R1, c[0x0][0x28]");
	assert_string_equal(k->instruction[1].text, "@!P2 BRA 0x30");
	assert_string_equal(k->instruction[2].text, "BRX R2 -0x350");
	assert_string_equal(k->instruction[3].text, "BRA 0x10");
	assert_string_equal(k->instruction[4].text, "CALL.REL.NOINC `(elsewhere)");
	assert_true(k->instruction[1].code[0] == 0x0000002000c8a947 &&
		    k->instruction[1].code[1] == 0x000fea0003800000);
	assert_int_equal(k->instruction[4].offset, 0x40);
	assert_int_equal(disassembled_part(k, "$_Z1kPf$f"), 0x40);
	assert_int_equal(disassembled_part(k, "nothing"), -1);
	assert_int_equal(disassembly_find(&code, "second")->instruction_count, 1);
	assert_null(disassembly_find(&code, "third"));
	disassembly_release(&code);
}

static void the_other_disassembler_is_read_too(void **state)
{
	struct disassembly code;

	(void)state;
	assert_int_equal(read_text(&code, cuobjdump), 0);
	assert_int_equal(code.function_count, 1);
	assert_string_equal(code.function[0].name, "_Z1kPf");
	assert_int_equal(code.function[0].instruction_count, 2);
	assert_string_equal(code.function[0].instruction[1].text, "@!P2 BRA 0x30");
	disassembly_release(&code);
}

static void damage_is_named_by_line(void **state)
{
#define HEAD "\t.section\t.text.k,\"ax\",@progbits\n"
#define FIRST "        /*0000*/ NOP ; /* 0x0000000000007918 */\n"
#define SECOND "                        /* 0x000fc00000000000 */\n"
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ FIRST SECOND,
		  "line 1 of the disassembly: an instruction before the first function" },
		{ HEAD FIRST,
		  "line 2 of the disassembly, function k: half of an encoding is missing" },
		{ HEAD FIRST FIRST,
		  "line 3 of the disassembly, function k: half of an encoding is missing" },
		{ HEAD FIRST SECOND FIRST SECOND,
		  "line 4 of the disassembly, function k: instructions are not 16 bytes apart" },
		{ HEAD "        /*0000*/ NOP ;\n",
		  "line 2 of the disassembly, function k: an instruction without its encoding" },
		{ HEAD "        /*0000*/ NOP ; /* 0x7918 */\n",
		  "line 2 of the disassembly, function k: an instruction without its encoding" },
		{ HEAD "        /*0000*/ ; /* 0x0000000000007918 */\n" SECOND,
		  "line 2 of the disassembly, function k: an instruction without text" },
		{ HEAD "        /*zzzz*/ NOP ; /* 0x0000000000007918 */\n",
		  "line 2 of the disassembly, function k: no offset where an instruction begins" },
	};
	struct disassembly code;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct said said;
		int result;

		said_begin(&said);
		result = read_text(&code, bad[i].text);
		if (!strstr(said_end(&said), bad[i].message) || result != -1)
			fail_msg("%zu: %s", i, said.text);
		disassembly_release(&code);
	}
}

/* Every prefix is read without a word and has the beginning of what the whole has, or is refused by
 * name; none crashes. */
static void a_listing_cut_off_anywhere_is_read_or_refused(void **state)
{
	const size_t whole_length = sizeof(nvdisasm) - 1;
	struct disassembly code, whole;
	size_t refused = 0, most = 0;

	(void)state;
	assert_int_equal(read_text(&whole, nvdisasm), 0);
	for (size_t length = 0; length <= whole_length; length++) {
		char *text = xprintf("%.*s", (int)length, nvdisasm);
		struct said said;
		int result;

		said_begin(&said);
		result = disassembly_read(&code, text, "listing");
		said_end(&said);
		assert_true(result == 0 || result == -1);
		refused += result != 0;
		if ((result != 0) != (strstr(said.text, "listing") != NULL) ||
		    (!result && *said.text))
			fail_msg("cut off at %zu: %d, '%s'", length, result, said.text);
		if (!result) {
			size_t instructions = 0;

			assert_true(code.function_count <= whole.function_count);
			for (size_t f = 0; f < code.function_count; f++) {
				const struct disassembled_function *k = &code.function[f],
								   *of = &whole.function[f];

				assert_true(!strncmp(k->name, of->name, strlen(k->name)));
				assert_true(k->instruction_count <= of->instruction_count);
				for (size_t i = 0; i < k->instruction_count; i++)
					assert_memory_equal(k->instruction[i].code,
							    of->instruction[i].code,
							    sizeof(of->instruction[i].code));
				instructions += k->instruction_count;
			}
			assert_true(instructions >= most); /* more text, no fewer instructions */
			most = instructions;
		}
		disassembly_release(&code);
		free(text);
	}
	assert_int_equal(most, 6);
	assert_true(refused > 300 && refused < whole_length);
	disassembly_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_become_offsets_from_the_entry),
		cmocka_unit_test(the_other_disassembler_is_read_too),
		cmocka_unit_test(damage_is_named_by_line),
		cmocka_unit_test(a_listing_cut_off_anywhere_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
