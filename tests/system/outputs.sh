# Files that a run must not overwrite or empty; dead letters with their reason; plugins in the place of others.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >out.lua <<'LUA'
local leat = require "leat"
local a = leat.args
return leat.pipeline "out" { leat.source.file { "rows" }, leat.parse.libsvm {}, leat.sink.file { path = a.out },
  dead_letters = a.dead, max_reject_ratio = 1 }
LUA
echo '+1 1:1' >rows
summary() { leat_run run out.lua --quiet --set out=result --summary "$1"; }

ln -s rows link && ln rows hard && ln -s out.lua script && cp rows rows.kept && cp out.lua out.kept
for path in rows link hard; do
    summary $path
    claim_exit "--summary $path, which is an input, is refused" 2
    claim_says "and says so" "\"$path\"" "would be overwritten"
done
summary script
claim_exit "so is the script by a link" 2
touch result && ln -s result other
summary result
claim_exit "and a sink's output" 2
summary other
claim_exit "by a link as well" 2
claim "nothing was overwritten" sh -c 'cmp rows rows.kept && cmp out.lua out.kept && test ! -s result'
summary s.json
claim_exit "another file is written" 0

echo kept >dead
leat_run run out.lua --quiet --set out=/nowhere/x --set dead=dead
claim_exit "a run whose sink cannot be opened fails" 1
claim "and leaves the dead letters of the last one" equal "$(<dead)" kept
leat_run run out.lua --quiet --set out=result --set dead=dead
claim "a run that starts empties them" test ! -s dead

long=$(printf 'x%.0s' {1..300})
for ((i = 0; i < 1000; i++)); do echo "+1 $long"; done >rows
echo '+1 1:1' >>rows
leat_run run out.lua --quiet --set out=result --set dead=dead
claim "every dead letter has a message, however many a batch rejects" \
    equal "$(jq -r 'select(.message == "") | 1' dead | wc -l) $(wc -l <dead)" "0 1000"

cat >replace.c <<'C'
#include <leat/plugin.h>
static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b) { (void)ctx, (void)self, (void)b; return LEAT_OK; }
static const struct leat_stage stage = {.name = "feature.normalize", .kind = LEAT_TRANSFORM, .process = process};
LEAT_PLUGIN("mine", "1", "MIT", "takes a place", &stage);
C
mkdir with && ${CC:-cc} -shared -fPIC -I"$OLDPWD/runtime/include" -o with/mine.so replace.c
for command in run check; do
    leat_run $command out.lua --set out=result --plugin-path with
    claim_says "$command says that a plugin takes the place of a built-in stage, with both files" \
        "warning: with/mine.so: its stage feature.normalize replaces the one of" "featurizers.so"
done
done_claims
