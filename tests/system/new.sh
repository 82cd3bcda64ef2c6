# leat new: the new plugin builds and passes its own tests, in every language and of every kind. Mistakes are named.
# tier: long (100 s)
. "$(dirname "$0")/../support/claims.sh"
[[ $LEAT != *address* && $LEAT != *thread* ]] || skip_rest "plugins are built without sanitizers"
mkdir "$tmp/pc"
printf 'Name: leat\nDescription: headers\nVersion: 0\nCflags: -I%s\n' "$PWD/runtime/include" >"$tmp/pc/leat.pc"
export PKG_CONFIG_PATH=$tmp/pc LEAT XDG_DATA_HOME=$tmp/data
root=$PWD
cd "$tmp" || exit 1

# lines FILE: those with code
lines() { grep -cvE '^ *(//.*|/?\*.*)?$' "$1"; }
for kind in source parser feature learner sink transaction; do
    claim "the manual says how many lines a $kind has" grep -qE "^\|.*\| .$kind. \|.*\| $(lines \
        "$root/runtime/sdk/templates/$kind.c"), $(lines "$root/runtime/sdk/templates/$kind.rs") \|" \
        "$root/docs/plugins.md"
done
claim "and the smallest stage" grep -q "clip.c), has $(lines "$root/docs/example-plugin/clip.c"):" \
    "$root/docs/plugins.md"
# tested KIND LANG: a plugin of that kind builds without a word and passes its tests
tested() {
    local kind=$1 lang=$2 name=my_$1_$2 end=${2/rust/rs}
    leat_run new plugin "$name" --kind "$kind" --lang "$lang"
    claim_exit "a $kind in $lang is made" 0
    claim "with few lines" below "$(lines "$name/$name.$end")" 150
    claim "it builds without a word" equal "$(make -s -C "$name" 2>&1)" ""
    make -s -C "$name" test >"$name.log" 2>&1
    claim "it passes its tests" test $? = 0
    claim "with no law left out" grep -qE '^[0-9]+ passed, 0 failed$' "$name.log"
    leat_run plugin test "$name/$name.so"
    claim "nor without a pipeline: $(tail -1 "$out")" grep -qE '^[0-9]+ passed, 0 failed$' "$out"
    claim "and says so: $(tail -1 "$name.log")" grep -q "^ok a run that was killed three times" "$name.log"
}
for kind in source parser feature learner sink transaction; do
    tested "$kind" c
    tested "$kind" cpp
    ! there_is rustc "a $kind in Rust" || tested "$kind" rust
done

# ---- what docs/guide/plugins says of mistakes: a change of the template, and the law that tells it ----
mistaken() { # KIND LAW CHANGE
    rm -rf mistaken
    "$LEAT" new plugin mistaken --kind "$1" >/dev/null && cp mistaken/mistaken.c before.c &&
        sed -i "$3" mistaken/mistaken.c && ! cmp -s before.c mistaken/mistaken.c &&
        make -s -C mistaken 2>/dev/null && "$LEAT" plugin test mistaken/mistaken.so --law "$2" >told
    [[ $? == 1 ]] && grep -q "^not ok [a-z]*.mistaken $2: " told
}
while read -r kind law change; do
    claim "$kind: $law tells '$change'" mistaken "$kind" "$law" "$change"
