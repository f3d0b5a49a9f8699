/* SPDX-License-Identifier: MIT
 * A host whose calls take no time.
 */
#include "host_model.h"

static struct host_model *create(const struct platform *platform, const struct schedule *schedule,
				 uint64_t seed)
{
	(void)platform, (void)schedule, (void)seed;
	return NULL;
}

static void destroy(struct host_model *model)
{
	(void)model;
}

static sim_time call(struct host_model *model, uint32_t thread, const struct schedule_op *op,
		     uint32_t ahead, int64_t draw)
{
	(void)model, (void)thread, (void)op, (void)ahead, (void)draw;
	return 0;
}

static sim_time other(const struct host_model *model, int kind)
{
	(void)model, (void)kind;
	return 0;
}

static sim_time wake(const struct host_model *model, uint32_t thread, int kind, int64_t draw)
{
	(void)model, (void)thread, (void)kind, (void)draw;
	return 0;
}

static sim_time node(const struct host_model *model, const struct schedule_op *op)
{
	(void)model, (void)op;
	return 0;
}

static void synchronised(struct host_model *model, uint32_t thread)
{
	(void)model, (void)thread;
}

const struct host_model_ops host_free = { "free", create, destroy, call,
					  other,  wake,	  node,	   synchronised };
