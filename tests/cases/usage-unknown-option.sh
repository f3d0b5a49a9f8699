for command in $(commands); do
	refuses warpreel "$command" --frobnicate
done
refuses warpreel predict --sise 512
refuses warpreel solve --precison=f64
refuses warpreel predikt
