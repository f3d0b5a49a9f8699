/* SPDX-License-Identifier: MIT
 * Copies, events and the way to the device take no time.
 */
#include "copy_model.h"

static struct copy_model *create(const struct platform *platform, const struct schedule *schedule,
				 bool say)
{
	(void)platform, (void)schedule, (void)say;
	return NULL;
}

static void destroy(struct copy_model *model)
{
	(void)model;
}

static sim_time copy(const struct copy_model *model, const struct copy_place *place)
{
	(void)model, (void)place;
	return 0;
}

static sim_time switch_back(const struct copy_model *model, uint32_t which)
{
	(void)model, (void)which;
	return 0;
}

static sim_time event(const struct copy_model *model, const struct event_place *place)
{
	(void)model, (void)place;
	return 0;
}

static sim_time delay(const struct copy_model *model, enum copy_delay which)
{
	(void)model, (void)which;
	return 0;
}

const struct copy_model_ops copy_free = {
	"free", create, destroy, copy, switch_back, event, delay
};
