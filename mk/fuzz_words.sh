#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_words.sh TARGET: a dictionary for libFuzzer: what the readers of a target compare with, which chance seldom spells.
# Words are the short strings in their sources, and the keys and columns of files that ship.
set -eu
cd "$(dirname "$0")/.."
keys=
case ${1:?TARGET} in
fuzz_list_read) from="kernels/*/*.c kernels/*/*.def traces/base/*.c sim/sweep/*.c sim/validate/pairs.c" ;;
fuzz_options_read) from="kernels/*/*.c kernels/*/*.def traces/base/*.c" ;;
fuzz_platform_read) from="model/platform/*.c model/platform/*.def" keys="model/platforms/h200x4.ini model/platforms/gtx480.ini" ;;
fuzz_table_read) from="sim/validate/*.c traces/base/*.c model/records/*.c" ;;
fuzz_sass_read) from="traces/profiles/sass*.c traces/profiles/*.def" ;;
fuzz_module_read) from="traces/profiles/cubin*.c traces/profiles/disassembly.c" ;;
*) from="traces/format/*.c traces/format/*.def traces/profiles/*.c traces/check/*.c traces/load/*.c traces/spool/*.c traces/record/*.c traces/views/*.c model/device/kernel_metrics*.c" ;;
esac
# shellcheck disable=SC2086 # patterns
{
	grep -oh '"[^"\\%]*"' $from 2>/dev/null | tr -d '"' | tr ' ' '\n'
	sed -n 's/^[A-Z0-9_]*(\([a-z0-9_]*\),.*/\1/p' $from
	[ -z "$keys" ] || sed -n 's/^\([a-z0-9_]*\) = .*/\1 =/p; s/^\(\[.*\]\)$/\1/p' $keys
} | grep -x '[][A-Za-z0-9_.=:,*+ -]\{2,32\}' | LC_ALL=C sort -u | sed 's/.*/"&"/'
