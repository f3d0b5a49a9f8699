# A file that was calibrated on this machine is taken where no platform is named, and that is said; one of another machine is not.
mkdir -p config/warpreel
own=config/warpreel/here.ini
cpu=$(sed -n '/^model name/{s/^[^:]*: //p;q}' /proc/cpuinfo)
of_this_host() { awk -v cpu="${cpu:-unknown}" -v cpus="$(getconf _NPROCESSORS_ONLN)" '/^host_cpu =/ { $0 = "host_cpu = " cpu } /^host_cpus_online =/ { $0 = "host_cpus_online = " cpus } { print }'; }
sed 's/^name = h200x4/name = here/' "$root/model/platforms/h200x4.ini" | of_this_host >$own
unset WARPREEL_OWN_PLATFORM
export XDG_CONFIG_HOME="$PWD/config"
warpreel predict rbsor | sed 's/:.*//' | head -n 1
warpreel explain rbsor --no-bounds | grep duration | sed 's/  */ /g; s/[0-9.]* us/N us/' | uniq
warpreel replay "$root/traces/data/h200x4/replay/rbsor.wrt.zst" | sed 's/:.*//' | head -n 1
warpreel predict rbsor --platform h200x4 | sed 's/:.*//' | head -n 1
WARPREEL_OWN_PLATFORM='' warpreel predict rbsor | sed 's/:.*//' | head -n 1
# Not where answers are tested.
printf 'solver\tconfig\tmedian_ns\tmad_ns\nmicro\tkernel=copy4 size=4096\t1000\t1\n' >kernels.tsv
warpreel validate --only kernels --kernels kernels.tsv -o rows.tsv >/dev/null && echo "validated"
sed 's/^host_cpu = .*/host_cpu = another/' $own >other.ini
WARPREEL_OWN_PLATFORM=other.ini warpreel predict rbsor | sed 's/:.*//' | head -n 1
