#!/usr/bin/env bash
# refresh.sh [--freeze]: copies the public headers to tests/abi/MAJOR.MINOR/include, where MAJOR.MINOR is the version
# that they state. --freeze, on the day of the release: from then on neither the copy nor the plugins beside it may
# change (tests/system/abi.sh), and every later build loads what is built from them. What a later version adds to the
# headers has a new MINOR, and a folder of its own.
set -eu
cd "$(dirname "$0")/../.."
headers=runtime/include/leat
version=$(awk '/define LEAT_ABI_M(AJOR|INOR)/ { printf "%s%s", dot, $3; dot = "." }' $headers/plugin.h)
to=tests/abi/$version
[[ ! -e $to/frozen ]] || { echo "refresh: ABI $version is frozen: raise LEAT_ABI_MINOR first"; exit 1; }
rm -rf "$to/include"
mkdir -p "$to/include/leat"
cp $headers/*.h "$to/include/leat"
rm "$to/include/leat/harness.h" "$to/include/leat/helpers.h" # compiled into plugins or their tests: no part of the ABI
[[ ${1:-} != --freeze ]] || (cd "$to" && sha256sum include/leat/*.h plugins/* >frozen)
git status --short "$to"
