#!/usr/bin/env bash
# isal-gzip-header-in-pieces -- ISA-L reads a gzip header that comes at once; in two pieces it takes it for damage
#
# A gzip header may have an extra field, a name, a comment and a CRC (RFC 1952). dictzip writes the first two.
# Servers flush their first bytes early, so a client may get the header in two pieces. isal_zlib.decompressobj() takes
# the place of zlib's, which has the same arguments.
#
# Guess: a streaming decoder keeps what it needs between two calls. Where the pieces end makes no difference, above all
#        not for ten or twenty bytes of header.
# Truth: with an extra field and a name, a cut inside the extra field ends with "Invalid deflate block found": what is
#        left of the header passes for data. With a CRC each cut inside the header ends with "Incorrect checksum found".
#        A cut after the header, or none, gives the text; so does each cut of the plainest header, and of one that has
#        only a name, as gzip writes it. So the decoder works in each test that has the file at hand, and fails by how
#        the network cut it. zlib's decompressobj() reads all of them; igzip.open() parses headers by itself.
#
# Cause: flags and CRC of a header that goes on with the next call are in a struct on the stack of the first one.
# Cure:  read headers by isal_read_gzip_header(), whose struct the caller keeps, and the rest with
#        ISAL_GZIP_NO_HDR_VER; or collect the header before the first call.
#
# Seen with: isal 1.9.1, the newest on PyPI; ISA-L 2.30 of Debian 12 by its C API (tried by hand).
# Sources: ISA-L, igzip/igzip_inflate.c (isal_inflate, isal_read_gzip_header); RFC 1952, 2.3.1; dictzip(1).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
changed=0

# versions PACKAGE==VERSION...: installs them into packages/; prints the versions.
versions() {
    python3 -m pip install -q --disable-pip-version-check --target packages "$@" 2>pip.log ||
        { cat pip.log; exit 1; }
    for package in "$@"; do
        echo "${package%==*} ${package#*==}"
    done
}

# expect CLAIM SEEN WANTED: prints both; notes a change if they differ.
expect() {
    printf '%-58s %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { echo "    changed: it was $3"; changed=1; }
}

versions isal==1.9.1

cat >pieces.py <<'PY'
"""Prints, a line for each claim, at how many places a member may be cut in two."""
import struct
import zlib

from isal import isal_zlib

TEXT = b"time,host,bytes\n" * 1000
CRC, EXTRA, NAME, COMMENT = 2, 4, 8, 16


def member(flags):
    head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(5) + b"\x03"
    head += struct.pack("<H", 4) + b"abcd" if flags & EXTRA else b""
    head += b"requests.csv\0" if flags & NAME else b""
    head += b"of one day\0" if flags & COMMENT else b""
    head += struct.pack("<H", zlib.crc32(head) & 0xFFFF) if flags & CRC else b""
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = deflate.compress(TEXT) + deflate.flush()
    return head, head + body + struct.pack("<II", zlib.crc32(TEXT), len(TEXT))


def reads(library, data, cut):
    decoder = library.decompressobj(wbits=31)
    try:
        text = decoder.decompress(data[:cut]) + decoder.decompress(data[cut:]) + decoder.flush()
    except library.error:
        return False
    return text == TEXT and decoder.eof


def show(claim, library, flags, inside):
    head, data = member(flags)
    cuts = range(1, len(head)) if inside else range(len(head), len(data))
    good = sum(reads(library, data, cut) for cut in cuts)
    print(claim, f"{good} of {len(cuts)} right" if inside else good == len(cuts), sep="\t")


show("isal, no optional field, cut inside the header", isal_zlib, 0, True)
show("isal, a name, as gzip writes it", isal_zlib, NAME, True)
show("isal, an extra field and a name, as dictzip writes them", isal_zlib, EXTRA | NAME, True)
show("isal, the same, cut after the header", isal_zlib, EXTRA | NAME, False)
show("isal, a CRC", isal_zlib, CRC, True)
show("isal, all four", isal_zlib, CRC | EXTRA | NAME | COMMENT, True)
show("zlib, all four", zlib, CRC | EXTRA | NAME | COMMENT, True)
PY
PYTHONPATH=packages python3 pieces.py >seen
# of CLAIM: prints what pieces.py said of it.
of() {
    awk -F'\t' -v claim="$1" '$1 == claim { print $2 }' seen
}

claim() {
    expect "$1" "$(of "$1")" "$2"
}

claim "isal, no optional field, cut inside the header" "9 of 9 right"
claim "isal, a name, as gzip writes it" "22 of 22 right"
claim "isal, an extra field and a name, as dictzip writes them" "22 of 28 right"
claim "isal, the same, cut after the header" True
claim "isal, a CRC" "0 of 11 right"
claim "isal, all four" "0 of 41 right"
claim "zlib, all four" "41 of 41 right"
exit $changed
