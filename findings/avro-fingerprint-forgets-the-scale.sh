#!/usr/bin/env bash
# avro-fingerprint-forgets-the-scale -- Avro: schemas of 12.34 and of 1234.00, of ms and of µs, have one fingerprint
#
# Avro's single-object encoding puts a 64-bit fingerprint of the writer's schema before each record, so that a reader
# finds the schema that the bytes were written with. A price is a decimal with scale 4; a second schema has scale 2.
# A time is timestamp-millis in one schema and timestamp-micros in another.
#
# Guess: schemas that give the same bytes another meaning have different fingerprints. This is what they are for.
# Truth: the fingerprint is that of the parsing canonical form, which drops all attributes that parsing does not need:
#        logicalType, precision and scale are among them. Both pairs have one fingerprint each, in fastavro and in
#        Apache's avro. A reader that looks its schema up by fingerprint may take either: 12.3400 is read as 1234.00,
#        and a time of 2026 as one of January 1970.
#
# Cure:  keep one schema for each fingerprint, and give a field whose scale or unit changes another name. The Schema
#        Registry's ids do not have this: they are of the whole text.
#
# Seen with: fastavro 1.13.1, avro 1.12.2 (PyPI), Python 3.11.
# Sources: Avro 1.12 specification, "Parsing Canonical Form for Schemas" (STRIP) and "Single-object encoding"; the first
#          says that attributes irrelevant to parsing go, the second that the fingerprint finds the writer's schema.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C
python3 -m venv v
v/bin/pip -q install fastavro==1.13.1 avro==1.12.2
cat >look.py <<'PY'
import io, json
from decimal import Decimal
import avro.schema, fastavro
from fastavro.schema import fingerprint, to_parsing_canonical_form


def record(field):
    return {"type": "record", "name": "Event", "fields": [{"name": "value", "type": field}]}


def decimal(scale):
    return record({"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": scale})


def stamp(unit):
    return record({"type": "long", "logicalType": "timestamp-" + unit})


def prints(schema):
    ours = fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO")
    apaches = avro.schema.parse(json.dumps(schema)).fingerprint("CRC-64-AVRO")
    return ours, apaches.hex() if isinstance(apaches, bytes) else str(apaches)


def read_as(written, read, value):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, written, {"value": value})
    return fastavro.schemaless_reader(io.BytesIO(out.getvalue()), read)["value"]


seen = [
    ("fingerprints of scales 4 and 2 are equal, in both libraries", prints(decimal(4)) == prints(decimal(2)), True),
    ("12.3400 of scale 4, read with scale 2", str(read_as(decimal(4), decimal(2), Decimal("12.3400"))), "1234.00"),
    ("fingerprints of ms and µs are equal, in both libraries", prints(stamp("millis")) == prints(stamp("micros")), True),
    ("1,790,000,000,000 ms (2026), read as µs", str(read_as(stamp("millis"), stamp("micros"), 1790000000000)), "1970-01-21 17:13:20+00:00"),
    ("a field that is a string, not bytes, has another", prints(record("string")) != prints(record("bytes")), True),
]
changed = False
for claim, is_so, wanted in seen:
    print("%-62s %s" % (claim, is_so))
    if is_so != wanted:
        print("    changed: it was", wanted)
        changed = True
raise SystemExit(changed)
PY
v/bin/pip list 2>/dev/null | grep -E '^(avro|fastavro) '
v/bin/python look.py
