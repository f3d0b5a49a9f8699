# The shipped vase: files appear, the surface is a gnuplot script, and no convergence is exit 3 with the residual.
pictures=$root/kernels/images/samples
vase() { warpreel solve shape --image "$pictures/vase.png" --mask "$pictures/vase_mask.png" --format tsv "$@"; }
vase --normals n.png --height h.pgm --surface s.gp --tolerance 1e-3 | columns solver,config | sed "s|$root|ROOT|g"
head -n 2 s.gp; tail -n 1 s.gp; head -n 2 h.pgm
vase --max-steps 10 >/dev/null 2>said; echo "exit $?"; sed 's/residual [0-9].*/residual .../' said
left_behind
