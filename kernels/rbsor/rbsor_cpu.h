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
