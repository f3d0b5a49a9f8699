/* SPDX-License-Identifier: MIT
 * `warpreel record -o FOLDER/` of programs of several processes. There is no GPU: the processes are
 * this program, which hands what a CUPTI of its own says to the recorder's encoder and writer.
 */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/standin/standin_activities.h"
#include "traces/format/trace_folder.h"
#include "traces/load/schedule_from_trace.h"
#include "traces/recorder/recorder.h"

struct recorder recorder;

enum { ITERATIONS = 20, US = 1000 };

/* ---- a process of the run ---- */

static CUptiResult CUPTIAPI timestamp(uint64_t *ns)
{
	*ns = clock_ns(CLOCK_REALTIME);
	return CUPTI_SUCCESS;
}

static void launch(union activity **at, uint32_t number, const char *name, uint64_t call_ns,
		   uint64_t start_ns, uint64_t end_ns)
{
	(*at)++->call = (CUpti_ActivityAPI){ .kind = CUPTI_ACTIVITY_KIND_RUNTIME,
					     .cbid = LAUNCH,
					     .processId = (uint32_t)getpid(),
					     .threadId = (uint32_t)getpid(),
					     .start = call_ns,
					     .end = call_ns + 2 * US,
					     .correlationId = number };
	CUpti_ActivityKernel10 *kernel = &(*at)++->kernel;
	kernel->kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	kernel->name = name;
	kernel->start = start_ns;
	kernel->end = end_ns;
	kernel->gridX = kernel->gridY = kernel->gridZ = 1;
	kernel->blockX = kernel->blockY = kernel->blockZ = 32;
	kernel->contextId = kernel->streamId = 1;
	kernel->correlationId = number;
}

/* Its GPU, which it calls 0 as every process with CUDA_VISIBLE_DEVICES does. */
static void write_gpu(uint32_t rank)
{
	struct spool_device device = { .type = SPOOL_TYPE_device,
				       .size = sizeof(device),
				       .name = writer_string(&recorder.writer, "small"),
				       .uuid = { (uint8_t)(rank + 1) } };
	struct spool_gpu gpu = { .type = SPOOL_TYPE_gpu,
				 .size = sizeof(gpu),
				 .index = rank,
				 .uuid = { (uint8_t)(rank + 1) } };
	char bus[32];

	snprintf(bus, sizeof(bus), "00000000:00:0%u.0", 6 + rank);
	gpu.bus = writer_string(&recorder.writer, bus);
	writer_append(&recorder.writer, SPOOL_RECORDS, &device, sizeof(device), NULL, 0);
	writer_append(&recorder.writer, SPOOL_RECORDS, &gpu, sizeof(gpu), NULL, 0);
}

static void begin_rank(uint32_t rank)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", rank);
	setenv("RANK", text, 1);
	memset(&recorder, 0, sizeof(recorder));
	pthread_mutex_init(&recorder.writer.file_lock, NULL);
	pthread_mutex_init(&recorder.writer.string_lock, NULL);
	recorder.cupti.version = 130001;
	recorder.cupti.cuptiGetCallbackName = name_of;
	recorder.cupti.cuptiActivityGetNextRecord = next_of;
	recorder.cupti.cuptiGetTimestamp = timestamp;
	recorder.pool.buffer_bytes = 1 << 16;
	if (writer_open_new(&recorder.writer, getenv("WARPREEL_SPOOL"), (uint32_t)getpid()))
		_exit(3);
	identity_write();
	identity_write_time(SPOOL_TIME_START);
	write_gpu(rank);
}

/* Each iteration a kernel, of 10 us and 10 more for each rank, and an all-reduce that begins 1 us
 * later and ends with that of the others; all of it half a second after the program began. */
