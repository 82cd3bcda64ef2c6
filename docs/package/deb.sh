#!/usr/bin/env bash
# deb.sh OUT -- makes the Debian package of what `make install` puts in place: OUT/leat_VERSION-1_ARCHITECTURE.deb.
# Needs dpkg-dev alone. The same tree gives the same bytes: times are that of CHANGELOG.md or SOURCE_DATE_EPOCH.
set -eu
cd "$(dirname "$0")/../.."
out=$1
version=$(sed -n 's/^.define LEAT_VERSION "\(.*\)"/\1/p' runtime/core/version.h)
architecture=$(dpkg --print-architecture)
epoch=${SOURCE_DATE_EPOCH:-$(date -ud "$(awk -F'[()]' '/^## .*\(/ { print $2; exit }' CHANGELOG.md)" +%s)}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
root=$tree/root
umask 022

${MAKE:-make} --no-print-directory install DESTDIR="$root" PREFIX=/usr >/dev/null
find "$root" -type f \( -path '*/bin/*' -o -name '*.so' \) -exec strip --strip-unneeded {} +
strip --strip-debug --enable-deterministic-archives "$root/usr/lib/libleat-harness.a"

# A reader whose library is in no package stays out.
case $(ldd "$root"/usr/lib/leat/readers/*.so 2>/dev/null) in */build/*) rm -r "$root/usr/lib/leat/readers" ;; esac

# What Debian asks of documents: a copyright, the changes compressed, no second licence.
doc=$root/usr/share/doc/leat
rm "$doc/LICENSE"
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    printf '\nFiles: *\nCopyright: 2026 The leat project\nLicense: Apache-2.0\n On Debian systems, the text of the Apache License, version 2.0,\n'
    echo ' is in /usr/share/common-licenses/Apache-2.0.'
} >"$doc/copyright"
maintainer=$(sed -n 's/^Maintainer: //p' docs/package/control)
printf 'leat (%s-1) unstable; urgency=medium\n\n  * Version %s: see changelog.gz.\n\n -- %s  %s\n' "$version" \
    "$version" \
    "$maintainer" "$(date -uRd "@$epoch")" | gzip -9n >"$doc/changelog.Debian.gz"
gzip -9n "$doc/CHANGELOG.md" && mv "$doc/CHANGELOG.md.gz" "$doc/changelog.gz"
gzip -9n "$root"/usr/share/man/man1/*.1
install -D -m 644 docs/package/leat@.service "$root/usr/lib/systemd/system/leat@.service"
chmod 755 "$root/usr/share/leat/templates/test.sh"
sed -i 's|/usr/local/bin|/usr/bin|' "$root/usr/lib/systemd/system/leat@.service"

# The libraries that the command and its plugins are linked with, by the packages that have them here.
mkdir -p "$tree/debian" "$root/DEBIAN"
printf 'Source: leat\n\nPackage: leat\nArchitecture: any\n' >"$tree/debian/control"
depends=$(cd "$tree" && dpkg-shlibdeps -O --ignore-missing-info root/usr/bin/leat root/usr/lib/leat/*/*.so |
    sed -n 's/^shlibs:Depends=//p')
size=$(du -sk --apparent-size "$root/usr" | cut -f1)
sed "s|@VERSION@|$version-1|; s|@ARCHITECTURE@|$architecture|; s|@SIZE@|$size|; s|@DEPENDS@|$depends|" \
    docs/package/control \
    >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -newermt "@$epoch" -exec touch -h -d "@$epoch" {} +
mkdir -p "$out"
SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Zxz --build "$root" "$out/leat_$version-1_$architecture.deb"
