#!/bin/sh
# SPDX-License-Identifier: MIT
# nccl_folder.sh: prints the folder where this machine has NVIDIA's libnccl.so.2, or says where it was looked for and ends with 1:
# WARPREEL_NCCL (a file, as batch takes it), what the loader finds, what Python's PyTorch brings.
looked=
try() { # FOLDER
	looked="$looked ${1:--}"
	[ -n "$1" ] && [ -e "$1/libnccl.so.2" ] || return 1
	(cd "$1" && pwd)
	exit 0
}
[ -z "${WARPREEL_NCCL:-}" ] || try "$(dirname "$WARPREEL_NCCL")"
try "$(ldconfig -p 2>/dev/null | sed -n 's|.*libnccl\.so\.2 .*=> \(/.*\)/libnccl\.so\.2.*|\1|p' | head -n 1)"
for python in python3 /opt/*/.venv/bin/python3 /opt/*/bin/python3; do
	command -v "$python" >/dev/null 2>&1 || continue
	try "$("$python" -c 'import importlib.util as u; print(list(u.find_spec("nvidia.nccl").submodule_search_locations)[0] + "/lib")' 2>/dev/null)"
done
echo "nccl_folder.sh: no libnccl.so.2 in$looked: WARPREEL_NCCL names the file" >&2
exit 1
