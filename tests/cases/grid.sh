# Domains in files: written, solved, written again, drawn; what is no such domain is refused.
warpreel grid in.grid --size 40x30 && wc -c <in.grid
od -An -tf4 -v -w120 in.grid | awk '{ for (j = 1; j <= NF; j++) { edge = NR == 1 || NR == 40 || j == 1 || j == NF; if ($j != (edge ? 100 : 0)) bad++ } } END { print NR, NF, bad + 0 }'
warpreel solve rbsor --size 40x30 --grid in.grid --iterations 200 --result out.grid --picture out.pgm | grep -o 'residual .*[^ ] ' | awk '{ print ($2 < 1e-4 ? "solved" : $2) }'
od -An -tf4 -v -w120 out.grid | awk '{ for (j = 1; j <= NF; j++) if ($j < 99.9 || $j > 100.001) bad++ } END { print bad + 0, "not 100" }'
# In one go or in two: a solution is a start again. The same by any number of GPUs.
solve() { warpreel solve rbsor --size 40x30 --precision f64 --omega 1 "$@" >/dev/null; }
warpreel grid f64.grid --size 40x30 --precision f64 --boundary -2.5
solve --grid f64.grid --iterations 10 --result whole.grid
solve --grid f64.grid --iterations 4 --result part.grid --gpus 3 && solve --grid part.grid --iterations 6 --result rest.grid --repeat 2 && cmp whole.grid rest.grid && echo "the same in two parts"
head -c 15 out.pgm | head -n 3; wc -c <out.pgm
warpreel solve rbsor --size 40x30 --grid in.grid --iterations 1 --picture first.pgm >/dev/null && tail -c 1200 first.pgm | od -An -tu1 -w30 -v | sed -n '1p;20p'
warpreel grid wide.grid --size 10x3000 && warpreel solve rbsor --size 10x3000 --grid wide.grid --iterations 1 --picture wide.pgm >/dev/null && head -n 2 wide.pgm | tail -n 1
refuses warpreel grid
refuses warpreel grid a.grid --size 1
refuses warpreel grid nowhere/a.grid
refuses warpreel grid /dev/null
refuses warpreel solve rbsor --size 40x31 --grid in.grid
refuses warpreel solve rbsor --size 40x30 --precision f64 --grid in.grid
refuses warpreel solve rbsor --size 20x30 --precision f32 --grid f64.grid
refuses warpreel solve rbsor --size 40x30 --grid nowhere
refuses warpreel solve rbsor --size 40x30 --grid .
head -c 4796 in.grid >nan.grid && printf '\377\377\377\377' >>nan.grid
refuses warpreel solve rbsor --size 40x30 --grid nan.grid
refuses warpreel solve rbsor --size 40x30 --grid in.grid --result in.grid
refuses warpreel solve rbsor --size 40x30 --picture out.png
refuses warpreel solve rbsor --size 40x30 --result nowhere/out.grid
refuses warpreel solve micro --size 4096 --grid in.grid
refuses warpreel solve lmsor --size 66 --problem 1 --max-iterations 4 --picture a.pgm
left_behind