static void end_rank(uint32_t rank, uint64_t epoch_ns)
{
	union activity *activity = calloc(4 * ITERATIONS, sizeof(*activity)), *at = activity;

	for (uint32_t k = 0; activity && k < ITERATIONS; k++) {
		const uint64_t t = epoch_ns + 500000 * US + 100 * US * (uint64_t)k,
			       worked = t + 15 * US + 10 * US * rank;

		launch(&at, 2 * k + 1, "work", t, t + 5 * US, worked);
		launch(&at, 2 * k + 2, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", t + 3 * US,
		       worked + US, t + 40 * US);
	}
	encode_start();
	encode_buffer((uint8_t *)activity, 4 * ITERATIONS * sizeof(*activity));
	identity_write_time(SPOOL_TIME_END);
	writer_close(&recorder.writer);
	free(activity);
}

static int be_rank(uint32_t rank, uint64_t epoch_ns)
{
	begin_rank(rank);
	end_rank(rank, epoch_ns);
	return 0;
}

static int run_forks(uint64_t epoch_ns)
{
	int status = 0, worst = 0;

	for (uint32_t rank = 0; rank < 2; rank++)
		if (!fork())
			_exit(be_rank(rank, epoch_ns));
	while (wait(&status) > 0)
		worst |= status;
	return worst ? 1 : 0;
}

/* The second outlives the first, which is the command. */
static int run_background(uint64_t epoch_ns)
{
	int ends[2];
	char opened;

	if (pipe(ends))
		return 1;
	if (!fork()) {
		begin_rank(1);
		if (write(ends[1], "o", 1) != 1)
			_exit(1);
		nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
		end_rank(1, epoch_ns);
		_exit(0);
	}
	if (read(ends[0], &opened, 1) != 1)
		return 1;
	return be_rank(0, epoch_ns);
}

/* One process id, two programs. */
static int run_exec(const char *self, uint64_t epoch_ns)
{
	char epoch[32];

	be_rank(0, epoch_ns);
	snprintf(epoch, sizeof(epoch), "%llu", (unsigned long long)epoch_ns);
	execl(self, self, "rank", "1", epoch, (char *)NULL);
	return 1;
}

/* ---- tests ---- */

static char self[PATH_MAX], warpreel[PATH_MAX + 16];

static char *scratch(void)
{
	char *folder = xstrdup("/tmp/warpreel-processes-XXXXXX");

	assert_non_null(mkdtemp(folder));
	return folder;
}

