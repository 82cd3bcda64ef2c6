#!/usr/bin/env bash
# The Debian package: its content, that it works where it is unpacked, and that the same tree gives the same bytes.
# tier: long (60 s)
source "$(dirname "$0")/../support/claims.sh"
root=$PWD B=${B:-build/release}
version=$(sed -n 's/^.define LEAT_VERSION "\(.*\)"/\1/p' runtime/core/version.h)
if [[ $B != build/release ]] || ! command -v dpkg-shlibdeps >/dev/null; then
    skip_rest "there is no dpkg-dev, or this is another build"
fi
export MAKEFLAGS=
# shellcheck disable=SC2094
claim "a package is made" docs/package/deb.sh "$tmp/one"
claim "the same tree gives the same bytes" eval \
    'docs/package/deb.sh "$tmp/two" && cmp "$tmp"/one/*.deb "$tmp"/two/*.deb'
deb=$tmp/one/leat_$version-1_$(dpkg --print-architecture).deb
claim "its name has version and architecture" test -e "$deb"

field() { dpkg-deb -f "$deb" "$1"; }
claim "it has the version of the source" equal "$(field Version)" "$version-1"

# Packages of the libraries that the loader is asked for, by readelf and dpkg.
needed() {
    readelf -d "$root/$B/bin/leat" "$root/$B"/lib/leat/plugins/*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u |
        while read -r name; do dpkg-query -S "*/$name" | sed 's/:.*//' | grep -v -e '-cross$' | head -n 1; done |
        sed 's/^libopenblas0-.*/libopenblas0/' | sort -u
}
claim "many libraries are needed" below 10 "$(needed | wc -l)"
claim "it depends on all libraries that are needed" equal \
    "$(needed | grep -vxFf <(field Depends | grep -oE '[a-z0-9.+-]+') | grep -vxE 'libgcc-s1|libc6-.*')" ""
dpkg-deb -x "$deb" "$tmp/at" && cd "$tmp/at" || exit 1
for file in usr/bin/leat usr/lib/leat/plugins/shape.so usr/include/leat/plugin.h usr/lib/libleat-harness.a \
    usr/lib/pkgconfig/leat.pc usr/share/leat/lua/leat/init.lua usr/share/leat/templates/learner.c \
    usr/share/leat/pipelines/explain.lua usr/share/bash-completion/completions/leat \
    usr/share/zsh/vendor-completions/_leat \
    usr/share/man/man1/leat.1.gz usr/share/man/man1/leat-model.1.gz usr/share/man/man1/leat-explain.1.gz \
    usr/share/doc/leat/copyright \
    usr/share/doc/leat/guide/explain.md usr/lib/systemd/system/leat@.service; do
    claim "it holds $file" test -s "$file"
done
claim "nothing is outside of /usr" equal "$(ls)" usr
claim "nothing names the folder where it was built" eval \
    '! grep -rqF "$root" usr/bin usr/lib/pkgconfig usr/share usr/include'
claim "the service starts the installed command" grep -q '^ExecStart=/usr/bin/leat run' \
    usr/lib/systemd/system/leat@.service
claim "its checksums are right" eval 'dpkg-deb -e "$deb" "$tmp/control" && md5sum --quiet -c "$tmp/control/md5sums"'
cd / || exit 1
LEAT=$tmp/at/usr/bin/leat leat_run explain
claim_exit "it runs from anywhere" 0
claim "and explains the bundled data" grep -q '[0-9]' "$out"
LEAT=$tmp/at/usr/bin/leat leat_run plugins
claim "it finds its plugins" grep -q 'learn.awm' "$out"

if there_is mandoc "mandoc has nothing to say of the manual"; then
    for page in "$tmp"/at/usr/share/man/man1/*.gz; do
        claim "mandoc has nothing to say of $(basename "$page")" equal "$(zcat "$page" | mandoc -T lint -W warning)" ""
    done
fi
done_claims
