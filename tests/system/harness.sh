# Tests of plugins outside the tree: <leat/harness.h> and its library, with one cc command.
. "$(dirname "$0")/../support/claims.sh"
[[ $LEAT != *address* && $LEAT != *thread* ]] || skip_rest "the library is linked without sanitizers"
root=$PWD B=$PWD/${B:-build/release}
cd "$tmp" || exit 1

# try NAME CODE…: a test whose main does that with a harness h of feature.clip
try() {
    local name=$1
    shift
    printf '%s\n' '#include <assert.h>' '#include <leat/harness.h>' 'int main(void) {' \
        '    struct harness *h = harness_load("clip.so", "feature.clip");' "$@" '    harness_free(h);' '}' >"$name.c"
    cc -std=c11 -I"$root/runtime/include" -o "$name" "$name.c" -L"$B/lib" -lleat-harness -ldl -lm && ./"$name"
}
has_examples='harness_has(h, LEAT_HAS_EXAMPLES); h->in.examples_per_record = 1; h->in.entries_per_record = 2;'
opened="$has_examples harness_open(h, 10);"
gives='harness_example(h, harness_record(h, ""), 1, "7:1.5 9:8");'

cc -std=c11 -shared -fPIC -fvisibility=hidden -I"$root/runtime/include" -o clip.so "$root/docs/example-plugin/clip.c"
claim "a test of a stage is one source, and one command line" \
    try good 'harness_set(h, "max", "3");' "$opened" "$gives" \
    'assert(harness_process(h) == LEAT_OK);' 'assert(h->b.value[0] == 1.5f && h->b.value[1] == 3);'

ends() { ! try "$@" 2>said; }
claim "a parameter that does not exist ends the test" ends unknown 'harness_set(h, "most", "3");'
claim "with the line of the test" grep -q "unknown.c:5: harness: feature.clip: there is no parameter 'most'" said
claim "so does a value out of its range" ends range 'harness_set(h, "max", "-1");'
claim "with the parameter" grep -q 'range.c:5: harness: feature.clip: max must be' said
claim "and a record for which there is no room" ends room "$opened" 'for (int i = 0; i < 11; i++)' "$gives"
claim "with what to do" grep -q 'room.c:7: harness: .*give harness_open a larger number' said

sed 's/LEAT_REWRITES/0/' "$root/docs/example-plugin/clip.c" >silent.c
cc -std=c11 -shared -fPIC -fvisibility=hidden -I"$root/runtime/include" -o clip.so silent.c
claim "a stage that changes what it does not declare ends the test" \
    ends changes 'harness_set(h, "max", "3");' "$opened" "$gives" 'harness_process(h);'
claim "with what it changed" grep \
    -q 'changes.c:8: harness: feature.clip: process changed value without declaring LEAT_REWRITES' said

# A source whose bytes the host cuts: the harness does that as the host does.
cc -std=c11 -D_GNU_SOURCE -shared -fPIC -fvisibility=hidden -I"$root/runtime/include" -o source.so \
    "$root/runtime/sdk/templates/source.c"
printf 'a,b\r\n1,"2\n3"\nlast,' >in.csv
try_source() { # NAME CODE…: a test with a harness h of it, opened for a record a batch, with one produced
    local name=$1
    shift
    printf '%s\n' '#include <assert.h>' '#include <leat/harness.h>' 'int main(void) {' \
        '    struct harness *h = harness_load("source.so", "source.mystage");' '    harness_set(h, "path", "in.csv");' \
        '    h->framing = (struct leat_framing){.kind = LEAT_CSV, .delimiter = 44, .quote = 34, .header = 1};' \
        '    assert(harness_open(h, 1) == LEAT_OK && harness_produce(h) == LEAT_OK && h->b.n == 1);' \
        "$@" '    harness_free(h);' '}' >"$name.c"
    cc -std=c11 -I"$root/runtime/include" -o "$name" "$name.c" -L"$B/lib" -lleat-harness -ldl -lm && ./"$name"
}
claim "a source's bytes are cut: header, quotes, the place of each record" try_source cut \
    'assert(h->out.header_len == 3 && !memcmp(h->out.header, "a,b", 3));' \
    'assert(h->b.raw[0].len == 7 && !memcmp(leat_text(&h->b, h->b.raw[0]), "1,\"2\n3\"", 7));' \
    'assert(h->b.extent[0].offset == 5 && h->b.extent[0].line == 2);' \
    'assert(harness_produce(h) == LEAT_EOS && h->b.raw[0].len == 5 && h->b.extent[0].line == 4);'
claim "a source is restored where it was" try_source again \
    'size_t n; const void *state = harness_snapshot(h, &n);' \
    'struct harness *g = harness_load("source.so", "source.mystage"); harness_set(g, "path", "in.csv"); g->framing = h->framing;' \
    'assert(harness_continue(g, 1, state, n) == LEAT_OK && harness_produce(g) == LEAT_EOS && g->b.extent[0].line == 4);' 'harness_free(g);'
done_claims
