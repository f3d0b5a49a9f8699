# A configuration with long names of pictures is whole in the table, and with it what comes behind them.
long=$(printf 'p%.0s' {1..150})
printf 'P2\n64 64\n255\n%s\n' "$(seq 4096 | awk '{ print 50 + $1 % 7 }')" >"$long.pgm"
printf 'P2\n64 64\n255\n%s\n' "$(seq 4096 | awk '{ print 255 }')" >"${long}m.pgm"
printf '[sweep]\n[shape]\nimage = %s.pgm\nmask = %sm.pgm\nsteps = 120 240\nscheme = base\n' "$long" "$long" >grid.ini
warpreel sweep grid.ini --platform h200x4 --kernel-model roofline
columns config <grid.tsv | tail -n +2 | awk '{ print(length($0) > 256 ? "long" : "cut", $0 ~ "steps=120", $0 ~ "steps=240") }'