done <<'MISTAKES'
source source-restore s/ctx->host->cut_place(ctx, 0, &offset, &line);/offset = (uint64_t)lseek(((struct source *)self)->fd - 1, 0, SEEK_CUR), line = 1;/
source planned s/BYTES + LEAT_CUT_BYTES(RECORD_MAX)/0/
source runs-out /if (!s->bytes) return LEAT_ENOMEM;/d
source process s/close(((struct source \*)self)->fd - 1);/(void)self;/
source ends s/if (s->ended) return LEAT_EOS;/if (s->ended) return LEAT_AGAIN;/
source stops s/poll(ready, 2, WAIT_MS)/poll(ready, 1, WAIT_MS)/
source stops /^static int header/,/^}/s/ && !ctx->host->stopping(ctx)//
parser whole-batch /every record needs a value/,+1d
parser whole-batch s/b->column\[p->first + i\].text\[r\] = none;/(void)none;/
parser empty s/for (LEAT_EACH_RECORD(b, r))/for (uint32_t r = 0; r < b->n; r++)/
feature hostile s/entries_per_256_bytes = 256;/entries_per_256_bytes = 8;/
feature arrangement s/leat_text(b, gram), gram.len);/leat_text(b, gram), gram.len + 1);/
feature config s/const struct cfg \*cfg = (const struct cfg \*)ctx->cfg;/struct cfg *cfg = (struct cfg *)(uintptr_t)ctx->cfg; cfg->n = 3;/
feature returns s/return ctx->host->fail(ctx, status, .*/return 1;/;s/return LEAT_OK;$/return 1;/
learner predicts-first s|b->score\[e\] = margin(m, b, e); /\* always before learning \*/|update(m, b, e, y == 1 ? 1 : -1), b->score[e] = margin(m, b, e);|
learner weight-0 s/b->ex_weight\[e\] > 0 && //;s/y \* b->ex_weight\[e\]/y/
learner damaged-state s/!isfinite(/0 \&\& isfinite(/
learner restore /m->weight\[i\] = (float)/s/times/0 * times/
learner merge-counts s/times \* (double)weight/0.5 * (double)weight/;s/((double)m->weight\[i\]/(0.5 * (double)m->weight[i]/
learner arrangement s/const float y = b->ex_label\[e\];/const float y = b->label[e];/
learner weights s/y \* b->ex_weight\[e\]/y/
learner query /^static int query/,/^}/s/leat_top_rebuild(t);/(void)t;/
learner damaged-numbers s/if (!isfinite((float)(own/if (i \&\& !isfinite((float)(own/
learner planned s/(uint64_t)size_of(cfg) \* sizeof(float)/0/;s/bits = 12/bits = 18/
sink delivers s/return flush(ctx, self);/(void)ctx, (void)self; return LEAT_OK;/
sink writes s/fopen(((const struct cfg \*)ctx->cfg)->path, "a")/fopen("somewhere.tsv", "a")/
sink writes s/fclose(((struct sink \*)self)->file);/(void)self;/;s/\.stop = flush,//
sink resumes s/ftruncate(fileno(s->file), (off_t)s->written) || //
transaction fence s/update run set checkpoint = %lld; commit/commit/
transaction at-once s/update run set checkpoint = %lld; commit/commit; update run set checkpoint = %lld/
transaction vanish s/status = step(ctx, s, s->insert);/status = step(ctx, s, s->insert), status = status < 0 ? status : run(ctx, s, "commit; begin");/
transaction fenced s/if (number(s, "select owner from run") == s->owner) return LEAT_OK;/return LEAT_OK;/
transaction positions s/replace into place/insert or ignore into place/
MISTAKES
if there_is cmake "CMake builds it, too"; then
    cmake -S my_feature_c -B cmade -DCMAKE_BUILD_TYPE=Release >cmake.log 2>&1 && cmake --build cmade >>cmake.log 2>&1
    claim "CMake builds it, too" test -s cmade/my_feature_c.so
fi
make -s -C my_feature_c install
leat_run plugins feature.my_feature_c
claim "make install puts it where leat finds it" grep -q "n-grams of characters" "$out"

# ---- where leat is not installed ----
"$LEAT" new plugin alone >/dev/null
apart() { env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR=none LEAT=none/leat make -s -C alone "$@" >"$out" \
    2>"$err"; status=$?; }
apart
claim "make fails without leat's headers" test "$status" != 0
claim "in one line" equal "$(wc -l <"$err")" 1
claim_says "with what to do" \
    "leat/plugin.h is not found: install leat and pkg-config, or say where it is: make PKG_CONFIG_PATH=PREFIX/lib/pkgconfig, or of its sources make HEADERS=-ISOURCES/runtime/include LEAT=SOURCES/build/leat"
apart clean
claim "make clean needs none" test "$status" = 0
apart PKG_CONFIG_PATH="$tmp/pc"
claim "what it says does it" test "$status" = 0 -a -s alone/alone.so
rm alone/alone.so
apart HEADERS=-I"$root/runtime/include"
claim "of the sources, too" test "$status" = 0 -a -s alone/alone.so
apart HEADERS=-I"$root/runtime/include" test
claim_says "make test says that there is no leat" \
    "test.sh: there is no command none/leat: say where it is: make test LEAT=PREFIX/bin/leat"

leat_run new pipeline mine
claim_exit "a pipeline is made" 0
claim "its tests pass" make -s -C mine test
claim "it runs on its records" make -s -C mine run

# ---- mistakes ----
refuses() { # refuses WHAT TEXT ARGS…
    local what=$1 says=$2
    shift 2
    leat_run new "$@"
    claim_exit "$what is refused" 2
    claim_says "with what to do" "$says"
}
refuses "another thing" "new makes a plugin, a pipeline or an application, not 'plugn': did you mean plugin?" plugn x
refuses "nothing" "the kind and the name are missing: leat new plugin NAME, leat new pipeline NAME, or leat new application NAME"
refuses "no name" "give one name: leat new plugin NAME" plugin
refuses "a name with capitals" "Mine: a name begins with a lower-case letter" plugin Mine
refuses "a path" "a/b: a name has lower-case letters, digits and _ only" plugin a/b
refuses "a folder that is there" "mine: this name exists here already: take another name, or remove it" plugin mine
refuses "the name of a stage" "learn.awm: a stage has this name already: take another one" plugin awm \
    --kind learner
refuses "a kind" "--kind takes source, parser, feature, learner, sink or transaction, not lerner: did you mean learner?" plugin x --kind lerner
refuses "a language" "--lang takes c, cpp or rust, not c++" plugin x --lang c++
refuses "a kind of pipeline" "only a plugin has a kind and a language: remove --kind" pipeline x --kind sink
claim "and nothing is made" test ! -e x
done_claims
