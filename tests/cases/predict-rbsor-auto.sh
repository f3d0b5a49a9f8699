# What --kernel auto says its choice takes is what the answer then says.
warpreel predict rbsor --kernel auto --border 8 --gpus 4 --size 4096 --format text >answer 2>choice || exit 1
chosen=$(sed -n 's/.* \([0-9.]*\) us; next .*/\1/p' choice)
answered=$(sed -n 's/^ *core loop *\([0-9.]*\) us .*/\1/p' answer)
[ -n "$chosen" ] && [ "$chosen" = "$answered" ] && echo same
