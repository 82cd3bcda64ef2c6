#!/usr/bin/env bash
# gcc-target-clones-ignore-hidden -- GCC exports a target_clones function from a plugin whose symbols are all hidden
#
# A plugin is built with -fvisibility=hidden. It has a function sum() with target_clones("avx2", "default").
# The host has a function sum() of its own, and is linked with -rdynamic for the sake of its plugins.
#
# Guess: target_clones only adds versions of the code. sum() stays hidden, so the plugin calls its own sum().
# Truth: the plugin exports sum() and sum.resolver, and calls the host's sum(). Nothing warns.
#        visibility("hidden") on the function and `#pragma GCC visibility push(hidden)` change nothing.
#        The same source without target_clones, or compiled with clang, calls its own function.
#
# Cause: GCC makes the symbol anew, as an ifunc that picks the version, and gives it default visibility.
#        Calls in the same file go to the ifunc, by way of the PLT. So the loader looks the name up.
#        It looks in the global scope first, and finds the function of the host.
# Cure:  `static` for the function, or a version script with `local: *` for the plugin.
#
# Seen with: gcc-12 12.2.0-14+deb12u1 (gcc-11 11.3.0-12 too), clang-14 1:14.0.6-12, binutils 2.40-2 (Debian 12, amd64);
#          with gcc-14 14.2.0-19, clang-19 1:19.1.7-3 and binutils 2.44-3 (Debian 13) too.
# Sources: GCC, gcc/attribs.cc (make_dispatcher_decl makes the symbol and copies no visibility).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE...: prints the version of each package; installs missing ones.
versions() {
    if ! dpkg-query -W "$@" >/dev/null 2>&1; then
        apt-get update -qq >/dev/null 2>&1
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
    fi
    dpkg-query -W -f '${Package} ${Version}\n' "$@"
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-34s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions libc6 libc6-dev gcc-12 clang-14 binutils

cat >plugin.c <<'C'
#ifndef HOW
#define HOW
#endif

HOW int sum(const int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

__attribute__((visibility("default"))) int plugin_run(void)
{
    int values[] = {1, 2, 3};
    return sum(values, 3);
}
C

cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>

/* A function of the host, with nothing but the name in common. */
int sum(const int *values, int count)
{
    (void)values;
    (void)count;
    return -1;
}

int main(int argc, char **argv)
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin)
        return puts(dlerror()), 1;
    return printf("%d\n", ((int (*)(void))dlsym(plugin, "plugin_run"))()), 0;
}
C
gcc-12 -O2 -rdynamic -o host host.c
echo '{ global: plugin_run; local: *; };' >plugin.map

# sum_of HOW COMPILER OPTION...: prints the sum of 1, 2, 3 in the plugin, and the symbols that it exports.
sum_of() {
    how=$1 compiler=$2
    shift 2
    "$compiler" -O2 -fPIC -fvisibility=hidden -shared "-DHOW=$how" -o plugin.so "$@" plugin.c
    echo "$(./host ./plugin.so), exports $(nm -D --defined-only plugin.so | cut -d' ' -f3 | sort | paste -sd' ')"
}

clones='__attribute__((target_clones("avx2", "default")))'
hidden='__attribute__((target_clones("avx2", "default"), visibility("hidden")))'
echo '#pragma GCC visibility push(hidden)' >pragma.h
expect "gcc-12, no clones" "$(sum_of "" gcc-12)" "6, exports plugin_run"
expect "gcc-12, clones" "$(sum_of "$clones" gcc-12)" "-1, exports plugin_run sum sum.resolver"
expect "gcc-12, clones, hidden" "$(sum_of "$hidden" gcc-12)" "-1, exports plugin_run sum sum.resolver"
expect "gcc-12, clones, pragma" "$(sum_of "$clones" gcc-12 -include pragma.h)" "-1, exports plugin_run sum sum.resolver"
expect "gcc-12, clones, static" "$(sum_of "$clones static" gcc-12)" "6, exports plugin_run"
expect "gcc-12, clones, version script" \
    "$(sum_of "$clones" gcc-12 -Wl,--version-script=plugin.map)" "6, exports plugin_run"
expect "clang-14, clones" "$(sum_of "$clones" clang-14)" "6, exports plugin_run sum.resolver"
exit $changed
