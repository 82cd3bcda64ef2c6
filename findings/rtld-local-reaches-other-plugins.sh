#!/usr/bin/env bash
# rtld-local-reaches-other-plugins -- a plugin loaded with RTLD_LOCAL replaces crc32() inside zlib for all plugins
#
# Two plugins link with zlib. The host links with no zlib and opens both with RTLD_NOW | RTLD_LOCAL.
# The plugin `sums` has a function crc32() of its own: CRC-32C, which has another polynomial.
# The plugin `writer` writes a gzip file and knows nothing of `sums`.
#
# Guess: RTLD_LOCAL keeps the names of a plugin to itself. So zlib calls its own crc32(), and the file is good.
# Truth: if `sums` is loaded first, the gzip files of `writer` have a wrong checksum. Nothing warns.
#        In the other order, or with `writer` alone, the file is good.
#
# Cause: the first plugin that needs libz.so.1 brings it in. The loader then looks up the symbols of libz
#        in the scope of that plugin, where the plugin itself comes first and libz second.
#        RTLD_LOCAL only keeps the names from objects that are opened later on their own.
#        Debian's libz calls crc32() by its dynamic symbol. The loader has one libz for all plugins.
# Cure:  build plugins with -fvisibility=hidden, or link the host with libz.
#
# Seen with: glibc 2.36-9+deb12u14, zlib1g 1:1.2.13.dfsg-1, gcc-12 12.2.0-14+deb12u1 (Debian 12, amd64);
#          with glibc 2.41-12+deb13u5, zlib1g 1:1.3.dfsg+really1.3.1-1+deb13u1 and gcc-14 (Debian 13) too.
# Sources: glibc, elf/dl-open.c and elf/dl-lookup.c; dlopen(3) on RTLD_LOCAL;
#          https://github.com/madler/zlib/issues/454 has a near case: names that a program exports.
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

versions libc6 libc6-dev zlib1g zlib1g-dev gcc-12 gzip

cat >sums.c <<'C'
/* CRC-32C, under a name that zlib uses as well. */
unsigned long crc32(unsigned long crc, const unsigned char *bytes, unsigned length)
{
    crc = ~crc & 0xffffffff;
    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
    }
    return ~crc & 0xffffffff;
}

/* Uses zlib for something else. */
const char *zlibVersion(void);
const char *sums_library(void) __attribute__((visibility("default")));
const char *sums_library(void)
{
    return zlibVersion();
}
C

cat >writer.c <<'C'
#include <zlib.h>

int writer_run(const char *path)
{
    gzFile file = gzopen(path, "wb");
    return file && gzputs(file, "one line\n") == 9 && gzclose(file) == Z_OK;
}
C

cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>

/* host FILE PLUGIN...: opens the plugins in this order; runs the writer. */
int main(int argc, char **argv)
{
    int (*run)(const char *) = 0;
    for (int i = 2; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!plugin)
            return puts(dlerror()), 1;
        void *symbol = dlsym(plugin, "writer_run");
        if (symbol)
            run = (int (*)(const char *))symbol;
    }
    return run && run(argv[1]) ? 0 : 1;
}
C

gcc-12 -O2 -fPIC -shared -o sums.so sums.c -lz
gcc-12 -O2 -fPIC -fvisibility=hidden -shared -o sums-hidden.so sums.c -lz
gcc-12 -O2 -fPIC -shared -o writer.so writer.c -lz
gcc-12 -O2 -o host host.c
gcc-12 -O2 -o host-with-zlib host.c -Wl,--no-as-needed -lz

# file_of HOST PLUGIN...: prints whether the file that the writer wrote is good.
file_of() {
    host=$1
    shift
    "$host" out.gz "$@" || { echo "not written"; return; }
    if gzip -t out.gz 2>error; then echo good; else grep -o 'crc error' error || cat error; fi
}

expect "writer alone" "$(file_of ./host ./writer.so)" good
expect "writer first, then sums" "$(file_of ./host ./writer.so ./sums.so)" good
expect "sums first, then writer" "$(file_of ./host ./sums.so ./writer.so)" "crc error"
expect "sums with -fvisibility=hidden, then writer" "$(file_of ./host ./sums-hidden.so ./writer.so)" good
expect "the host links with zlib: sums, then writer" "$(file_of ./host-with-zlib ./sums.so ./writer.so)" good
exit $changed
