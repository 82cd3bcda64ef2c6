#!/usr/bin/env bash
# Kills runs with --state at random moments, and at fault points, and starts them again.
#
# KILLS (100) is the number of random moments. Each named fault point is hit at its first, second and third time. Every
# fifth run is asked to end instead. Outputs and models must equal those of an undisturbed run. SEED=n repeats the
# moments.
. "$(dirname "$0")/../support/claims.sh"
kills=${KILLS:-100}
RANDOM=${SEED:-1}
cd "$tmp" || exit 1
exec 2>noise
. "$OLDPWD/tests/support/state_runs.sh"
good=0 bad=0 # runs that ended as they should, and others

start() { "$LEAT" run "$script.lua" --set to=cut --state state --quiet "$@"; }
# has seconds
models() { "$LEAT" model dump "$1" | sed 1d | grep '"section":"stage/' | grep -v 'stage/metrics/0","field":"length"'; }
judge() { # judge WORDS
    if same whole cut && cmp <(models watched) <(models state); then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "    $script: $1"
        cp -r "$tmp" "${KEEP:-/tmp/leat-crash}.$bad"
    fi
    rm -rf state cut.*
}

for script in one two uneven; do
    rm -rf whole.* watched watched.*
    "$LEAT" run $script.lua --set to=whole --quiet
    "$LEAT" run $script.lua --set to=watched --state watched --quiet
    done=0
    for ((k = 0; k < kills; k++)); do
        "$LEAT" run $script.lua --set to=cut --state state --quiet --every 2ms &
        sleep "0.$(printf %03d $((RANDOM % 400)))"
        kill -$((k % 5 ? 9 : 15)) $!
        wait $! || continue
        start --every 2ms && judge "after $((k - done)) kills, before number $k"
        done=$k
    done
    start --every 2ms
    judge "after all kills"
    for place in handed_in snapshot_created snapshot_written snapshot_synced snapshot_renamed snapshot_durable; do
        for n in 1 2 3; do
            LEAT_FAULT=$place:$n start --every 5ms
            LEAT_FAULT=$place:$n start --every 5ms
            start --every 5ms
            judge "killed twice at $place, time $n"
        done
    done
    claim "$script: $good runs are as if nothing had happened, after $kills kills and at every fault point" \
        equal "$bad" 0
    good=0 bad=0
done
done_claims
