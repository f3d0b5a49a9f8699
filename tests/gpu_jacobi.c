/* SPDX-License-Identifier: MIT
 * The Jacobi kernels against their CPU implementation, bit for bit: random values in and around
 * rectangles of grids of awkward sizes, NaN wherever nothing may be read, and the whole output
 * compared, so that a write out of place shows. Then whole runs, in strips and blocks, on as many
 * GPUs as there are.
 *
 *     gpu_jacobi [ROWSxCOLUMNS...]      without arguments: a set of sizes
 */
#include "gpu_kit.h"
#include "kernels/jacobi/jacobi.h"
#include "solver_kit.h"

static const struct gpu_size standard_sizes[] = {
	{ 3, 3 },
	{ 3, 4 },
	{ 4, 3 },
	{ 5, 66 },
	{ 6, 67 },
	{ 17, 129 },
	{ 64, 257 },
	{ 131, 64 },
	{ 4, 999 },
	{ 517, 203 },
	{ 300000, 3 } /* beyond grid y */,
};

struct check {
	struct gpu_check kit;
	struct machine *m;
	struct jacobi_sweep host, device;
	int64_t bytes;
	uint32_t stage, u, v, stream;
	bool f64;
};

static int copy(struct machine_thread *t, const struct check *c, uint32_t from, uint32_t to)
{
	const struct machine_copy all = {
		.source = from, .target = to, .row_bytes = c->bytes, .rows = 1
	};
	return t->machine->ops->copy(t, c->stream, &all);
}

static int body(struct machine_thread *t, void *arg)
{
	struct check *c = arg;
	const struct machine_ops *ops = c->m->ops;
	void *stage = ops->address(c->m, c->stage);
	const struct machine_launch launch = { .name = c->f64 ? "jacobi_f64" : "jacobi_f32",
					       .cpu = gpu_never,
					       .args = &c->device,
					       .args_bytes = sizeof(c->device),
					       .geometry = stencil_points_geometry };
	memcpy(stage, c->host.at.u, (size_t)c->bytes);
	if (copy(t, c, c->stage, c->u) || ops->sync(t, c->stream))
		return -1;
	memcpy(stage, c->host.at.v, (size_t)c->bytes);
	if (copy(t, c, c->stage, c->v) || ops->launch(t, c->stream, &launch) ||
	    copy(t, c, c->v, c->stage) || ops->sync(t, c->stream))
		return -1;
	(c->f64 ? jacobi_f64_cpu : jacobi_f32_cpu)(&c->host);
	return 0;
}

static int check_rectangle(struct check *c, struct gpu_size size, const struct stencil_points *at)
{
	const size_t word = c->f64 ? 8 : 4;
	struct machine_thread out;
	char what[120];
	c->bytes = size.rows * at->pitch * (int64_t)word;
	void *u = xmalloc((size_t)c->bytes), *v = xmalloc((size_t)c->bytes);
	memset(u, 0xff, (size_t)c->bytes);
	memset(v, 0x5a, (size_t)c->bytes);
	for (int64_t i = at->row_begin - 1; i <= at->row_end; i++)
		for (int64_t j = at->column_begin - 1; j <= at->column_end; j++)
			if (c->f64)
				((double *)u)[i * at->pitch + j] = gpu_random(&c->kit);
			else
				((float *)u)[i * at->pitch + j] = (float)gpu_random(&c->kit);
	const struct machine_ops *ops = c->m->ops;
	int rc = ops->buffer(c->m, 0, SPACE_PINNED, c->bytes, &c->stage) ||
				 ops->buffer(c->m, 0, SPACE_DEVICE, c->bytes, &c->u) ||
				 ops->buffer(c->m, 0, SPACE_DEVICE, c->bytes, &c->v) ||
				 ops->stream(c->m, 0, &c->stream)
			 ? -1
			 : 0;
	c->host.at = c->device.at = *at;
	c->host.at.u = u;
	c->host.at.v = v;
	if (!rc) {
		c->device.at.u = ops->address(c->m, c->u);
		c->device.at.v = ops->address(c->m, c->v);
		rc = ops->run(c->m, 1, body, c, &out);
	}
	snprintf(what, sizeof(what), "%s %dx%d rows [%d,%d) columns [%d,%d)",
		 c->f64 ? "f64" : "f32", size.rows, size.columns, at->row_begin, at->row_end,
		 at->column_begin, at->column_end);
	if (!rc)
		gpu_compare(&c->kit, what, v, ops->address(c->m, c->stage), (size_t)c->bytes, word,
			    at->pitch);
	ops->reset(c->m);
	free(u);
	free(v);
	return rc;
}

