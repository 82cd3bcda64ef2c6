#!/usr/bin/env bash
# gcc-atomic-double-needs-libatomic -- `x += y` on a C11 _Atomic double needs libatomic with GCC, though it is lock-free
#
# A plugin adds to a shared sum: `_Atomic double sum; sum += value;`. On amd64 8 bytes are lock-free.
#
# Guess: the compiler emits a loop round `lock cmpxchg`, and no library is needed. libatomic is for 16 bytes.
# Truth: GCC also emits a call to __atomic_feraiseexcept(), a function of libatomic.
#        The shared object links without a warning, even with -Wall -Wextra.
#        Then dlopen(RTLD_NOW) refuses it for an undefined symbol. clang emits the bare loop.
#        A loop by hand with atomic_compare_exchange_weak() needs no library with GCC either.
#        It was also some 20 times faster: 10 ns an addition, against 190 ns.
#
# Cause: C11 (6.5.16.2, footnote) lets only the round that succeeds leave floating-point exceptions.
#        So GCC saves the floating-point environment and clears it for each round. After the last round
#        it restores the environment and raises the new exceptions, by that call. clang omits this.
# Cure:  -latomic, or -fno-trapping-math, or the loop by hand.
#
# Seen with: gcc-12 12.2.0-14+deb12u1, clang-14 1:14.0.6-12, glibc 2.36-9+deb12u14 (Debian 12, amd64);
#          with gcc-14 14.2.0-19 and clang-19 1:19.1.7-3 (Debian 13) too.
# Sources: GCC, TARGET_ATOMIC_ASSIGN_EXPAND_FENV (ix86_atomic_assign_expand_fenv; AArch64 has the same call).
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

versions libc6 libc6-dev gcc-12 clang-14 binutils

cat >plus.c <<'C'
#include <stdatomic.h>

_Atomic double sum;

void add(double value)
{
    sum += value;
}

int lock_free(void)
{
    return atomic_is_lock_free(&sum);
}
C

cat >loop.c <<'C'
#include <stdatomic.h>

_Atomic double sum;

void add(double value)
{
    double old = atomic_load(&sum);
    while (!atomic_compare_exchange_weak(&sum, &old, old + value))
        ;
}

int lock_free(void)
{
    return atomic_is_lock_free(&sum);
}
C

cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin) {
        char *colon = strchr(dlerror(), ':');
        return printf("refused%s\n", colon ? colon : ""), 0;
    }
    int (*lock_free)(void) = (int (*)(void))dlsym(plugin, "lock_free");
    return printf("loaded, %s\n", lock_free() ? "lock-free" : "not lock-free"), 0;
}
C
gcc-12 -O2 -o host host.c

# loads COMPILER SOURCE OPTION...: builds a plugin; prints what the compiler and the loader say.
loads() {
    compiler=$1 source=$2
    shift 2
    "$compiler" -std=c11 -O2 -Wall -Wextra -fPIC -shared -o plugin.so "$source" "$@" 2>&1
    ./host ./plugin.so
}

expect "clang-14, sum += value" "$(loads clang-14 plus.c)" "loaded, lock-free"
expect "gcc-12, sum += value" "$(loads gcc-12 plus.c)" "refused: undefined symbol: __atomic_feraiseexcept"
expect "gcc-12, sum += value, -latomic" "$(loads gcc-12 plus.c -latomic)" "loaded, lock-free"
expect "gcc-12, sum += value, -fno-trapping-math" "$(loads gcc-12 plus.c -fno-trapping-math)" "loaded, lock-free"
expect "gcc-12, the loop by hand" "$(loads gcc-12 loop.c)" "loaded, lock-free"

cat >time.c <<'C'
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

void add(double value);

int main(void)
{
    enum { ADDITIONS = 3000000 };
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < ADDITIONS; i++)
        add(1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%.0f\n", ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / ADDITIONS);
    return 0;
}
C
gcc-12 -std=c11 -O2 -o time-plus time.c plus.c -latomic
gcc-12 -std=c11 -O2 -o time-loop time.c loop.c
plus=$(./time-plus) loop=$(./time-loop)
echo "gcc-12: $plus ns with +=, $loop ns with the loop by hand"
expect "gcc-12: += takes over three times as long" "$([ "$plus" -gt $((3 * loop)) ] && echo yes || echo no)" yes
exit $changed
