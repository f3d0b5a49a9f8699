# The same plan twice is the same, whatever it costs; another border is another plan.
predicted a.wrt --gpus 2
predicted b.wrt --gpus 2 --set nvlink.bytes_per_s=1e9
predicted c.wrt --gpus 2 --border 2
warpreel compare --operations a.wrt b.wrt
warpreel compare --operations --format tsv a.wrt b.wrt
refuses warpreel compare --operations a.wrt c.wrt
