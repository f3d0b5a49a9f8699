#!/bin/bash
# SPDX-License-Identifier: MIT
# kill_anywhere.sh WARPREEL FOLDER N [WHAT...]: is an output the old file or the new one, whole, whenever its program is killed?
# Each of record, predict, time, validate, sweep and calibrate (or those named) is killed with SIGKILL at N random moments of its run, and
# what is there afterwards is compared with what was before and with what an undisturbed run leaves. A recording is killed as a whole,
# or its program alone, or warpreel alone; what the program had handed over must be in the trace, or the trace says that it lost its end.
# RECORDED=COMMAND: what is recorded; else the stand-in $STAND_IN, which counts what it has handed over in the file named to it.
# RECORDED="build/tests/gpu_counted launched": a program on a GPU that keeps count in its folder's `launched`; a line a kill into lost.tsv:
# who was killed, when, launches made, launches known to be over 200 ms before, kernels in the trace.
# SEED: of the moments. UNDISTURBED: runs before, for their length (3). Ends with a line for each, and with 1 where anything else was found,
# or where none of the recordings that were killed had handed over anything yet, so that nothing was asked of their traces: more kills, or a
# program that launches for longer.
set -u
warpreel=$1 folder=$2 count=$3
shift 3
root=$(cd "$(dirname "$0")/.." && pwd)
seed=${SEED:-1}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 2
printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\n' >runs.tsv
for size in 256 512 1024 2048; do
	printf 'rbsor\tsize=%sx%s precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=20\t1\t1\t1\n' $size $size >>runs.tsv
done
printf 'rbsor 1 size=64x64 iterations=4\nrbsor 1 size=96x96 iterations=4\nrbsor 1 size=128x128 iterations=4\n' >time.list
printf '[sweep]\ngpus = 1 2\n[rbsor]\nsize = 64..512+32\ntransport = peer host\niterations = 8\n' >grid.ini
[ ! -f "$root/model/platforms/h200x4.ini" ] || sed 's/^queue_depth = .*/queue_depth = 1000/' "$root/model/platforms/h200x4.ini" >slow.ini
platform=$root/tests/cases/lib/small.ini

# What a kind runs, its output last; the old file; what of it may differ.
declare -A output=([predict]=out.wrt [time]=out.tsv [validate]=out.tsv [sweep]=out.tsv [calibrate]=out.ini [record]=out.wrt)
begin() { # WHAT: in the background; $! is the program itself
	case $1 in
	predict) exec "$warpreel" predict rbsor --platform "$platform" --kernel-model roofline --size 512 --gpus 2 --iterations 400 -o out.wrt ;;
	time) exec "$warpreel" time --list time.list --backend cpu --repeat 20 -o out.tsv ;;
	validate) exec "$warpreel" validate --platform h200x4 --host h200x4 --set device.name=other --only runs --measured runs.tsv -o out.tsv ;;
	sweep) exec "$warpreel" sweep grid.ini --platform "$platform" --kernel-model roofline -o out.tsv --jobs 2 ;;
	calibrate)
		exec "$warpreel" calibrate --merge "$root/model/platforms/h200x4.ini,slow.ini" --only peer_exchange \
			--update out.ini
		;;
	record)
		if [ -n "${RECORDED:-}" ]; then
			# shellcheck disable=SC2086 # words
			exec setsid "$warpreel" record -o out.wrt --flush-ms 20 -- $RECORDED
		else
			exec setsid "$warpreel" record -o out.wrt --recorder "$STAND_IN" -- "$STAND_IN" handed 60
		fi
		;;
	esac >said 2>&1
}
old() { # WHAT
	case $1 in
	calibrate) cp "$root/model/platforms/h200x4.ini" out.ini ;;
	*) echo "what was before" >"${output[$1]}" ;;
	esac
}
same_but_date() { [ "$(grep -v '^# date' "$1")" = "$(grep -v '^# date' "$2")" ]; }
now_ms() { date +%s%3N; }
draw() { # N: sets $drawn to one of 0 to N - 1 (Park and Miller 1988)
	seed=$((seed * 48271 % 2147483647))
	drawn=$((seed % $1))
}
fault() {
	echo "$1: after a kill at $2 s: $3"
	bad=$((bad + 1))
}
kernels() { "$warpreel" info --format tsv "$1" 2>/dev/null | awk -F '\t' '$1 == "rows" && $2 == "kernel" { print $3 }'; }

# A recording that is there: whole, or it says what it has not.
check_trace() { # WHEN HANDED
	local have
	"$warpreel" info out.wrt >info 2>&1 || { fault record "$1" "no trace: $(head -n 1 info)"; return; }
	"$warpreel" check out.wrt >check 2>&1
	have=$(kernels out.wrt)
	[ -z "$2" ] || [ "$2" -eq 0 ] || [ "$2" -ge "${whole_kernels:-0}" ] || asked=$((asked + 1))
	[ -z "$2" ] || [ "${have:-0}" -ge "$2" ] || fault record "$1" "$2 kernels were handed over, ${have:-0} are in the trace"
	if grep -qE '^ *[1-9][0-9]* +truncated-spool' check; then
		said=$((said + 1))
	elif [ -n "${whole_kernels:-}" ] && [ "${have:-0}" -lt "$whole_kernels" ]; then
		fault record "$1" "${have:-0} of $whole_kernels kernels, and nothing is said to be lost"
	fi
}
# How many a killed program had launched, and how many of them were over a while before; that many must be in the trace.
counted() { [ -s launched ] && od -An -t u8 -w16 launched | awk -v k="$1" '{ print $k }'; }
note_lost() { # WHOM WHEN
	local over
	[ "$what" = record ] && [ -s launched ] || return 0
	over=$(counted 2)
	[ "${over:-0}" -eq 0 ] || [ "$(counted 1)" -ge "${whole_kernels:-0}" ] || asked=$((asked + 1))
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$(counted 1)" "$over" "$(kernels out.wrt)" >>lost.tsv
	[ "$(kernels out.wrt | grep . || echo 0)" -ge "$over" ] || fault record "$2" "$over kernels were over, $(kernels out.wrt) are in the trace"
}
handed() { [ -s handed ] && od -An -t u8 handed | tr -d ' '; }

