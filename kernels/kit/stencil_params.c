/* SPDX-License-Identifier: MIT */
#include "stencil_params.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
const struct solver_column stencil_columns[] = {
	{ "rows", COLUMN_INT64, STENCIL_AT(rows), 0 },
	{ "columns", COLUMN_INT64, STENCIL_AT(columns), 0 },
	{ "border", COLUMN_INT, STENCIL_AT(border), 0 },
	{ "iterations", COLUMN_INT, STENCIL_AT(iterations), 0 },
	{ "transport", COLUMN_TEXT, STENCIL_AT(transport), 0 },
	{ 0 },
};
/* clang-format on */

int stencil_prepare(struct stencil_params *p, uint32_t gpus)
{
	p->f64 = !strcmp(p->precision, "f64");
	p->peer = !strcmp(p->transport, "peer");
	return grid_parse_size(p->size, &p->rows, &p->columns) ||
			       parts_partition(p->partition, gpus, &p->across)
		       ? -1
		       : 0;
}

int stencil_check_halo(const struct stencil_params *p, uint32_t gpus, int64_t halo)
{
	char what[32];
	snprintf(what, sizeof(what), "border %d", p->border);
	return parts_check(&(struct parts){ .gpus = gpus,
					    .across = p->across,
					    .rows = p->rows,
					    .columns = p->columns,
					    .halo = halo },
			   what);
}

void stencil_config(const struct stencil_params *p, char text[CONFIG_BYTES])
{
	const bool strips = p->across == 1;
	snprintf(text, CONFIG_BYTES,
		 "size=%lldx%lld precision=%s border=%d transport=%s iterations=%d%s%s",
		 (long long)p->rows, (long long)p->columns, p->precision, p->border, p->transport,
		 p->iterations, strips ? "" : " partition=", strips ? "" : p->partition);
}

void stencil_begin(struct domain_work *work, const struct stencil_params *p, int64_t halo)
{
	work->base.iterations = p->iterations;
	work->base.cycle = p->border;
	work->domain = (struct domain){ .rows = p->rows,
					.columns = p->columns,
					.halo = halo,
					.across = p->across,
					.f64 = p->f64,
					.peer = p->peer,
					.random = work->base.steady };
}
