/* SPDX-License-Identifier: MIT */
#include "colour_layout.h"

#define COLOUR_LAYOUT(REAL, precision)                                                             \
	void colour_split_##precision##_cpu(const void *args)                                      \
	{                                                                                          \
		const struct colour_layout_args *layout = args;                                    \
		for (int32_t row = 0; row < layout->strip_rows; row++) {                           \
			const REAL *rows =                                                         \
				(const REAL *)layout->rows_grid + row * layout->rows_pitch;        \
			const int32_t parity =                                                     \
				(layout->first_row + row) & 1; /* of even columns */               \
			REAL *line = (REAL *)layout->grid + row * layout->pitch;                   \
			REAL *restrict even = line + parity * (layout->pitch / 2);                 \
			REAL *restrict odd = line + (1 - parity) * (layout->pitch / 2);            \
			for (int32_t k = 0; k < (layout->columns + 1) / 2; k++)                    \
				even[k] = rows[2 * k];                                             \
			for (int32_t k = 0; k < layout->columns / 2; k++)                          \
				odd[k] = rows[2 * k + 1];                                          \
		}                                                                                  \
	}                                                                                          \
	void colour_merge_##precision##_cpu(const void *args)                                      \
	{                                                                                          \
		const struct colour_layout_args *layout = args;                                    \
		for (int32_t row = 0; row < layout->strip_rows; row++) {                           \
			REAL *restrict rows =                                                      \
				(REAL *)layout->rows_grid + row * layout->rows_pitch;              \
			const int32_t parity = (layout->first_row + row) & 1;                      \
			const REAL *line = (const REAL *)layout->grid + row * layout->pitch;       \
			const REAL *even = line + parity * (layout->pitch / 2);                    \
			const REAL *odd = line + (1 - parity) * (layout->pitch / 2);               \
			for (int32_t k = 0; k < (layout->columns + 1) / 2; k++)                    \
				rows[2 * k] = even[k];                                             \
			for (int32_t k = 0; k < layout->columns / 2; k++)                          \
				rows[2 * k + 1] = odd[k];                                          \
		}                                                                                  \
	}
COLOUR_LAYOUT(float, f32)
COLOUR_LAYOUT(double, f64)

int colour_layout_launch(struct machine_thread *t, uint32_t stream,
			 const struct colour_layout *layout, bool splits)
{
	static const struct {
		const char *name;
		void (*cpu)(const void *args);
	} kernel[2][2] = {
		/* [splits][f64] */
		{ { "rbsor_merge_f32", colour_merge_f32_cpu },
		  { "rbsor_merge_f64", colour_merge_f64_cpu } },
		{ { "rbsor_split_f32", colour_split_f32_cpu },
		  { "rbsor_split_f64", colour_split_f64_cpu } },
	};
	const struct machine_ops *ops = t->machine->ops;
	const int64_t word = layout->f64 ? 8 : 4,
		      rows_bytes = layout->rows * layout->columns * word,
		      split_bytes = layout->rows * layout->pitch * word;
	const struct colour_layout_args args = {
		.rows_grid = ops->address(t->machine, layout->rows_buffer),
		.grid = ops->address(t->machine, layout->split_buffer),
		.rows_pitch = layout->columns,
		.pitch = layout->pitch,
		.columns = (int32_t)layout->columns,
		.strip_rows = (int32_t)layout->rows,
		.first_row = (int32_t)layout->first_row,
	};
	const uint32_t rows_mode = splits ? ACCESS_READ : ACCESS_WRITE,
		       split_mode = splits ? ACCESS_WRITE : ACCESS_READ;
	const struct machine_launch launch = {
		.name = kernel[splits][layout->f64].name,
		.cpu = kernel[splits][layout->f64].cpu,
		.geometry = colour_layout_geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = layout->rows,
		.columns = layout->columns,
		.points = layout->rows * layout->columns,
		.dram_bytes = 2 * rows_bytes,
		.resident_bytes = rows_bytes + split_bytes,
		.access_count = 2,
		.access = {
			{ layout->rows_buffer, rows_mode, 0, rows_bytes },
			{ layout->split_buffer, split_mode, 0, split_bytes },
		},
	};
	return ops->launch(t, stream, &launch);
}
