# What was recorded as virtual GPUs says so wherever it is looked at.
trace=$tests/cases/lib/virtual.wrt.zst
warpreel info "$trace" | grep -E 'as if|virtual|GPU +[01]'
warpreel check "$trace" | grep -E 'virtual|complete'
warpreel replay "$trace" --platform "$platform" 2>/dev/null | grep -E 'GPU|virtual|as if'
refuses warpreel replay "$trace" --platform "$platform" --gpus 4 2>/dev/null | tail -n 1
# A program that asks for fewer than there are: what it used is said.
zstd -qdc "$trace" >three.wrt
sqlite3 three.wrt "UPDATE WARPREEL_META SET value = '3' WHERE key = 'virtual_gpus'"
warpreel replay three.wrt --platform "$platform" 2>/dev/null | grep 'of these'
