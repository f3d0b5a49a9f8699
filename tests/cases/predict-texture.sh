# What a texture object costs the host is paid before each launch that reads through one: 200 of 100 iterations.
core() {
	warpreel predict rbsor --platform h200x4 --size 64 --kernel-model zero --iterations 100 "$@" | awk '/core loop  / { print $3 }'
}
for kernel in texture paper; do
	echo "$kernel $(core --kernel $kernel --set host.texture_ns=0) $(core --kernel $kernel --set host.texture_ns=10000)" |
		awk '{ printf "%s: %.0f us more\n", $1, $3 - $2 }'
done
