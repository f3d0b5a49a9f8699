# A list, one row each; a configuration that cannot run costs a warning and the exit code, not the others.
cat >list <<'END'
# a comment
rbsor 1 size=64x64 iterations=3
rbsor 2 size=64x64 iterations=3 border=2 transport=host
rbsor 8 size=64x64 iterations=3 border=99
rbsor 4 size=64x64 iterations=3 precision=f64
END
warpreel batch list --backend cpu --repeat 2 --visit here >table; echo "exit $?"
columns solver,config,gpus,iterations,checksum,repeat,backend,visit <table
