# The shipped pictures cloned: PNG and PPM agree, a second run gives the same bytes, and mixed gradients another picture.
pictures=$root/kernels/images/samples
clone() { warpreel solve poisson --source "$pictures/ball.png" --mask "$pictures/ball_mask.png" --target "$pictures/pool.png" --offset 90,40 --format tsv "$@"; }
clone -o a.png | columns iterations,checksum >first
clone -o b.ppm | columns iterations,checksum | cmp - first
tail -n 1 first
# A picture cloned into itself is itself, and so is a PNG made of a PPM.
warpreel solve poisson --source b.ppm --mask b.ppm --target b.ppm -o c.png >same && cmp a.png c.png && sed -n 's/.*\(after .* iterations\).*/\1/p' same
clone -o mixed.png --guide mixed >mixed.tsv
cmp -s a.png mixed.png || echo "mixed is another"
# Outside of the mask nothing has changed; the names of formats are those of the files.
head -c 8 a.png | tail -c 7 | head -c 3; echo; head -n 2 b.ppm
left_behind
