/* SPDX-License-Identifier: MIT
 * The plain C kernels for one precision; no guard, rbsor_cpu.c includes it once for each. Wants:
 *   REAL        float or double
 *   RBSOR(verb) the function's name: rbsor_<verb>_<precision>_cpu
 */

/* One colour, LAYOUT_ROWS. */
void RBSOR(rows)(const void *args)
{
	const struct rbsor_sweep *sweep = args;
	const REAL omega = (REAL)sweep->omega, quarter = (REAL)0.25;

	for (int32_t row = sweep->row_begin; row < sweep->row_end; row++) {
		REAL *u = (REAL *)sweep->grid + row * sweep->pitch;
		const REAL *north = u - sweep->pitch, *south = u + sweep->pitch;
		int32_t p = (sweep->first_row + row + sweep->colour) & 1;

		for (int32_t j = 2 - p; j < sweep->columns - 1; j += 2)
			u[j] = u[j] +
			       omega * (quarter * ((u[j - 1] + u[j + 1]) + (north[j] + south[j])) -
					u[j]);
	}
}

/* One colour, LAYOUT_SPLIT: point k of the half-row is column 2k + p. */
void RBSOR(tuned)(const void *args)
{
	const struct rbsor_sweep *sweep = args;
	const REAL omega = (REAL)sweep->omega, quarter = (REAL)0.25;
	const int64_t half = sweep->pitch / 2;

	for (int32_t row = sweep->row_begin; row < sweep->row_end; row++) {
		REAL *line = (REAL *)sweep->grid + row * sweep->pitch;
		REAL *restrict own = line + sweep->colour * half;
		const REAL *restrict other = line + (1 - sweep->colour) * half;
		const REAL *restrict north = other - sweep->pitch, *restrict south =
									   other + sweep->pitch;
		const int32_t p = (sweep->first_row + row + sweep->colour) & 1;
		const int32_t end = ((sweep->columns - 2 - p) >> 1) + 1;
		const REAL *restrict west = other - 1 + p, *restrict east = other + p;

		for (int32_t k = 1 - p; k < end; k++)
			own[k] = own[k] +
				 omega * (quarter * ((west[k] + east[k]) + (north[k] + south[k])) -
					  own[k]);
	}
}

void RBSOR(split)(const void *args)
{
	const struct rbsor_layout_args *layout = args;

	for (int32_t row = 0; row < layout->strip_rows; row++) {
		const REAL *rows = (const REAL *)layout->rows_grid + row * layout->rows_pitch;
		const int32_t parity =
			(layout->first_row + row) & 1; /* the half of the even columns */
		REAL *line = (REAL *)layout->grid + row * layout->pitch;
		REAL *restrict even = line + parity * (layout->pitch / 2);
		REAL *restrict odd = line + (1 - parity) * (layout->pitch / 2);

		for (int32_t k = 0; k < (layout->columns + 1) / 2; k++)
			even[k] = rows[2 * k];
		for (int32_t k = 0; k < layout->columns / 2; k++)
			odd[k] = rows[2 * k + 1];
	}
}

void RBSOR(merge)(const void *args)
{
	const struct rbsor_layout_args *layout = args;

	for (int32_t row = 0; row < layout->strip_rows; row++) {
		REAL *restrict rows = (REAL *)layout->rows_grid + row * layout->rows_pitch;
		const int32_t parity = (layout->first_row + row) & 1;
		const REAL *line = (const REAL *)layout->grid + row * layout->pitch;
		const REAL *even = line + parity * (layout->pitch / 2);
		const REAL *odd = line + (1 - parity) * (layout->pitch / 2);

		for (int32_t k = 0; k < (layout->columns + 1) / 2; k++)
			rows[2 * k] = even[k];
		for (int32_t k = 0; k < layout->columns / 2; k++)
			rows[2 * k + 1] = odd[k];
	}
}
