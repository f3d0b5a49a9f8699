/* SPDX-License-Identifier: MIT
 * Red-black SOR in plain C: the reference every other kernel must agree with to the last bit, and
 * what the cpu machine runs. Build with -ffp-contract=off.
 */
#include "rbsor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

#define REAL float
#define RBSOR(verb) rbsor_##verb##_f32_cpu
#include "rbsor_cpu.h"
#undef REAL
#undef RBSOR

#define REAL double
#define RBSOR(verb) rbsor_##verb##_f64_cpu
#include "rbsor_cpu.h"
