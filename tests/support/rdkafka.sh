#!/bin/sh
# rdkafka.sh VERSION -- gets a newer librdkafka than the system's, as build/rdkafka/VERSION/librdkafka.so.1, with pip.
#
# It is the library inside the Python package confluent-kafka of that version. Prints how to use it.
set -eu
version=$1
case $version in
*[!0-9.]* | '')
    echo "leat: RDKAFKA is a version of librdkafka, such as 2.14.2" >&2
    exit 1
    ;;
esac
cd "$(dirname "$0")/../.."
to=build/rdkafka/$version

get() {
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: -d "$tmp" \
        "confluent-kafka==$version" || return 1
    python3 -m zipfile -e "$tmp"/*.whl "$tmp" || return 1
    mkdir -p "$to"
    cp "$tmp"/confluent_kafka.libs/* "$to"
    mv "$to"/librdkafka-*.so.1 "$to/librdkafka.so.1"
}

if [ ! -e "$to/librdkafka.so.1" ]; then
    python3 -m pip --version >/dev/null 2>&1 || {
        echo "leat: this needs pip: apt-get install python3-pip" >&2
        exit 1
    }
    get || {
        echo "leat: librdkafka $version cannot be had as confluent-kafka==$version: see the words above, or build it from source" >&2
        exit 1
    }
fi
echo "librdkafka $version: LD_LIBRARY_PATH=$PWD/$to leat run …"
echo "in tests: LEAT_RDKAFKA=$PWD/$to make test-kafka"
