#!/usr/bin/env bash
# Tests the plugin in this folder: the laws of every stage (leat plugin test), and that a run that is killed and
# continued gives the same as an undisturbed run. LEAT: the command.
set -eu
leat=${LEAT:-leat}
command -v "$leat" >/dev/null ||
    { echo "test.sh: there is no command $leat: say where it is: make test LEAT=PREFIX/bin/leat" >&2; exit 1; }
export LEAT_PLUGIN_PATH=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
show() { if [[ $1 == *.db ]]; then sqlite3 "$1" "select * from rows order by rowid"; else cat "$1"; fi; }
input() { # writes 20,000 records in the pipeline's format
    awk -v pairs="$(grep -c parse.mystage test.lua)" 'BEGIN {
        srand(1)
        split("Bern Köln Paris Rom Wien Zürich", city, " ")
        if (!pairs) print "city,kind,amount"
        for (i = 0; i < 20000; i++) {
            c = city[1 + int(rand() * 6)]; k = c ~ /n/ ? "a" : "b"; n = int(rand() * 1000)
            print pairs ? "city: " c "; kind: " k "; amount: " n : c "," k "," n
        }
    }'
}
input >"$tmp/in"
end=$(sed -n 's/.*args.out or "out\.\([a-z]*\)".*/\1/p' test.lua)
run() { "$leat" run test.lua --quiet --set data="$tmp/in" --set out="$tmp/$1.$end" "${@:2}"; }

"$leat" plugin test ./*.so test.lua --set data="$tmp/in" --set out="$tmp/laws.$end"

run whole --state "$tmp/whole" >"$tmp/whole.answer"
for i in 1 2 3; do # ends the process once its n-th snapshot is on disk
    LEAT_FAULT=snapshot_durable:$((i + 1)) run killed --state "$tmp/killed" --every 3000 >"$tmp/killed.answer" \
        2>/dev/null || true
done
run killed --state "$tmp/killed" --every 3000 >"$tmp/killed.answer"
cmp <(show "$tmp/whole.$end") <(show "$tmp/killed.$end")
cmp "$tmp/whole.answer" "$tmp/killed.answer"
echo "ok a run that was killed three times and continued gives the same"

if [[ $end == db ]]; then # the sink's commits are enough to continue from
    LEAT_FAULT=snapshot_durable:3 run lost --state "$tmp/lost" --every 3000 2>/dev/null || true
    rm -r "$tmp/lost"
    run lost --state "$tmp/lost" --every 3000 2>/dev/null
    cmp <(show "$tmp/whole.$end") <(show "$tmp/lost.$end")
    echo "ok a run whose snapshots were lost has each row once"
fi
