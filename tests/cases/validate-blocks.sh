# A run in blocks has baselines of one GPU, which takes the grid whole.
printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\njacobi\tsize=2048x2048 precision=f32 border=1 transport=peer iterations=10 partition=1x2\t2\t400\t1\n' >measured.tsv
sed 's/^name = .*/name = like/; s/^source = measured/&\nkernels = h200x4/' "$root/model/platforms/h200x4.ini" >like.ini
warpreel validate --platform like.ini --measured measured.tsv --only runs --models default -o rows.tsv >summary.txt 2>messages.txt
columns set,model,gpus,config <rows.tsv
