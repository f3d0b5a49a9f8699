# Pictures that do not go together, masks that leave nothing to do or nothing to hold on to, and words that mean nothing.
pictures=$root/kernels/images/samples
ball="--source $pictures/ball.png --target $pictures/pool.png"
printf 'P5\n72 72\n255\n' >empty.pgm; head -c 5184 /dev/zero >>empty.pgm
printf 'P2\n2 2\n255\n255 255 255 255\n' >all.pgm
printf 'P2\n2 2\n255\n255 0 0 0\n' >corner.pgm
for options in "--source $pictures/ball.png" "$ball --mask $pictures/vase_mask.png" "$ball --mask empty.pgm" "$ball --mask nowhere.png" \
	"$ball --mask $pictures/ball_mask.png --offset 150,40" "--source all.pgm --mask all.pgm --target all.pgm" '--offset 3' '--offset 16385,0' '--offset 1,2,3' \
	'-o picture.jpeg' '-o nowhere/a.png' '--gpus 2' '--gpus 2 --scheme cluster' '--gpus 2 --scheme free' '--gpus 9 --scheme async' '--gpus 2 --scheme base --ages a.tsv' '--guide none' '--size 2' '--tolerance -1' '--size 100 --objects 10' \
	'--scheme base --watch w.tsv' '--scheme flags --watch w.tsv' '--scheme graph --resident 3' '--scheme 4w-stripe --ages a.tsv --watch ./a.tsv' \
	'--scheme 4w-stripe --phases p.tsv' '--scheme free --phases p.tsv' '--scheme coarse --phases p.tsv --watch w.tsv' '--scheme 4w-stripe --ages a.tsv --phases ./a.tsv' \
	'--scheme 4w-stripe --host-sync 0' '--scheme 4w-stripe --exchange 0' '--scheme 4w-stripe --resident -1' '--scheme 4w-stripe --threads 33' '--scheme apart --threads 128'; do
	# shellcheck disable=SC2086
	refuses warpreel solve poisson $options 2>&1 | sed "s|$pictures|PICTURES|g"
done
# Who gives up says how far it is.
for scheme in reference base 4w-square free; do warpreel solve poisson --size 64 --scheme $scheme --max-steps 20 --host-sync 20 >given; echo "exit $?"; grep -c '^  residual .* after 20 iterations' given; done
rm given
# What is read is not written over, by whatever name, and two files are not one.
cp all.pgm mine.pgm; cp corner.pgm mask.pgm; ln -s mine.pgm link.pgm
mine="--source mine.pgm --mask mask.pgm --target all.pgm"
for options in '-o mine.pgm' '-o ./mask.pgm' '-o all.pgm' '-o a.pgm --scheme 4w-stripe --ages ./a.pgm' '--scheme 4w-stripe --ages mask.pgm' '-o link.pgm'; do
	# shellcheck disable=SC2086
	refuses warpreel solve poisson $mine $options
done
cmp mine.pgm all.pgm && cmp mask.pgm corner.pgm && echo untouched
refuses warpreel solve shape --image mine.pgm --normals mine.pgm
# What has no neighbours is not computed to a NaN.
printf 'P2\n1 1\n255\n9\n' >one.pgm; refuses warpreel solve shape --image one.pgm; rm one.pgm
rm mine.pgm mask.pgm link.pgm
# A mask that reaches the edge of the target lacks neighbours there, and that is all.
warpreel solve poisson --source all.pgm --mask corner.pgm --target all.pgm | sed -n 's/.*\(after .* iterations\).*/\1/p'
for options in '--light 0,0,0' '--light 1,2' '--light 0,0,-1' '--mask a.png' '--lambda 0' '--white 0' '--edge round' '--normals a.png --height ./a.png'; do
	# shellcheck disable=SC2086
	refuses warpreel solve shape $options
done
warpreel predict poisson --platform "$platform" --kernel-model roofline --scheme reference; echo "exit $?"
left_behind
