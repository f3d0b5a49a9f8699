# The scheme of paper 003 that the host steps is timed by its kernels, two steps an iteration; others are refused, since a launch goes on where the last stopped.
for solver in poisson shape; do
	warpreel time $solver --scheme base --steps 4 --size 60 --backend cpu --repeat 1 | columns solver,kernel,launches | tail -n 1
	refuses warpreel time $solver --scheme async --steps 4 --size 60 --backend cpu
	refuses warpreel time $solver --scheme reference --steps 4 --size 60 --backend cpu
done
