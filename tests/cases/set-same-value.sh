# A key set to the value it has changes nothing, though finer measurements follow it.
file=$root/model/platforms/h200x4.ini
value() { # SECTION KEY: its list on one line
	awk -v section="[$1]" -v key="$2" '
		/^\[/ { here = $0 == section }
		here && go && /^[ \t]/ { text = text " " $0; next }
		{ go = 0 }
		here && $1 == key && $2 == "=" { sub(/^[^=]*=/, ""); text = $0; go = 1 }
		END { gsub(/[ \t]+/, " ", text); print text }' "$file"
}
core() {
	warpreel predict rbsor --platform h200x4 --format tsv "$@" | awk -F '\t' 'NR == 2 { print $4 }'
}
for transport in host peer; do
	was=$(core --size 4096 --gpus 4 --transport $transport)
	for key in host.launch_ns host.copy_h2d_ns host.copy_d2h_ns host.copy_peer_ns host.wait_ns host.sync_wake_ns copy.h2d.ns copy.d2h.ns \
		copy.peer.ns stream.event_peer_ns stream.start_latency_ns nvlink.bytes_per_s share.d2h.bytes_per_s; do
		is=$(core --size 4096 --gpus 4 --transport $transport --set "$key=$(value "${key%.*}" "${key##*.}")")
		awk -v was="$was" -v is="$is" -v what="$transport $key" \
			'BEGIN { d = (is - was) / was; print what ": " (d < 1e-6 && d > -1e-6 ? "same" : was " became " is) }'
	done
done
# Nor does a value of the device, which asks for the model warps, or that model by its name: records still say what they do of pauses.
was=$(core --size 2048)
for how in --set=device.sm_count=132 --set=sm.l2_latency_ns="$(value sm l2_latency_ns)" --kernel-model=warps; do
	[ "$was" = "$(core --size 2048 "${how%%=*}" "${how#*=}")" ] && echo "${how%%=*} $(echo "${how#*=}" | cut -d= -f1): same"
done
# Nor does another key change what was measured finer where the plain cost is 0.
sed '/^\[\(base.\)*host\]/,/^\[/ s/^record_ns = .*/record_ns = 0 0 0/' "$file" >zero.ini
was=$(core --size 1024 --gpus 2 --platform zero.ini) is=$(core --size 1024 --gpus 2 --platform zero.ini --set device.copy_engines=3)
[ "$was" = "$is" ] && echo "a plain cost of 0: same"
