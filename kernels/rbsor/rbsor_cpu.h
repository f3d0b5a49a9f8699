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

/* A row of one colour, LAYOUT_SPLIT, and what it becomes to rows of other strips. */
static void RBSOR(edge)(const struct rbsor_sweep *given, int32_t row, void *const there[2])
{
	struct rbsor_sweep sweep = *given;
	const int32_t p = (sweep.first_row + row + sweep.colour) & 1,
		      count = ((sweep.columns - 2 - p) >> 1) + p;
	const int64_t at = sweep.colour * (sweep.pitch / 2) + 1 - p;

	sweep.row_begin = row;
	sweep.row_end = row + 1;
	RBSOR(tuned)(&sweep);
	for (int k = 0; k < 2; k++)
		if (there[k] && count > 0)
			memcpy((REAL *)there[k] + at,
			       (const REAL *)sweep.grid + row * sweep.pitch + at,
			       (size_t)count * sizeof(REAL));
}

void RBSOR(rim)(const void *args)
{
	const struct rbsor_rim *rim = args;
	const struct rbsor_sweep *sweep = &rim->sweep;
	const bool one = sweep->row_end - sweep->row_begin == 1;

	if (rim->north)
		RBSOR(edge)
	(sweep, sweep->row_begin, (void *const[2]){ rim->north, one ? rim->south : NULL });
	if (rim->south && !(one && rim->north))
		RBSOR(edge)(sweep, sweep->row_end - 1, (void *const[2]){ rim->south, NULL });
}

/*
 * Several iterations in one pass, LAYOUT_ROWS: sweep s of 2 depth makes the rows that the sweeps
 * after it need, in a buffer of its own.
 */
void RBSOR(pass)(const void *args)
{
	const struct rbsor_pass *pass = args;
	const int32_t sweeps = 2 * pass->depth;
	const int32_t low = pass->row_begin > sweeps ? pass->row_begin - sweeps : 0,
		      high = pass->strip_rows - pass->row_end > sweeps ? pass->row_end + sweeps
								       : pass->strip_rows;
	const size_t row_bytes = (size_t)pass->columns * sizeof(REAL);
	REAL *scratch = xmalloc((size_t)(high - low) * row_bytes);
	struct rbsor_sweep sweep = { .grid = scratch,
				     .pitch = pass->columns,
				     .columns = pass->columns,
				     .strip_rows = high - low,
				     .first_row = pass->first + low,
				     .omega = pass->omega };

	for (int32_t row = low; row < high; row++)
		memcpy(scratch + (int64_t)(row - low) * pass->columns,
		       (const REAL *)pass->from + row * pass->pitch, row_bytes);
	for (int32_t s = 1; s <= sweeps; s++) {
		const int32_t begin = pass->row_begin - (sweeps - s),
			      end = pass->row_end + (sweeps - s);

		sweep.colour = (s - 1) & 1;
		sweep.row_begin = (begin > 1 ? begin : 1) - low;
		sweep.row_end = (end < pass->strip_rows - 1 ? end : pass->strip_rows - 1) - low;
		RBSOR(rows)(&sweep);
	}
	for (int32_t row = pass->row_begin; row < pass->row_end; row++)
		memcpy((REAL *)pass->to + row * pass->pitch,
		       scratch + (int64_t)(row - low) * pass->columns, row_bytes);
	free(scratch);
}

/* All iterations of a whole grid, LAYOUT_ROWS. */
void RBSOR(loop)(const void *args)
{
	const struct rbsor_loop *loop = args;
	struct rbsor_sweep sweep = { .grid = loop->grid[0],
				     .pitch = loop->pitch,
				     .columns = loop->columns,
				     .strip_rows = loop->rows,
				     .row_begin = 1,
				     .row_end = loop->rows - 1,
				     .omega = loop->omega };

	for (int32_t s = 0; s < 2 * loop->iterations; s++) {
		sweep.colour = s & 1;
		RBSOR(rows)(&sweep);
	}
	if (rbsor_loop_result(loop->iterations) == 1)
		for (int32_t row = 0; row < loop->rows; row++)
			memcpy((REAL *)loop->grid[1] + row * loop->pitch,
			       (REAL *)loop->grid[0] + row * loop->pitch,
			       (size_t)loop->columns * sizeof(REAL));
}
