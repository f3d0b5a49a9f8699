# Profiles by hand (lib/make-profile.py): listed, counted, compared; a kernel without one is named beside those that have.
profile=${tests:?}/cases/lib/profile.wrt.zst
cp "$profile" profile.wrt.zst
warpreel info profile.wrt.zst
warpreel info profile.wrt.zst --kernel toy
warpreel info profile.wrt.zst --kernel odd --format tsv
warpreel check profile.wrt.zst --format tsv | grep -i profile
warpreel compare profile.wrt.zst profile.wrt.zst
refuses warpreel info profile.wrt.zst --kernel other
# Each name once: nothing is left that stands twice.
warpreel info "$root/traces/data/h200x4/kernels/kernels.wrt.zst" --kernel other 2>&1 | sed 's/.* are: //; s/, /\n/g' | sort | uniq -d
predicted nothing.wrt
refuses warpreel info nothing.wrt --kernel toy
