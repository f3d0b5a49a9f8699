# What was recorded as virtual GPUs says so wherever it is looked at.
trace=$tests/cases/lib/virtual.wrt.zst
warpreel info "$trace" | grep -E 'as if|virtual|GPU +[01]'
warpreel check "$trace" | grep -E 'virtual|complete'
warpreel replay "$trace" --platform "$platform" 2>/dev/null | grep -E 'GPU|virtual|as if'
refuses warpreel replay "$trace" --platform "$platform" --gpus 4 2>/dev/null | tail -n 1
