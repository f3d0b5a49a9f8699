# What is read is never written over, by whatever name the same file is given.
predicted one.wrt
predicted one.wrt.zst
cp one.wrt before
mkdir folder
ln one.wrt hard.wrt
ln -s ../one.wrt folder/soft.wrt
for output in one.wrt ./folder/../one.wrt hard.wrt folder/soft.wrt; do
	refuses warpreel trim one.wrt -o $output
	refuses warpreel replay one.wrt --platform "$platform" --kernel-model roofline -o $output
	refuses warpreel export one.wrt -o $output
	refuses warpreel dump one.wrt -o $output
	refuses warpreel profile -o $output --join before one.wrt
done
refuses warpreel predict rbsor --platform "$platform" --profile one.wrt -o hard.wrt
cp "$platform" mine.ini
refuses warpreel predict rbsor --platform mine.ini -o mine.ini
for part in host link device; do
	refuses warpreel predict rbsor --$part mine.ini -o mine.ini
	refuses warpreel replay one.wrt --$part mine.ini -o mine.ini
done
printf '[sweep]\nplatform = h200x4 ./mine.ini\n[rbsor]\nsize = 64\n' >grid.ini
refuses warpreel sweep grid.ini -o mine.ini
cp "$root/model/cosim/h200.tsv" costs.tsv
for table in pace ages; do
	refuses warpreel predict shape --co-simulate --seeds 1 --size 64 --steps 5 --scheme 4w-square --costs costs.tsv --$table costs.tsv
done
cmp "$root/model/cosim/h200.tsv" costs.tsv && rm costs.tsv grid.ini
cmp "$platform" mine.ini && rm mine.ini
refuses warpreel record --spool one.wrt -o hard.wrt
refuses warpreel trim one.wrt.zst -o one.wrt.zst
echo 'rbsor size=64x64' >list
refuses warpreel time --list list --backend cpu -o list
cat list
cmp one.wrt before && echo "as it was"
left_behind
