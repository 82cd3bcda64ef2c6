#!/usr/bin/env bash
# gcc-lto-reverses-constructors -- GCC's -flto runs the constructors of a program or shared object in reverse order
#
# Three files register two stages each, by functions with __attribute__((constructor)). They are linked in order.
#
# Guess: they run in the order of the files, and in a file from top to bottom. The linker fills .init_array so.
#        -flto makes the code faster and leaves this order alone.
# Truth: the guess holds without -flto. With -flto the last constructor of the last file runs first.
#        The whole order is reversed, in programs and in shared objects.
#        Debian's switch optimize=+lto is enough. clang keeps the order with -flto.
#
# Cause: at link time GCC merges the constructors of one priority into one function. It sorts them on purpose:
#        "executed in backwarding order to make LTO initialize braries first" (sic), says compare_ctor().
# Cure:  a priority for each constructor, such as constructor(1001).
#
# Seen with: gcc-12 12.2.0-14+deb12u1 (gcc-11 11.3.0-12 too), clang-14 and lld-14 1:14.0.6-12, dpkg-dev 1.21.22;
#          with gcc-14 14.2.0-19, clang-19 1:19.1.7-3 and dpkg-dev 1.22.22 (Debian 13) too.
# Sources: GCC, gcc/ipa.cc (compare_ctor, ipa_cdtor_merge).
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

versions libc6 libc6-dev gcc-12 clang-14 lld-14 binutils dpkg-dev

# source_file NUMBER [PRIORITIES]: writes a file with two constructors, with priorities if wanted.
source_file() {
    cat <<C
#include <stdio.h>
__attribute__((constructor${2:+(10${1}1)})) static void register_$1a(void) { fputs("$1a ", stdout); }
__attribute__((constructor${2:+(10${1}2)})) static void register_$1b(void) { fputs("$1b ", stdout); }
C
}
for number in 1 2 3; do
    source_file $number >$number.c
    source_file $number with >priority-$number.c
done
echo 'int main(void) { return 0; }' >main.c

# order COMMAND FILE...: links a program from main.c and the files; prints the order of the constructors.
order() {
    command=$1
    shift
    $command -o program main.c "$@" && ./program
}

# order_in_plugin COMMAND FILE...: prints the order of the constructors of a shared object.
order_in_plugin() {
    command=$1
    shift
    $command -fPIC -shared -o plugin.so "$@" && gcc-12 -o program main.c -Wl,--no-as-needed ./plugin.so && ./program
}

forward="1a 1b 2a 2b 3a 3b " reverse="3b 3a 2b 2a 1b 1a "
debian=$(dpkg-buildflags --get CFLAGS) debian_lto=$(DEB_BUILD_MAINT_OPTIONS=optimize=+lto dpkg-buildflags --get CFLAGS)
files="1.c 2.c 3.c" priorities="priority-1.c priority-2.c priority-3.c"
expect "gcc-12 -O2, program" "$(order "gcc-12 -O2" $files)" "$forward"
expect "gcc-12 -O2 -flto, program" "$(order "gcc-12 -O2 -flto" $files)" "$reverse"
expect "gcc-12 -O2, shared object" "$(order_in_plugin "gcc-12 -O2" $files)" "$forward"
expect "gcc-12 -O2 -flto, shared object" "$(order_in_plugin "gcc-12 -O2 -flto" $files)" "$reverse"
expect "gcc-12, Debian's flags" "$(order_in_plugin "gcc-12 $debian" $files)" "$forward"
expect "gcc-12, Debian's flags with optimize=+lto" "$(order_in_plugin "gcc-12 $debian_lto" $files)" "$reverse"
expect "gcc-12 -O2 -flto, priorities" "$(order_in_plugin "gcc-12 -O2 -flto" $priorities)" "$forward"
expect "clang-14 -O2" "$(order_in_plugin "clang-14 -O2" $files)" "$forward"
expect "clang-14 -O2 -flto" "$(order_in_plugin "clang-14 -O2 -flto -fuse-ld=lld-14" $files)" "$forward"
exit $changed
