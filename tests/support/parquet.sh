#!/bin/sh
# parquet.sh VERSION -- gets Arrow's library for Parquet, with its headers, as build/parquet/VERSION, with pip.
#
# It is in the Python package pyarrow of that version. build/parquet/parquet.pc tells `make` where it is.
set -eu
version=$1
case $version in
*[!0-9.]* | '')
    echo "leat: PARQUET is a version of pyarrow, such as 26.0.1" >&2
    exit 1
    ;;
esac
cd "$(dirname "$0")/../.."
to=build/parquet/$version

get() {
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: -d "$tmp" \
        "pyarrow==$version" || return 1
    python3 -m zipfile -e "$tmp"/*.whl "$tmp" || return 1
    rm -rf "$to" && mkdir -p "$to/lib" && cp -R "$tmp/pyarrow/include" "$to"
    for library in arrow parquet; do
        file=$(basename "$tmp"/pyarrow/lib$library.so.*)
        cp "$tmp/pyarrow/$file" "$to/lib" && ln -s "$file" "$to/lib/lib$library.so" || return 1
    done
}

if [ ! -e "$to/lib/libparquet.so" ]; then
    python3 -m pip --version >/dev/null 2>&1 || {
        echo "leat: this needs pip: apt-get install python3-pip" >&2
        exit 1
    }
    get || {
        rm -rf "$to"
        echo "leat: pyarrow==$version cannot be had: see the words above, or install Arrow's libparquet-dev" >&2
        exit 1
    }
fi
printf 'prefix=%s\n\nName: parquet\nDescription: Parquet files\nVersion: %s\nLibs: -L${prefix}/lib -lparquet -larrow\nCflags: -I${prefix}/include\n' \
    "$PWD/$to" "$version" >build/parquet/parquet.pc
echo "Arrow $version: build leat again (make), and it reads Parquet files"
