# Lists and tables that are no text or have no end are refused at their first line, with little memory.
# A build with sanitizers cannot even begin in so few addresses.
ulimit -S -v 400000
warpreel --version >/dev/null 2>&1 || ulimit -S -v unlimited
tr '\0' 'a' </dev/zero | head -c 70000 >long
for file in /dev/zero long; do
	for command in "batch --gpus 1 --backend cpu" "time --backend cpu --list" "time --backend cpu --pairs" \
		"bench --kernels" "columns --of size" "sweep" "validate --measured" "papers 002 --published"; do
		echo "$command:"
		warpreel $command $file 2>&1 | grep -v '^solver\|^pair\|^config'
	done
done
