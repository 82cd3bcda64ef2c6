#!/bin/sh
# deps.sh -- installs missing tools and libraries for building and testing leat.
#
# It prints and changes nothing if all are there. It installs on Debian and Ubuntu. Elsewhere it looks for the same
# things, and lists missing ones.
set -eu

tools='gcc g++ make pkg-config zstd gzip bzip2 xz:xz-utils lz4 jq curl sqlite3 /usr/bin/time:time'
libraries='liblua5.4-dev libisal-dev libbz2-dev liblzma-dev libzstd-dev liblz4-dev libxxhash-dev libjansson-dev libopenblas-dev liblapacke-dev
check libsubunit-dev libutf8proc-dev libpcap-dev libpcre2-dev librdkafka-dev libsimdjson-dev libcurl4-openssl-dev libmicrohttpd-dev libsqlite3-dev
libprotobuf-dev libprotoc-dev tzdata'
headers='lauxlib.h isa-l.h bzlib.h lzma.h zstd.h lz4frame.h xxhash.h jansson.h cblas.h lapacke.h check.h utf8proc.h pcap/pcap.h pcre2.h librdkafka/rdkafka.h microhttpd.h sqlite3.h'

# Looks for tools by name, so tools from elsewhere than a package count as well.
missing_tools() {
    for tool in $tools; do
        command -v "${tool%%:*}" >/dev/null 2>&1 || echo "${tool##*:}"
    done
}

missing_libraries() {
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $libraries 2>/dev/null) || true
    for library in $libraries; do
        case "
$installed
" in
        *"
installed $library
"*) ;;
        *) echo "$library" ;;
        esac
    done
}

# Asks the compiler for the headers, on systems without dpkg.
missing_headers() {
    flags=$(pkg-config --cflags lua5.4 2>/dev/null || pkg-config --cflags lua 2>/dev/null || true)
    for header in $headers; do
        echo "#include <$header>" | ${CC:-cc} $flags -DPCRE2_CODE_UNIT_WIDTH=8 -E - >/dev/null 2>&1 || echo "$header"
    done
    echo "#include <simdjson.h>" | ${CXX:-g++} -x c++ -std=c++17 -E - >/dev/null 2>&1 || echo simdjson.h
    echo "#include <google/protobuf/compiler/importer.h>" | ${CXX:-g++} -x c++ -std=c++17 -E - >/dev/null 2>&1 ||
        echo google/protobuf/compiler/importer.h
}

join() { echo $*; }

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    missing=$(missing_tools; missing_headers)
    [ -n "$missing" ] || exit 0
    {
        echo "leat: this is no Debian or Ubuntu, so nothing can be installed from here. Missing:"
        echo "  $(join $missing)"
        echo "Install what your system calls these Debian packages, then try again:"
        echo "  gcc g++ make pkg-config zstd gzip bzip2 xz-utils lz4 jq curl sqlite3 time $(join $libraries)"
    } >&2
    exit 1
fi

missing=$(join $(missing_tools; missing_libraries))
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "leat needs packages that are missing here. As root, run:" >&2
        echo "  apt-get install $missing" >&2
        exit 1
    fi
    as_root=sudo
fi

apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
update() { echo "leat: fetching the lists of packages: apt-get update"; apt update -q; }
install() { apt install -y -q --no-install-recommends $missing; }

echo "leat needs $missing: installing with ${as_root:+sudo }apt-get"
# Lists may be missing (in new containers), or older than the archive.
apt-cache show $missing >/dev/null 2>&1 || update
install || { update && install; } || {
    echo "leat: apt-get could not install: $missing" >&2
    exit 1
}
