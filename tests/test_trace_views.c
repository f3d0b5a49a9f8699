/* SPDX-License-Identifier: MIT
 * Questions to a trace: what it looks like elsewhere, how two differ, when its core loop was.
 */
#include "traces/views/export.h"
#include "traces/views/trace_compare.h"
#include "complete_trace_kit.h"

/* Just enough JSON to know that it is some: returns what follows the value, NULL when it is not
 * one. */
static const char *json(const char *at);

static const char *json_space(const char *at)
{
	return at ? at + strspn(at, " \n\t\r") : NULL;
}

static const char *json_string(const char *at)
{
	if (!at || *at++ != '"')
		return NULL;
	for (; *at && *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			return NULL;
		if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
			return NULL;
	}
	return *at ? at + 1 : NULL;
}

static const char *json_list(const char *at, char end)
{
	at = json_space(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (end == '}') {
			at = json_space(json_string(json_space(at)));
			if (!at || *at++ != ':')
				return NULL;
		}
		at = json_space(json(json_space(at)));
		if (!at || (*at != ',' && *at != end))
			return NULL;
		if (*at++ == end)
			return at;
	}
}

static const char *json(const char *at)
{
	char *end;

	if (*at == '{' || *at == '[')
		return json_list(at, *at == '{' ? '}' : ']');
	if (*at == '"')
		return json_string(at);
	(void)strtod(at, &end);
	return end > at && strchr("-0123456789", *at) ? end : NULL;
}

static void a_chrome_export_is_json_with_threads_streams_and_arrows(void **state)
{
	struct trace t;
	char *text = NULL;
	size_t size;
	FILE *file;

	(void)state;
	trace_init(&t);
	fill_complete(&t);
	t.kernel[0].demangled_name =
		trace_string(&t, "quote\" slash\\ tab\t not utf8 \xff\xc3( \xc3\xa9");
	trace_set_meta(&t, "com\nmand", "x");
	file = open_memstream(&text, &size);
	assert_int_equal(export_chrome(&t, file), 0);
	fclose(file);
	assert_non_null(json(text));
	assert_int_equal(*json_space(json(text)), 0);
	assert_non_null(strstr(text, "quote\\\" slash\\\\ tab\\u0009 not utf8 \\ufffd\\ufffd"));
	assert_non_null(strstr(
		text,
		"\"ts\":0.055,\"dur\":0.395")); /* the run begins at 50 ns, the kernel at 105 */
	assert_non_null(strstr(text, "\"ph\":\"s\""));
	assert_non_null(strstr(text, "\"ph\":\"f\""));
	assert_non_null(strstr(text, "stream 7 (context 1)"));
	assert_non_null(strstr(text, "thread 7"));
	free(text);
	trace_release(&t);
}

static void a_comparison_pairs_names_and_says_the_difference(void **state)
{
	struct trace a, b;
	struct summary first, second;
	struct compare_line *lines;
	size_t count, both = 0, only_b = 0;

	(void)state;
	trace_init(&a);
	trace_init(&b);
	fill_complete(&a);
	fill_complete(&b);
	b.kernel[0].end_ns = 105 + 790;
	*trace_add_memcpy(&b) =
		(struct trace_memcpy){ .start_ns = 800, .end_ns = 1000, .copy_kind = 10 };
	summary_make(&first, &a);
	summary_make(&second, &b);
	count = trace_compare(&first, &second, &lines);
	for (size_t i = 0; i < count; i++) {
		if (!lines[i].a)
			only_b++;
		if (!lines[i].a || lines[i].a->kind != SUMMARY_KERNEL)
			continue;
		both++;
		assert_string_equal(lines[i].b->name, "k");
		assert_true(compare_percent(lines[i].a->total_us, lines[i].b->total_us) > 99.9);
	}
	assert_int_equal(both, 1);
	assert_int_equal(only_b, 1);
	for (size_t i = 0; i < second.line_count; i++)
		if (second.line[i].kind == SUMMARY_BUSY) /* 105..895 and 800..1000: their union */
			assert_true(second.line[i].total_us > 0.894 &&
				    second.line[i].total_us < 0.896);
	free(lines);
	summary_release(&first);
	summary_release(&second);
	trace_release(&a);
	trace_release(&b);
}

static void the_core_loop_is_from_the_last_begin_to_the_last_end(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 0, .end_ns = 1000 };
	for (int i = 0; i < 2; i++) {
		*trace_add_host_op(&t) = (struct trace_host_op){ .start_ns = 10 + i,
								 .end_ns = 10 + i,
								 .global_tid = i,
								 .kind = NOTE_MARK,
								 .object = MARK_CORE_BEGIN };
		*trace_add_host_op(&t) = (struct trace_host_op){ .start_ns = 90 - i,
								 .end_ns = 90 - i,
								 .global_tid = i,
								 .kind = NOTE_MARK,
								 .object = MARK_CORE_END };
	}
	assert_int_equal(trace_core_ns(&t, 0), 79);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chrome_export_is_json_with_threads_streams_and_arrows),
		cmocka_unit_test(a_comparison_pairs_names_and_says_the_difference),
		cmocka_unit_test(the_core_loop_is_from_the_last_begin_to_the_last_end),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