one() { # WHAT MS
	local what=$1 when file=${output[$1]} whom spool
	draw $(($2 + 1)) # ms
	when=$(printf '%d.%03d' $((drawn / 1000)) $((drawn % 1000)))
	draw 3
	rm -f handed launched out.wrt.spool-* out.tsv.so-far.* out.tsv.sweep*
	old "$what"
	cp "$file" old
	(begin "$what") &
	local program=$!
	sleep "$when"
	whom=all
	[ "$what" != record ] || whom=$(echo all program warpreel | cut -d ' ' -f $((drawn + 1)))
	# shellcheck disable=SC2046 # as many words as there are children
	case $whom in
	all) [ "$what" = record ] && kill -9 -- "-$program" 2>/dev/null || kill -9 "$program" 2>/dev/null ;;
	program) kill -9 $(cat "/proc/$program/task/$program/children" 2>/dev/null) 2>/dev/null ;;
	warpreel) kill -9 "$program" 2>/dev/null ;;
	esac
	wait "$program" 2>/dev/null
	if [ "$whom" = warpreel ]; then # the program goes on to its end
		for _ in $(seq 100); do
			kill -0 -- "-$program" 2>/dev/null || break
			sleep 0.05
		done
	fi
	# Rows that were measured are not lost: whole ones, but for the last.
	if [ -s out.tsv.so-far ] && [ "$what" = time ]; then
		kept=$((kept + $(awk -F '\t' 'NR > 1 && NF == 16' out.tsv.so-far | wc -l)))
	fi
	if cmp -s old "$file"; then
		before=$((before + 1))
	elif [ "$what" = record ]; then
		after=$((after + 1))
		check_trace "$when" "$(handed)"
	elif [ "$what" = time ]; then # times differ: whole rows, as many as asked
		after=$((after + 1))
		[ "$(awk 'END { print NR }' out.tsv)" = "$rows" ] || fault time "$when" "$(awk 'END { print NR }' out.tsv) rows"
	elif cmp -s whole "$file" || { [ "$what" = calibrate ] && same_but_date whole "$file"; }; then
		after=$((after + 1))
	else
		fault "$what" "$when" "neither what was nor what was to be"
	fi
	# What the recorder had written is there, and can be made a trace of.
	for spool in out.wrt.spool-*; do
		[ "$what" = record ] && [ -s "$spool" ] || continue
		cmp -s old "$file" || continue
		spools=$((spools + 1))
		if ! "$warpreel" record --spool "$spool" -o out.wrt >said 2>&1; then
			[ "$(handed)" = "" ] || fault record "$when" "the spool makes no trace: $(head -n 1 said)"
			continue
		fi
		check_trace "$when" "$(handed)"
	done
	cmp -s old "$file" || note_lost "$whom" "$when"
}

status=0
for what in "${@:-predict}"; do
	bad=0 before=0 after=0 asked=0 said=0 spools=0 kept=0 whole_kernels=
	length=0
	for _ in $(seq "${UNDISTURBED:-3}"); do # the longest of them, as machines are not always alike
		rm -f out.tsv.sweep*
		old "$what"
		start=$(now_ms)
		(begin "$what") || { echo "$what: does not run: $(head -n 1 said)"; status=1; continue 2; }
		length=$(($(now_ms) - start > length ? $(now_ms) - start : length))
	done
	cp "${output[$what]}" whole
	[ "$what" != record ] || whole_kernels=$(kernels out.wrt)
	rows=$(awk 'END { print NR }' whole)
	for _ in $(seq "$count"); do
		one "$what" "$length"
	done
	# The next run cleans up.
	old "$what"
	(begin "$what") || { echo "$what: does not run again"; bad=$((bad + 1)); }
	left=$(find . -name '*.part-*' | wc -l)
	[ "$left" = 0 ] || { echo "$what: $left parts are left"; bad=$((bad + 1)); }
	if [ "$what" = record ]; then
		if [ "$count" -gt 0 ] && [ "$asked" = 0 ]; then
			echo "$what: no kill met kernels in the middle: nothing was asked of what had been handed over"
			bad=$((bad + 1))
		fi
		echo "$what: $count kills, $before old, $after new, $spools spools left, $said traces say that their end is missing," \
			"$asked asked for what was handed over, $bad faults"
	elif [ "$what" = time ]; then
		echo "$what: $count kills, $before old, $after new, $kept rows kept beside the old one, $bad faults"
	else
		echo "$what: $count kills, $before old, $after new, $bad faults"
	fi
	[ "$bad" = 0 ] || status=1
done
exit $status
