/* SPDX-License-Identifier: MIT
 * Which of two devices is the faster one, whatever runs on it.
 */
#ifndef WARPREEL_SM_ORDER_H
#define WARPREEL_SM_ORDER_H

#include "model/device/sm_device.h"

/*
 * How `b` is to `a`: SM_FASTER where no time of it is longer and no rate lower, and one of them
 * better; SM_SLOWER the other way round; SM_NEITHER where both have something for themselves, or
 * something else differs that is neither a time nor a rate.
 */
enum sm_order { SM_EQUAL, SM_FASTER, SM_SLOWER, SM_NEITHER };
enum sm_order sm_order(const struct sm_device *a, const struct sm_device *b);

#endif
