#!/bin/sh
# SPDX-License-Identifier: MIT
# ranks.sh N COMMAND...: N ranks of a program that uses tests/standin/standin_mpi.c where there is no MPI. Prints what the first says;
# exit 1 if one of them fails.
set -u
ranks=${1:?N} failed=0 rank=0 started=
shift
STANDIN_MPI=$(mktemp)
export STANDIN_MPI OMPI_COMM_WORLD_SIZE="$ranks"
trap 'rm -f "$STANDIN_MPI"' EXIT
while [ $rank -lt "$ranks" ]; do
	if [ $rank = 0 ]; then
		OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 "$@" &
	else
		OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank "$@" >/dev/null &
	fi
	started="$started $!" rank=$((rank + 1))
done
for one in $started; do
	wait "$one" || failed=1
done
exit $failed
