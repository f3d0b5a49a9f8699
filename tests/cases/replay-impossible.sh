# What no recording can have is refused by name, not taken for nothing.
predicted good.wrt --gpus 2
spoilt() {
	cp good.wrt bad.wrt
	sqlite3 bad.wrt "$1"
	refuses warpreel replay bad.wrt --platform "$platform" --format tsv
}
spoilt "update CUPTI_ACTIVITY_KIND_MEMCPY set bytes = -5 where rowid = 3"
spoilt "update WARPREEL_RUN set gpus = -1"
spoilt "update WARPREEL_RUN set gpus = 100000"
