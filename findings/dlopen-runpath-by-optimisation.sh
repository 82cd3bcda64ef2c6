#!/usr/bin/env bash
# dlopen-runpath-by-optimisation -- -O2 changes whose RUNPATH dlopen() searches, and so which plugin it opens
#
# A library has a function `return dlopen(name, flags);` and a RUNPATH with its folder of plugins.
# The program that calls this function has a RUNPATH with a folder of its own. Both folders hold count.so.
#
# Guess: the RUNPATH of the library counts, since dlopen(3) names the object that calls dlopen().
# Truth: the guess holds with -O0 and -O1. With -O2 the RUNPATH of the program counts, with GCC and with clang.
#        Another file is opened, and nothing warns. If the program has no such folder, dlopen() fails.
#
# Cause: glibc takes the caller from the return address of dlopen(). The call is the last act of the function,
#        so -O2 makes a jump of it. The return address then lies in the program.
# Cure:  -fno-optimize-sibling-calls for this file.
#
# Seen with: glibc 2.36-9+deb12u14, gcc-12 12.2.0-14+deb12u1, clang-14 1:14.0.6-12 (Debian 12, amd64).
#          With glibc 2.41, gcc-14 14.2.0-19 and clang-19 1:19.1.7-3 (Debian 13) too. That clang jumps from -O1 on.
# Sources: glibc, dlfcn/dlopen.c (RETURN_ADDRESS); GCC's manual on -foptimize-sibling-calls;
#          https://github.com/openucx/ucx/pull/4677 met it in a test.
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
    printf '%-46s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions libc6 libc6-dev gcc-12 clang-14

cat >opener.c <<'C'
#include <dlfcn.h>

void *plugin_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
C

cat >program.c <<'C'
#include <dlfcn.h>
#include <stdio.h>

void *plugin_open(const char *name);

int main(void)
{
    void *plugin = plugin_open("count.so");
    const char **owner = plugin ? dlsym(plugin, "owner") : NULL;
    puts(owner ? *owner : "not found");
    return 0;
}
C

mkdir -p library/plugins own
echo "const char *owner = \"the library's\";" >library.c
echo "const char *owner = \"the program's\";" >own.c
gcc-12 -fPIC -shared -o library/plugins/count.so library.c
gcc-12 -fPIC -shared -o own/count.so own.c

# opened COMPILER RUNPATH OPTION...: prints whose count.so is opened; the options are those of the library.
opened() {
    compiler=$1 runpath=$2
    shift 2
    "$compiler" "$@" -fPIC -shared -o library/libopener.so opener.c "-Wl,-rpath,$work/library/plugins"
    gcc-12 -O2 -o program program.c -Llibrary -lopener "-Wl,-rpath,$work/library$runpath"
    ./program
}

for compiler in gcc-12 clang-14; do
    expect "$compiler -O0" "$(opened $compiler ":$work/own" -O0)" "the library's"
    expect "$compiler -O1" "$(opened $compiler ":$work/own" -O1)" "the library's"
    expect "$compiler -O2" "$(opened $compiler ":$work/own" -O2)" "the program's"
    expect "$compiler -O2, no folder of the program" "$(opened $compiler "" -O2)" "not found"
    expect "$compiler -O2 -fno-optimize-sibling-calls" \
        "$(opened $compiler ":$work/own" -O2 -fno-optimize-sibling-calls)" "the library's"
done
exit $changed
