# A name that is a link stays one, and what it leads to is replaced; a descriptor is written to where it is open, whatever that is.
predicted one.wrt
mkdir there
echo before >there/target.txt
ln -s target.txt there/second
ln -s there/second first
warpreel dump -o first one.wrt
readlink first there/second
cmp there/target.txt <(warpreel dump one.wrt) && echo "written through the links"
ln -s there/none.txt dangling
warpreel dump -o dangling one.wrt
readlink dangling
cmp there/none.txt there/target.txt && echo "written where nothing was"
ln -s there/new.wrt new.wrt
predicted new.wrt
readlink new.wrt
warpreel compare one.wrt there/new.wrt >/dev/null; echo "exit $?"
ln -s round round
refuses warpreel dump -o round one.wrt
# Our own links to descriptors: a program that got this wrong must not replace the system's.
ln -s /proc/self/fd/1 output
ln -s /dev/fd output-folder
for name in output output-folder/1; do
	warpreel dump -o $name one.wrt >printed
	cmp printed there/target.txt && echo "written in place"
	warpreel export -o $name one.wrt >printed.json
	head -c 1 printed.json; echo
	{ warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 512 --iterations 8 -o $name >printed; echo "exit $?"; } 2>&1
done
mkfifo pipe
refuses predicted pipe
predicted /dev/null; echo "exit $?"
readlink output output-folder
rm printed printed.json
left_behind
