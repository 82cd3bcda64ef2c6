#!/usr/bin/env bash
# cross_root.sh -- unpacks the libraries of another kind of machine into a folder, for make CROSS=… SYSROOT=FOLDER.
#
#   tests/support/cross_root.sh arm64|s390x FOLDER
#
# They are Debian's packages, of the archives that apt-get has read here. Nothing is installed, and this machine's list
# of kinds of machines stays as it is. Prints why and ends with 1 if the packages cannot be had.
set -euo pipefail
[[ $# == 2 ]] || { echo "usage: cross_root.sh ARCHITECTURE FOLDER" >&2 && exit 2; }
arch=$1
mkdir -p "$2/apt/lists/partial" "$2/apt/archives/partial"
root=$(realpath "$2")
state=$root/apt
: >"$state/status"
# shellcheck disable=SC2016 # words of apt-get
apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Origin: Debian' 'Component: main' \
    'Created-By: Packages' | sort -u >"$state/sources.list"
[[ -s $state/sources.list ]] || { echo "apt-get update has read no archive of Debian" >&2 && exit 1; }

apt_for() {
    apt-get -qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State=$state" \
        -o "Dir::State::status=$state/status" -o "Dir::Cache=$state" -o "Dir::Etc::sourcelist=$state/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null "$@"
}
libraries=$(sed -n "/^libraries='/,/'\$/p" "$(dirname "$0")/deps.sh" | sed "s/^libraries=//; s/'//g" | tr '\n' ' ')
apt_for update
# shellcheck disable=SC2086
apt_for install -y --no-install-recommends --download-only $libraries libc6-dev libstdc++-12-dev
for package in "$state"/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
done

# Links that name a file from the root of the other machine, and those that its installation makes.
find "$root" -path "$state" -prune -o -type l -lname '/*' -print | while read -r link; do
    to=$root$(readlink "$link")
    [[ ! -e $to ]] || ln -sfn "$to" "$link"
done
for folder in "$root"/usr/lib/*/openblas-pthread; do
    for file in "$folder"/lib*.so*; do
        ln -sfn "openblas-pthread/${file##*/}" "${folder%/*}/${file##*/}"
    done
done
for header in "$root"/usr/include/*/openblas-pthread/*.h; do
    ln -sfn "openblas-pthread/${header##*/}" "${header%/*/*}/${header##*/}"
done
rm -r "$state"
