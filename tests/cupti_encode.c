/* SPDX-License-Identifier: MIT
 * CUPTI's records into the spool's, as the recorder packs them: with a CUPTI that gives what it is
 * told, so that neither library nor GPU is needed, but its header is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/recorder/recorder.h"
#include "traces/spool/spool_read.h"
#include "traces/base/util.h"

struct recorder recorder;

enum { GET_DEVICE = 1, LAUNCH, LAST_ERROR, PROPERTIES, UNHEARD_OF = 5000 };

static CUptiResult CUPTIAPI name_of(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
	static const char *const runtime[] = { [GET_DEVICE] = "cudaGetDevice_v3020",
					       [LAUNCH] = "cudaLaunchKernel_v7000",
					       [LAST_ERROR] = "cudaGetLastError_v3020",
					       [PROPERTIES] = "cudaGetDeviceProperties_v12000" };

	if (id > PROPERTIES || (domain == CUPTI_CB_DOMAIN_DRIVER_API && id != GET_DEVICE))
		return CUPTI_ERROR_INVALID_PARAMETER;
	*name = domain == CUPTI_CB_DOMAIN_DRIVER_API ? "cuLaunchKernel" : runtime[id];
	return CUPTI_SUCCESS;
}

/* A buffer of ours is an array of calls. */
static CUptiResult CUPTIAPI next_of(uint8_t *buffer, size_t valid_bytes, CUpti_Activity **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + sizeof(CUpti_ActivityAPI) : buffer;

	if (next >= buffer + valid_bytes)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

static void encode(CUpti_ActivityAPI *call, size_t count, struct spool *spool)
{
	char path[] = "/tmp/warpreel-encode-XXXXXX";
	int file = mkstemp(path);

	assert_true(file >= 0);
	close(file);
	unlink(path); /* a spool is a new file */
	memset(&recorder, 0, sizeof(recorder));
	pthread_mutex_init(&recorder.writer.file_lock, NULL);
	pthread_mutex_init(&recorder.writer.string_lock, NULL);
	recorder.cupti.cuptiGetCallbackName = name_of;
	recorder.cupti.cuptiActivityGetNextRecord = next_of;
	recorder.pool.buffer_bytes = 1 << 16;
	assert_int_equal(writer_open(&recorder.writer, path, 77), 0);
	encode_start();
	encode_buffer((uint8_t *)call, count * sizeof(*call));
	writer_close(&recorder.writer);
	assert_int_equal(spool_read(spool, path), 0);
	unlink(path);
	assert_int_equal(recorder.undecodable, 0);
	assert_int_equal(recorder.unknown_kind, 0);
	for (uint32_t id = 1; id < recorder.writer.text_count;
	     id++) /* the recorder keeps all this to the end of the process */
		free(recorder.writer.text[id].text);
	free(recorder.writer.text);
	free(recorder.writer.bucket);
	free(recorder.writer.pending);
	free(recorder.scratch);
	free(recorder.runtime_name);
	free(recorder.driver_name);
	free(recorder.runtime_string);
	free(recorder.driver_string);
	free(recorder.runtime_queries);
}

#define RUNTIME(id, thread, from, to)                                                              \
	{                                                                                          \
		.kind = CUPTI_ACTIVITY_KIND_RUNTIME, .cbid = (id), .threadId = (thread),           \
		.start = (from), .end = (to), .correlationId = (from)                              \
	}
#define DRIVER(id, thread, from, to)                                                               \
	{                                                                                          \
		.kind = CUPTI_ACTIVITY_KIND_DRIVER, .cbid = (id), .threadId = (thread),            \
		.start = (from), .end = (to), .correlationId = (from)                              \
	}

static void calls_that_only_ask_are_one_record_a_row_and_thread(void **state)
{
	CUpti_ActivityAPI call[] = {
		RUNTIME(GET_DEVICE, 5, 10, 20),
		RUNTIME(LAST_ERROR, 5, 30, 35),
		RUNTIME(LAUNCH, 5, 40, 50),
		RUNTIME(GET_DEVICE, 5, 60, 61),
		RUNTIME(GET_DEVICE, 6, 62, 65), /* another thread's between */
		RUNTIME(GET_DEVICE, 5, 70, 72),
		RUNTIME(GET_DEVICE, 5, 90, 80),	 /* no time at all */
		DRIVER(GET_DEVICE, 5, 100, 110), /* the driver's number of that name is another
						    function's */
		RUNTIME(PROPERTIES, 5, 120, 130),
		RUNTIME(UNHEARD_OF, 5, 140, 150),
		RUNTIME(LAST_ERROR, 5, 160, 162),
	};
	static const struct {
		uint32_t tid, calls;
		uint64_t start_ns, end_ns, ns;
	} asked[] = {
		{ 5, 2, 10, 35, 15 }, { 5, 1, 60, 61, 1 },   { 6, 1, 62, 65, 3 },
		{ 5, 2, 70, 80, 2 },  { 5, 1, 160, 162, 2 },
	};
	static const uint32_t kept[] = { 40, 100, 120, 140 };
	struct spool spool;

	(void)state;
	encode(call, sizeof(call) / sizeof(call[0]), &spool);
	assert_int_equal(spool.queries_count, 5);
	for (size_t k = 0; k < 5; k++) {
		assert_int_equal(spool.queries[k].tid, asked[k].tid);
		assert_int_equal(spool.queries[k].calls, asked[k].calls);
		assert_int_equal(spool.queries[k].start_ns, asked[k].start_ns);
		assert_int_equal(spool.queries[k].end_ns, asked[k].end_ns);
		assert_int_equal(spool.queries[k].ns, asked[k].ns);
	}
	assert_int_equal(spool.api_count, 4);
	for (size_t k = 0; k < 4; k++)
		assert_int_equal(spool.api[k].correlation, kept[k]);
	assert_string_equal(spool_text(&spool, spool.api[0].name), "cudaLaunchKernel_v7000");
	assert_string_equal(spool_text(&spool, spool.api[1].name), "cuLaunchKernel");
	assert_string_equal(spool_text(&spool, spool.api[3].name), "");
	assert_true(spool.ended);
	assert_int_equal(spool.bad_records + spool.unknown_records, 0);
	spool_release(&spool);
}

static void a_buffer_of_nothing_but_asking_is_one_record(void **state)
{
	CUpti_ActivityAPI call[300];
	struct spool spool;

	(void)state;
	for (size_t k = 0; k < 300; k++)
		call[k] = (CUpti_ActivityAPI)RUNTIME(GET_DEVICE, 5, (uint32_t)(10 * k + 1),
						     (uint32_t)(10 * k + 4));
	encode(call, 300, &spool);
	assert_int_equal(spool.queries_count, 1);
	assert_int_equal(spool.queries[0].calls, 300);
	assert_int_equal(spool.queries[0].ns, 900);
	assert_int_equal(spool.queries[0].end_ns, 2994);
	assert_int_equal(spool.api_count, 0);
	spool_release(&spool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_only_ask_are_one_record_a_row_and_thread),
		cmocka_unit_test(a_buffer_of_nothing_but_asking_is_one_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
