# The public headers are strict C99, C11, C23, C++17 and C++20, each header alone; so are plugins that use them.
# tier: long (27 s)
. "$(dirname "$0")/../support/claims.sh"
flags="-Wall -Wextra -Werror -pedantic-errors -fPIC -fvisibility=hidden -Iruntime/include"
works=tests/abi/1.0/plugins

# In C++20 a stage and its roles are declared as in C. What is left out is zero, of which g++ would warn.
cat >"$tmp/twice.cpp" <<'CXX'
#include <leat/plugin.h>
struct cfg { double by; };
static const leat_param params[] = {LEAT_PARAM(cfg, by, LEAT_FLOAT, .def = "2", .doc = "factor")};
static int process(leat_ctx *ctx, void *self, leat_batch *b)
{
    ++*static_cast<double *>(self);
    for (LEAT_EACH_EXAMPLE(b, e))
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) b->value[i] *= static_cast<float>(static_cast<const cfg *>(ctx->cfg)->by);
    return LEAT_OK;
}
static int snapshot(leat_ctx *, void *self, leat_writer *w) { return w->f64(w, "batches", *static_cast<double *>(self)); }
static int restore(leat_ctx *, void *self, leat_reader *r, uint32_t) { return r->f64(r, "batches", static_cast<double *>(self)); }
static const leat_stage twice = {
    .name = "feature.twice", .summary = "doubles values", .doc = "In C++20.", .example = "leat.feature.twice {}",
    .kind = LEAT_TRANSFORM, .caps = LEAT_STATEFUL | LEAT_REWRITES, LEAT_FLOW(LEAT_HAS_EXAMPLES, 0),
    LEAT_PARAMS(params, cfg), .instance_size = sizeof(double), .process = process,
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
};
LEAT_PLUGIN("twice", "1", "Apache-2.0", "doubles values", &twice);
CXX

# each_header ENDING COMPILER…: a file that includes one header and nothing else
each_header() {
    local ending=$1 header name
    shift
    for header in runtime/include/leat/*.h; do
        name=${header##*/}
        echo "#include <leat/$name>" >"$tmp/only.$ending"
        claim "$name alone is clean: $1 $2" "$@" -c -o "$tmp/only.o" "$tmp/only.$ending"
    done
}

# plugin SOURCE STAGE SAYS COMPILER…: the plugin compiles and is loaded
plugin() {
    local source=$1 stage=$2 says=$3
    shift 3
    claim "${source##*/} compiles: $1 $2" "$@" -shared -o "$tmp/plugin.so" "$source"
    leat_run plugins "$stage" --plugin-path "$tmp/plugin.so"
    claim "and is loaded" grep -qF "$says" "$out"
    rm -f "$tmp/plugin.so"
}

# shellcheck disable=SC2086
for compiler in gcc clang; do
    there_is $compiler "$compiler takes the headers" || continue
    for standard in c99 c11 c2x; do
        each_header c $compiler -std=$standard $flags
        plugin docs/example-plugin/clip.c feature.clip "cut feature values" $compiler -std=$standard $flags
        plugin docs/example-plugin/mean.c learn.mean "the mean label so far" $compiler -std=$standard $flags
        plugin $works/numbers.c source.numbers "the numbers below n" $compiler -std=$standard $flags
    done
done
# shellcheck disable=SC2086
for compiler in g++ clang++; do
    there_is $compiler "$compiler takes the headers" || continue
    for standard in c++11 c++17 c++20; do
        each_header cpp $compiler -std=$standard $flags
        plugin $works/mean.cpp learn.mean_label "In C++." $compiler -std=$standard $flags
    done
    plugin "$tmp/twice.cpp" feature.twice "doubles values" $compiler -std=c++20 $flags -Wno-missing-field-initializers
done
done_claims
