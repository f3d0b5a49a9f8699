# Profiles derived from machine code: the way that a walk says, every instruction on it once a warp; what does not fit the listing is refused.
{
	printf '\t.section\t.text.tiny,"ax",@progbits\n.text.tiny:\n'
	i=0
	while IFS='|' read -r label words; do
		[ -z "$label" ] || echo "$label:"
		printf '        /*%04x*/  %s ;  /* 0x%016x */\n                      /* 0x000fe20000000f00 */\n' $((i * 16)) "$words" $((i + 1))
		i=$((i + 1))
	done <<'END'
|LDC R1, c[0x0][0x28]
|@P0 BRA `(.L_x_1)
|LDG.E R2, desc[UR4][R4.64]
|BRA `(.L_x_2)
.L_x_1|@!P1 LDG.E.64 R2, desc[UR4][R4.64]
.L_x_2|STG.E.64 desc[UR4][R4.64], R2
|@P2 EXIT
|EXIT
|NOP
END
} >listing
warpreel trim --all "$root/traces/data/h200x4/kernels/patches.wrt.zst" -o template.wrt
walk() { printf "launch\ttiny\t0\t10\t64\t32\t640\t10\n$1access\ttiny\t0\t0\tff\tLDG.E.64\t8\t2\t16\naccess\ttiny\t0\t0\tff\tSTG\t16\t4\t32\n" >walk.tsv; }
derive() { sh "$root/traces/data/derive_profile.sh" listing walk.tsv template.wrt >tiny.wrt; }
walk 'taken\ttiny\t0\t10\n'
derive && warpreel check tiny.wrt | tail -n 1
sqlite3 tiny.wrt 'SELECT offset, warps, threads, sectorsGlobal, tagsGlobal FROM WARPREEL_PROFILE_COUNT ORDER BY offset; SELECT gridX, blockX, l1LoadSectors, l1LoadHits, l2ReadSectors FROM WARPREEL_PROFILE'
warpreel dump tiny.wrt | grep -c 'derived'
walk '' # the other way has a load that no rule is for
refuses derive
walk 'taken\ttiny\t0\t10\t20\n'
refuses derive
walk 'taken\ttiny\t0\t0\n'
refuses derive
# Answers from such a profile say so.
walk 'taken\ttiny\t0\t10\n'
sed 's/tiny/patches_gemv_c/g' listing >renamed && mv renamed listing
sed 's/tiny/patches_gemv_c/g' walk.tsv >renamed && mv renamed walk.tsv
derive
warpreel predict patches --platform h200x4 --kernel gemv-c --kernel-profiles tiny.wrt --allow-extrapolation | grep -o 'derived from its machine code'
warpreel predict patches --platform h200x4 --kernel gemv-c | grep -c 'derived from its machine code' || true