static int call(const char *format, const char *a, const char *b)
{
	char *arguments = xprintf(format, a, b), *command = xprintf("%s %s", warpreel, arguments);
	const int status = system(command);

	free(arguments);
	free(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int record(const char *folder, const char *how)
{
	char *command = xprintf("%s %s", self, how);
	char *options = xprintf("record -o %s/run/ --recorder %s", folder, self);
	const int code = call("%s -- %s 2>/dev/null", options, command);

	free(options);
	free(command);
	return code;
}

static int64_t losses(const char *folder)
{
	struct trace trace;
	int64_t count;

	trace_init(&trace);
	assert_int_equal(trace_open(&trace, folder, 0), 0);
	count = trace_losses(&trace, "no-end");
	trace_release(&trace);
	return count;
}

static void remove_all(char *folder)
{
	char *command = xprintf("rm -r %s", folder);

	assert_int_equal(system(command), 0);
	free(command);
	free(folder);
}

/* How many files of the folder have the text in their names. */
static int files(const char *folder, const char *text)
{
	DIR *list = opendir(folder);
	int count = 0;

	assert_non_null(list);
	for (struct dirent *entry; (entry = readdir(list));)
		count += strstr(entry->d_name, text) != NULL;
	closedir(list);
	return count;
}

static void each_rank_leaves_a_file_and_all_are_one_run(void **state)
{
	char *folder = scratch(), *run = xprintf("%s/run", folder);
	struct trace trace;
	struct schedule schedule;
	bool on_gpu[2] = { false };

	(void)state;
	assert_int_equal(record(folder, "forks"), 0);
	assert_int_equal(files(run, "rank0."), 1);
	assert_int_equal(files(run, "rank1."), 1);
	assert_int_equal(files(run, "."), 4); /* and . and .. */
	trace_init(&trace);
	assert_int_equal(trace_open(&trace, run, 0), 0);
	assert_int_equal(trace.gpu_count, 2);
	assert_int_equal(trace.kernel_count, 4 * ITERATIONS);
	for (size_t i = 0; i < trace.kernel_count; i++)
		on_gpu[trace.kernel[i].device] = true;
	assert_true(on_gpu[0] && on_gpu[1]);
	schedule_init(&schedule);
	assert_int_equal(schedule_from_trace(&schedule, &trace, -1), 0);
	assert_int_equal(schedule.processes, 2);
	assert_int_equal(schedule.collective_count, ITERATIONS);
	assert_int_equal(schedule.without_partners, 0);
	for (uint32_t c = 0; c < schedule.collective_count; c++)
		assert_int_equal(schedule.collective[c].work_ps, 14000000);
	schedule_release(&schedule);
	trace_release(&trace);
	assert_int_equal(call("check %s%s >/dev/null 2>&1", run, ""), 0);
	assert_int_equal(call("replay %s --allow-extrapolation%s >/dev/null 2>&1", run, ""), 0);
	free(run);
	remove_all(folder);
}

static void a_program_that_calls_exec_keeps_what_the_first_one_left(void **state)
{
	char *folder = scratch(), *run = xprintf("%s/run", folder);

	(void)state;
	assert_int_equal(record(folder, "exec"), 0);
	assert_int_equal(files(run, "rank0."), 1);
	assert_int_equal(files(run, "rank1."), 1);
	assert_int_equal(files(run, "-2.wrt.zst"), 1);
	assert_int_equal(losses(run), 0);
	free(run);
	remove_all(folder);
}

static void a_process_that_outlives_the_command_is_waited_for(void **state)
{
	char *folder = scratch(), *run = xprintf("%s/run", folder);

	(void)state;
	assert_int_equal(record(folder, "background"), 0);
	assert_int_equal(files(run, ".wrt.zst"), 2);
	assert_int_equal(losses(run), 0);
	free(run);
	remove_all(folder);
}

static void a_folder_holds_one_run(void **state)
{
	char *folder = scratch(), *run = xprintf("%s/run", folder);

	(void)state;
	assert_int_equal(record(folder, "forks"), 0);
	assert_int_equal(record(folder, "forks"), 1);
	assert_int_equal(files(run, ".wrt.zst"), 2);
	free(run);
	remove_all(folder);
}

static void one_file_gets_the_others_beside_it(void **state)
{
	char *folder = scratch(), *output = xprintf("%s/a.wrt", folder),
	     *command = xprintf("record -o %s --recorder %s", output, self);

	(void)state;
	assert_int_equal(call("%s -- %s forks 2>/dev/null", command, self), 0);
	assert_int_equal(files(folder, "a.wrt"), 1);
	assert_int_equal(files(folder, ".wrt"), 2);
	free(command);
	free(output);
	remove_all(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rank_leaves_a_file_and_all_are_one_run),
		cmocka_unit_test(a_program_that_calls_exec_keeps_what_the_first_one_left),
		cmocka_unit_test(a_process_that_outlives_the_command_is_waited_for),
		cmocka_unit_test(a_folder_holds_one_run),
		cmocka_unit_test(one_file_gets_the_others_beside_it),
	};
	const uint64_t epoch_ns = clock_ns(CLOCK_REALTIME);
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return 2;
	self[length] = 0;
	if (argc == 4 && !strcmp(argv[1], "rank"))
		return be_rank((uint32_t)atoi(argv[2]), strtoull(argv[3], NULL, 10));
	if (argc == 2 && !strcmp(argv[1], "forks"))
		return run_forks(epoch_ns);
	if (argc == 2 && !strcmp(argv[1], "background"))
		return run_background(epoch_ns);
	if (argc == 2 && !strcmp(argv[1], "exec"))
		return run_exec(self, epoch_ns);
	/* build/tests/cupti_processes beside build/warpreel */
	snprintf(warpreel, sizeof(warpreel), "%s", self);
	*strrchr(warpreel, '/') = 0;
	strcpy(strrchr(warpreel, '/'), "/warpreel");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
