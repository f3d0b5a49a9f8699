# Nothing that validate reads is written over, by whatever option it came, nor is one output by another; and that is said before the work.
for name in measured splits pairs kernels foreign; do echo "my $name" >$name.tsv; done
predicted profile.wrt
cp "$tests/cases/lib/sm.ini" mine.ini
mkdir folder
before=$(cat ./*.tsv profile.wrt mine.ini | cksum)
validate() { refuses warpreel validate --platform mine.ini "$@"; }
for output in -o --summary; do
	validate $output measured.tsv --measured measured.tsv
	validate $output folder/../splits.tsv --splits splits.tsv
	validate $output pairs.tsv --pairs pairs.tsv
	validate $output kernels.tsv --kernels kernels.tsv
	validate $output foreign.tsv --foreign foreign.tsv
	validate $output profile.wrt --profile profile.wrt
	validate $output profile.wrt --kernel-profiles profile.wrt
	validate $output mine.ini
	validate $output nowhere/x.tsv
done
validate -o new.tsv --summary folder/../new.tsv
[ "$before" = "$(cat ./*.tsv profile.wrt mine.ini | cksum)" ] && echo "as they were"
# What --fit-intervals writes is an output, too; a root of its own, since the shipped one is not to be written.
mkdir -p model traces/data
ln -s "$root/model/platforms" "$root/model/splits.tsv" model/
echo "not a folder" >model/intervals
echo "not to be reached" >table.tsv
WARPREEL_ROOT=. validate --fit-intervals --measured table.tsv
rm model/intervals
mkdir model/intervals
WARPREEL_ROOT=. validate --fit-intervals --measured table.tsv -o "model/intervals/$(sed -n 's/^name = //p' mine.ini).tsv"
find . -type f | sort
