#!/usr/bin/env bash
# Random tables that pyarrow writes as Parquet, for SECONDS_MAX (60) from seed SEED (by default the time). The rows are
# those of the tables. Files with changed bytes are read or refused, and end no run by a signal.
# PYTHON (python3) is one with pyarrow.
. "$(dirname "$0")/../support/claims.sh"
tables=$(cd "$(dirname "$0")/../support" && pwd)/parquet_tables.py
cd "$tmp" || exit 1
python=${PYTHON:-python3}
"$python" -c "import pyarrow" 2>/dev/null || skip_rest "PYTHON has no pyarrow"
[[ -e $(dirname "$LEAT")/../lib/leat/readers ]] || skip_rest "leat is built without libparquet: make deps PARQUET=26.0.1"
cat >lines.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "lines" { leat.source.file { path = leat.args.data }, leat.parse.lines {},
  leat.sink.file { path = "got.txt", format = "raw" } }
LUA
read_it() {
    rm -f got.txt
    leat_run run lines.lua --quiet --set "data=$1"
}
RANDOM=${SEED:-$(date +%s)}
damage() { # damage FILE: damaged.parquet, in which one to eight bytes differ, half of them in the last 4 KB
    cp "$1" damaged.parquet
    local bytes at
    bytes=$(stat -c %s "$1")
    for _ in $(seq $((1 + RANDOM % 8))); do
        at=$(((RANDOM << 15 | RANDOM) % bytes))
        ((RANDOM % 2)) && at=$((bytes - 1 - at % (bytes < 4096 ? bytes : 4096)))
        printf %b "\\0$(printf %o $((RANDOM % 256)))" | dd of=damaged.parquet bs=1 seek=$at conv=notrunc status=none
    done
}
tried=0 wrong=0 damaged=0 ended=0
while ((SECONDS < ${SECONDS_MAX:-60})); do
    seed=$RANDOM
    PYTHONDONTWRITEBYTECODE=1 "$python" "$tables" $seed $((1 + RANDOM % 60)) all >tables.txt
    sed -n 's/^jsonl //p' tables.txt >expected
    while read -r name bytes; do
        [[ $name != jsonl ]] || continue
        base64 -d <<<"$bytes" >"$name.parquet"
        read_it "$name.parquet"
        tried=$((tried + 1))
        cmp got.txt expected || { wrong=$((wrong + 1)) && echo "    seed $seed: $name"; }
        for _ in {1..10}; do
            damage "$name.parquet"
            read_it damaged.parquet
            damaged=$((damaged + 1))
            ((status > 1)) && ended=$((ended + 1)) && cp damaged.parquet "${KEEP:-/tmp/leat-parquet}.$ended"
        done
    done <tables.txt
done
claim "$tried files have the rows of their tables" equal "$wrong" 0
claim "$damaged damaged files are read or refused" equal "$ended" 0
done_claims
