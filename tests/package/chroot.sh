#!/usr/bin/env bash
# chroot.sh [SUITE…] -- makes the Debian package of the last commit in a chroot of each suite (bookworm, trixie),
# installs it in a bare one, runs leat there from another folder as nobody, purges it, and looks for what has stayed.
# Needs root and debootstrap; not a part of the tests, as it takes some ten minutes. WORK (a temporary folder) keeps the
# chroots.
set -eu
cd "$(dirname "$0")/../.."
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"

# Files of a chroot without what apt, dpkg and the loader write for themselves.
files() {
    (cd "$1" && find . -xdev ! -type d | grep -vE '^\./(proc|sys|tmp|root|var/(cache|log|lib/(apt|dpkg|systemd)))/' |
        grep -vE '/(ld\.so\.cache|__pycache__/.*)$' | LC_ALL=C sort)
}

inside() {
    local root=$1
    shift
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        "$@"
}

for suite in "${@:-bookworm}"; do
    bare=$work/$suite build=$work/$suite-build
    [[ -d $bare/usr ]] || debootstrap --variant=minbase "$suite" "$bare" >"$work/$suite.log" 2>&1
    [[ -d $build/usr ]] || cp -a "$bare" "$build"
    rm -rf "$build/leat" && mkdir "$build/leat"
    git archive HEAD | tar -x -C "$build/leat"
    inside "$build" apt-get update -q >/dev/null
    inside "$build" apt-get install -y -q --no-install-recommends make dpkg-dev clang >/dev/null 2>&1
    inside "$build" sh -c 'cd /leat && sh tests/support/deps.sh >/dev/null 2>&1'
    inside "$build" sh -c "cd /leat && make --version | head -1 && cc --version | head -1 && clang --version | head -1"
    inside "$build" sh -c 'cd /leat && make -s -j2 WERROR=1 all deb' | grep -vE '^  (CC|CXX|LINK|DOC|NAME) ' || true
    # shellcheck disable=SC2012
    echo "$suite: $(ls "$build"/leat/build/*.deb | sed 's|.*/||') is made without a warning of gcc"
    if [[ ${CLANG:-} ]]; then
        inside "$build" sh -c 'cd /leat && rm -rf build/release && make -s -j2 WERROR=1 CC=clang all' |
            grep -vE '^  (CC|CXX|LINK|DOC|NAME) ' || true
        test -x "$build/leat/build/release/bin/leat"
        echo "$suite: nor is there a warning of clang"
    fi

    inside "$bare" apt-get update -q >/dev/null
    cp "$build"/leat/build/*.deb "$bare/tmp"
    files "$bare" >"$work/before"
    inside "$bare" sh -c 'apt-get install -y -q --no-install-recommends /tmp/*.deb' >"$work/install.log" 2>&1
    inside "$bare" su -s /bin/sh nobody -c 'cd /tmp && leat version && leat explain' |
        head -12
    echo "$suite: it is installed and runs"
    inside "$bare" sh -c 'apt-get purge -y -q --autoremove leat' >"$work/purge.log" 2>&1
    files "$bare" >"$work/after"
    rm "$bare"/tmp/*.deb
    diff "$work/before" "$work/after" && echo "$suite: it is purged, and nothing stays"
done
