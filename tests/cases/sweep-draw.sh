# Curves and heat maps of a sweep's columns.
cat >grid.ini <<'END'
[sweep]
gpus = 1 2 4
[rbsor]
size = 64 128 256
border = 1 4
iterations = 8
END
sweep() { warpreel sweep grid.ini --platform "$platform" --kernel-model roofline "$@"; }
sweep --draw rows,core_us && grep -c 'gpus = ' grid.tsv.svg
sweep --draw rows,core_us --by border --picture by.svg && grep -o 'border = [0-9]*' by.svg | sort -u
sweep --draw gpus,border,core_us --picture map.svg && grep -o 'core_us' map.svg
refuses sweep --draw rows,colour
refuses sweep --draw rows
refuses sweep --draw rows,core_us --by colour
refuses sweep --draw rows,solver
left_behind
