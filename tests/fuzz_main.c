/* SPDX-License-Identifier: MIT
 * Runs a fuzz target over files, so that a corpus is also an ordinary test: each file as it is, cut
 * short at sixteen places, and with bytes changed by a fixed random sequence. Where libFuzzer is,
 * `clang -fsanitize=fuzzer` takes the target without this file.
 *
 *   fuzz_x [-r ROUNDS] FILE...      ROUNDS changed copies of each file (default 64)
 *
 * Nothing is compared: the target aborts, or a sanitizer does, when something is wrong. Its
 * messages go to /dev/null.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 16, SECONDS_PER_FILE = 120 };

/* xorshift64* (Vigna 2016): the same changes on every machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

static void change(uint8_t *bytes, size_t size, uint64_t *state)
{
	static const uint8_t telling[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', '=', '-' };
	size_t count = 1 + next_random(state) % 8;

	for (size_t k = 0; k < count && size; k++) {
		uint64_t random = next_random(state);
		size_t at = (random >> 8) % size;

		/* Headers steer parsers: half of the changes go to the first hundred bytes. */
		if (random & 1)
			at %= 100 < size ? 100 : size;
		bytes[at] = random & 2 ? telling[(random >> 40) % sizeof(telling)]
				       : (uint8_t)(random >> 48);
	}
}

static void try_copy(const uint8_t *bytes, size_t size)
{
	/* Its own allocation, as long as the input and no longer: reading past the end shows. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

/* In a child: whatever the target does, the next file gets its turn. */
static void run_file(const uint8_t *bytes, size_t size, int rounds)
{
	uint64_t state = 0x9e3779b97f4a7c15u;
	uint8_t *changed = malloc(size ? size : 1);

	if (!changed)
		abort();
	try_copy(bytes, size);
	for (size_t cut = 0; cut < CUTS; cut++)
		try_copy(bytes, size * cut / CUTS);
	for (int round = 0; round < rounds; round++) {
		memcpy(changed, bytes, size);
		change(changed, size, &state);
		try_copy(changed, size);
	}
	free(changed);
}

static uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long length = -1;

	if (file && !fseek(file, 0, SEEK_END))
		length = ftell(file);
	if (length >= 0 && (bytes = malloc((size_t)length + 1))) {
		rewind(file);
		*size = fread(bytes, 1, (size_t)length, file);
	}
	if (file)
		fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	int first = 1, rounds = 64, failed = 0;

	if (argc > 2 && !strcmp(argv[1], "-r")) {
		rounds = atoi(argv[2]);
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		size_t size = 0;
		uint8_t *bytes = read_whole(argv[i], &size);
		int status = 0;

		printf("[ RUN      ] %s\n", argv[i]);
		fflush(stdout);
		if (!bytes) {
			printf("[  FAILED  ] %s: cannot read it\n", argv[i]);
			failed++;
			continue;
		}
		pid_t child = fork();
		if (child == 0) {
			/* A target says something about nearly every input; a sanitizer says it on
			 * descriptor 2, too. */
			if (!getenv("FUZZ_SHOW"))
				dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
			alarm(SECONDS_PER_FILE);
			run_file(bytes, size, rounds);
			exit(0); /* not _exit: leaks are looked for at the end */
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status) {
			printf("[  FAILED  ] %s: %s %d; FUZZ_SHOW=1 shows what was said\n", argv[i],
			       WIFSIGNALED(status) ? "signal" : "exit code",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			failed++;
		} else {
			printf("[       OK ] %s\n", argv[i]);
		}
		free(bytes);
	}
	return failed ? 1 : 0;
}
