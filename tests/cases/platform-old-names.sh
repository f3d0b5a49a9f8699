# Every name that a key once had is taken for the one it has now.
while read -r old new; do
	for key in "$old" "$new"; do
		warpreel predict rbsor --size 512 --gpus 2 --iterations 3 --platform h200x4 --set "$key=0.5x" --format tsv 2>"said.$key" >"answer.$key" || echo "$key refused"
	done
	cmp -s "answer.$old" "answer.$new" || echo "$old and $new answer differently"
done <<'END'
sm.l2_turned_bytes sm.l2_reversed_bytes
sm.l2_fresh_share sm.l2_far_dirty_share
sm.l2_fresh_latency_ns sm.l2_far_dirty_latency_ns
stream.hop_same_ns stream.event_same_ns
stream.hop_peer_ns stream.event_peer_ns
ring.silent_exchange_ns doorbell.silent_exchange_ns
ring.rung_exchange_ns doorbell.rung_exchange_ns
ring.look_ns doorbell.poll_ns
look.sync_ns poll.sync_ns
look.copy_period_ns poll.copy_period_ns
look.copy_polled_ns poll.copy_polled_ns
look.copy_least_ns poll.copy_least_ns
look.copy_call_ns poll.copy_call_ns
ordered.launch_ns peer_exchange.launch_ns
ordered.record_ns peer_exchange.record_ns
ordered.wait_ns peer_exchange.wait_ns
ordered.copy_peer_ns peer_exchange.copy_peer_ns
ordered.call_quantiles peer_exchange.call_quantiles
host.ask_ns host.query_ns
tracer.traced_ask_ns tracer.traced_query_ns
tracer.api_ask_ns tracer.api_query_ns
cold.slowest_call_ns host.slowest_call_ns
END
echo "all asked"