static int check_size(struct check *c, struct gpu_size size)
{
	const int rows = size.rows, columns = size.columns;
	const struct stencil_points rectangles[] = {
		{ 0, 0, columns, 1, rows - 1, 1, columns - 1 },
		{ 0, 0, columns + 13, 1, rows - 1, 1, columns - 1 },
		{ 0, 0, columns, rows / 2, rows / 2 + 1, 1, columns - 1 },
		{ 0, 0, columns, 1, rows - 1, columns / 2, columns / 2 + 1 },
		{ 0, 0, columns + 1, rows / 3 + 1, rows - 1, columns / 3 + 1, columns - 1 },
	};
	int rc = 0;
	for (size_t k = 0; !rc && k < sizeof(rectangles) / sizeof(rectangles[0]); k++)
		for (int f64 = 0; !rc && f64 < 2; f64++) {
			const struct stencil_points *at = &rectangles[k];
			c->f64 = f64;
			if (at->row_end > at->row_begin && at->column_end > at->column_begin)
				rc = check_rectangle(c, size, at);
		}
	gpu_count_part(&c->kit, "%dx%d", rows, columns);
	return rc;
}

/* The checksum of a run is the CPU's, however it is cut. */
static int check_runs(struct gpu_check *kit)
{
	static const struct {
		uint32_t gpus;
		const char *partition;
	} cuts[] = { { 1, "strips" }, { 2, "strips" }, { 2, "1x2" },
		     { 3, "strips" }, { 4, "2x2" },    { 8, "2x4" } };
	struct machine *cpu = machine_cpu_new(1);
	int rc = 0;
	for (size_t k = 0; k < sizeof(cuts) / sizeof(cuts[0]) && !rc; k++)
		for (int variant = 0; variant < 8 && !rc; variant++) {
			struct solver_result expected, got;
			char config[160];
			int length = snprintf(config, sizeof(config),
					      "size=135x71 iterations=17 border=%d precision=%s "
					      "transport=%s",
					      variant & 1 ? 3 : 1, variant & 2 ? "f64" : "f32",
					      variant & 4 ? "host" : "peer");
			rc = run_config(cpu, "jacobi", config, 1, 7, &expected);
			cpu->ops->reset(cpu);
			snprintf(config + length, sizeof(config) - (size_t)length, " partition=%s",
				 cuts[k].partition);
			struct machine *m = machine_cuda_new(cuts[k].gpus);
			if (!m) { /* fewer GPUs: said on stderr */
				cpu->ops->free(cpu);
				return 0;
			}
			rc = rc || run_config(m, "jacobi", config, cuts[k].gpus, 7, &got) ? -1 : 0;
			m->ops->free(m);
			if (rc)
				break;
			kit->cases++;
			if (got.checksum != expected.checksum) {
				kit->failures++;
				printf("MISMATCH %s on %u GPUs\n", config, cuts[k].gpus);
			}
		}
	gpu_count_part(kit, "runs");
	cpu->ops->free(cpu);
	return rc;
}

int main(int argc, char **argv)
{
	size_t count = sizeof(standard_sizes) / sizeof(standard_sizes[0]);
	struct gpu_size *sizes = gpu_sizes(argc, argv, standard_sizes, &count);
	struct check c = { 0 };
	if (!sizes)
		return EXIT_USAGE;
	c.m = machine_cuda_new(1);
	int rc = c.m ? 0 : -1;
	for (size_t s = 0; !rc && s < count; s++)
		rc = check_size(&c, sizes[s]);
	if (c.m)
		c.m->ops->free(c.m);
	rc = rc || check_runs(&c.kit) ? -1 : 0;
	free(sizes);
	return gpu_count_all(&c.kit) || rc ? EXIT_BAD : EXIT_OK;
}
