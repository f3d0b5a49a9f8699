# What mk/arrows.sh finds in a tree with includes planted against the order.
mkdir -p mk traces/base traces/format sim/engine sim/new
cat >mk/arrows.txt <<'END'
room traces
traces/base
traces/format
room sim traces
sim/engine
room main sim traces
.
except traces/base/old.c traces/format/x.h    it always did
circle sim/engine/a sim/engine/b    they cannot do without each other
END
main='#include "sim/engine/a.h"'
echo "$main" >main.c
echo '#include "../nowhere.h"' >traces/base/util.c
echo '#include "traces/format/x.h"' >traces/base/old.c
echo '#include "sim/engine/a.h"' >traces/format/x.h
echo '#include "b.h"' >sim/engine/a.h
echo '#include "a.h"' >sim/engine/b.h
echo '#include "traces/base/old.c"' >sim/new/c.h
printf '#include "p.h"\n' >traces/format/q_internal.h
printf '#include "q.h"\n' >traces/format/p.c
touch traces/format/p.h traces/format/q.h traces/format/q.c
refuses sh "$root/mk/arrows.sh" . | sort

echo "--- mended"
rm traces/base/util.c sim/new/c.h traces/format/p.c
: >traces/format/x.h
refuses sh "$root/mk/arrows.sh" .

echo "--- what is declared and no longer so"
: >traces/base/old.c
: >sim/engine/b.h
refuses sh "$root/mk/arrows.sh" . | sort
