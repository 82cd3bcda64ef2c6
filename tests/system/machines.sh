#!/usr/bin/env bash
# States of another kind of machine: learners that begin on one machine and continue on the other, in turn.
#
# OTHER runs leat for the other machine: by default what make CROSS=… has built, by qemu. RUN is that of tests/run.sh.
# tier: long (60 s)
source "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit
built=$(dirname "$script")/../../build/release-aarch64-linux-gnu/bin/leat
OTHER=${OTHER:-${RUN:-qemu-aarch64 -L /} $built}
$OTHER --version >/dev/null 2>&1 || skip_rest "this cannot run here, as built by make CROSS=aarch64-linux-gnu: $OTHER"

learners=(adagrad awm bear bias count_min fm fm_ftrl ftrl_proximal full_on hash logistic mission oja_son
    prob_truncation rp_son space_saving truncation wm)
{
    echo 'local leat = require "leat"'
    echo 'return leat.pipeline "machines" { leat.source.file { path = "../data.svm" }, leat.parse.libsvm {}, leat.tee {'
    for name in "${learners[@]}"; do
        echo "{ leat.learn.$name { id = '$name' }, leat.sink.predictions { path = '$name' } },"
    done
    echo '}, batch_rows = 100 }'
} >machines.lua
svm_examples 7 6000 6 300 | sed -E 's/:1( |$)/:0.37\1/g' >whole.svm
cut=(1500 3000 4500 6000)

# learn NAME A B C D: runs in the folder NAME, each of a longer file, "here" or "there"
learn() {
    local name=$1 part=0 where command
    shift
    mkdir "$name"
    for where in "$@"; do
        command=$LEAT
        [[ $where == here ]] || command=$OTHER
        head -n "${cut[part++]}" whole.svm >data.svm
        (cd "$name" && $command run ../machines.lua --quiet --state state) || return
    done
}
dump() { "$LEAT" model dump "$1/state" | sed 1d | grep -v '"field":"created"'; }
same() { cmp <(dump "$1") <(dump "$2") && diff -r -x state "$1" "$2"; }

claim "learners take four parts of a file on this machine" learn home here here here here
claim "on the other machine" learn away there there there there
claim "and on both in turn" learn turns here there here there
claim "states have many numbers" [ "$(dump home | wc -l)" -gt 100 ]
claim "a state of this machine is that of the other, to the bit, and so are predictions" same home away
claim "a state of both in turn, too" same home turns
done_claims
