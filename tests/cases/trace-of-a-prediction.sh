# A prediction is a trace: it opens, is complete, replays to what was predicted, and says that it was predicted.
predicted one.wrt --gpus 2 --transport host
predicted two.wrt.zst --gpus 2 --transport host
warpreel check one.wrt >check && echo complete || cat check
warpreel dump one.wrt >one.txt
warpreel dump two.wrt.zst >two.txt
cmp one.txt two.txt && echo "compressed or not, the same"
warpreel info one.wrt | grep -c predicted
warpreel replay one.wrt --platform "$platform" --format tsv | columns solver,config,gpus,kernel_model | tail -n 1
warpreel info --format tsv one.wrt | head -n 1
