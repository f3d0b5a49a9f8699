warpreel >/dev/null
