# What the parser of .ini files would read on over: text behind a section's name, a section without an end; half a thread.
edited() { sed "$1" "${root:?}/model/platforms/h200x4.ini" >edited.ini; refuses warpreel predict rbsor --size 256 --platform ./edited.ini; }
edited 's/^\[sm\]$/[sm]x/'
edited 's/^\[sm\]$/[sm/'
edited 's/^threads = 1 2 4/threads = 0.5 1 2/'
refuses warpreel predict rbsor --size 256 --platform h200x4 --set host.threads=1,1.5,2
refuses warpreel predict rbsor --size 256 --platform h200x4 --set share.h2d.gpus=0.5x
sed 's/^\[sm\]$/[sm] # inside/' "$root/model/platforms/h200x4.ini" >h200x4.ini
warpreel predict rbsor --size 256 --platform ./h200x4.ini --format tsv | columns hypothetical
