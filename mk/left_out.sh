#!/bin/sh
# SPDX-License-Identifier: MIT
# left_out.sh solvers|tables [FAMILY REASON]...: C source that stands in for families that cannot be built here (mk/families.mk).
#   solvers   struct solver of each, which says what is missing
#   tables    the tables of CUDA kernels that its .cu files have, empty
set -eu
kind=$1
shift
case $kind in
solvers) echo '#include "kernels/kit/solver.h"' ;;
tables) echo '#include "kernels/machine/machine.h"' ;;
esac
while [ $# -ge 2 ]; do
	family=$1 reason=$2
	shift 2
	case $kind in
	solvers)
		printf 'static const struct option_spec %s_options[] = { { 0 } };\n' "$family"
		printf 'extern const struct solver solver_%s;\n' "$family"
		printf 'const struct solver solver_%s = { .name = "%s", .summary = "left out of this build: it needs %s", .options = %s_options, .missing = "%s" };\n' \
			"$family" "$family" "$reason" "$family" "$reason"
		;;
	tables)
		sed -n 's/^extern "C" const struct cuda_kernel \([a-z0-9_]*\)\[\].*/extern const struct cuda_kernel \1[];\nconst struct cuda_kernel \1[] = { { 0 } };/p' \
			"kernels/$family"/*.cu
		;;
	esac
done
