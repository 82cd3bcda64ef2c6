"""Prints tables of Arrow that pyarrow (PyPI) writes: "NAME BASE64" for streams and files, and for each row "jsonl JSON",
as leat makes of it. The values are made in Python; the text of times is made here, not by pyarrow.

    python3 tests/support/arrow_tables.py [SEED] [ROWS] | zstd -19 >tests/data/arrow.txt.zst
"""
import base64
import datetime
import decimal
import json
import random
import re
import struct
import sys
import uuid

import pyarrow as pa
import pyarrow.ipc as ipc

rnd = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def number(digits):
    """Returns a text that becomes a number with these digits."""
    return f"<{digits}>"


def maybe(make):
    return None if rnd.random() < .25 else make()


def text():
    some = ["a", "\u00e9", "\u6c34", '"', "\\", "\n", "long words "]
    return "".join(rnd.choice(some) for _ in range(rnd.randrange(6)))


def integer(bits, signed):
    least, most = (-2**(bits - 1), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)
    return lambda: rnd.choice([0, 1, least, most, rnd.randrange(least, most + 1)])


def raw(n=None):
    return lambda: bytes(rnd.randrange(256) for _ in range(rnd.randrange(20) if n is None else n))


def parts(value, unit):
    second, part = divmod(value, UNITS[unit])
    return second, f".{part:0{DIGITS[unit]}d}" if DIGITS[unit] else ""


def timestamp(unit, zone):
    def write(value):
        second, fraction = parts(value, unit)
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=second)
        return time.isoformat() + fraction + zone
    return write


def clock(unit):
    def write(value):
        second, fraction = parts(value, unit)
        return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{fraction}"
    return write


def day(value):
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=value)).isoformat()


def scaled(digits, scale):
    return lambda: decimal.Decimal(rnd.randrange(-10**digits + 1, 10**digits)).scaleb(-scale, decimal.Context(prec=80))


def same(value):
    return value


def encoded(value):
    return base64.b64encode(value).decode()


HALVES = {0.5: "0.5", -2.0: "-2", 65504.0: "65504", 1.5: "1.5"}
columns = [(f"{'i' if s else 'u'}{b}", getattr(pa, f"{'' if s else 'u'}int{b}")(), integer(b, s), same)
           for b in (8, 16, 32, 64) for s in (True, False)]
columns += [
    ("f16", pa.float16(), lambda: rnd.choice(list(HALVES)), lambda v: number(HALVES[v])),
    ("f32", pa.float32(), lambda: rnd.choice([0.5, -0.25, 0.1]), lambda v: number(repr(v))),
    ("f64", pa.float64(), lambda: rnd.choice([rnd.random(), -0.5]), same),
    ("bool", pa.bool_(), lambda: rnd.random() < .5, same), ("null", pa.null(), lambda: None, same),
    ("text", pa.utf8(), text, same), ("large", pa.large_utf8(), text, same), ("view", pa.string_view(), text, same),
    ("raw", pa.binary(), raw(), encoded), ("raw_large", pa.large_binary(), raw(), encoded),
    ("raw_view", pa.binary_view(), raw(), encoded), ("raw5", pa.binary(5), raw(5), encoded),
    ("uuid", pa.uuid(), raw(16), lambda v: str(uuid.UUID(bytes=v))),
    ("day", pa.date32(), lambda: rnd.randrange(-700000, 2900000), day),
    ("day64", pa.date64(), lambda: rnd.randrange(-9999, 9999) * 86400000, lambda v: day(v // 86400000)),
    ("clock", pa.time32("ms"), lambda: rnd.randrange(86400000), clock("ms")),
    ("clock64", pa.time64("ns"), lambda: rnd.randrange(86400 * 10**9), clock("ns")),
    ("wait", pa.duration("us"), lambda: rnd.randrange(-10**6, 10**6), same),
    ("dec", pa.decimal128(20, 3), scaled(20, 3), lambda v: number(format(v, "f"))),
    ("dec38", pa.decimal128(38, 38), scaled(9, 38), lambda v: number(format(v, "f"))),
    ("dec256", pa.decimal256(70, 1), scaled(69, 1), lambda v: number(format(v, "f"))),
    ("list", pa.list_(pa.int32()), lambda: [maybe(integer(32, True)) for _ in range(rnd.randrange(4))], same),
    ("list3", pa.list_(pa.int8(), 3), lambda: [maybe(integer(8, True)) for _ in range(3)], same),
    ("struct", pa.struct([("a", pa.int64()), ("b", pa.list_(pa.struct([("c", pa.utf8())])))]),
     lambda: {"a": maybe(integer(64, True)), "b": maybe(lambda: [maybe(lambda: {"c": text()})])}, same),
    ("map", pa.map_(pa.utf8(), pa.int64()), lambda: [(f"k{i}", i) for i in range(rnd.randrange(3))], dict),
    ("numbered", pa.map_(pa.int16(), pa.utf8()), lambda: [(i, "x") for i in range(rnd.randrange(3))],
     lambda v: {str(k): x for k, x in v}),
    ("colour", pa.dictionary(pa.int8(), pa.utf8()), lambda: rnd.choice(["red", "green", "blue"]), same),
    ("codes", pa.list_(pa.dictionary(pa.uint32(), pa.int64())), lambda: [5, 6, 5], same)]  # one order: pyarrow does not replace nested ones
for one in UNITS:
    def moment(unit=one):
        return lambda: rnd.randrange(-9 * 10**9, 9 * 10**9) * UNITS[unit] + rnd.randrange(UNITS[unit])
    columns.append((f"at_{one}", pa.timestamp(one), moment(), timestamp(one, "")))
    columns.append((f"zoned_{one}", pa.timestamp(one, "Europe/Berlin"), moment(), timestamp(one, "Z")))


def array(values, kind):
    if kind == pa.float16():
        bits = struct.pack(f"{len(values)}e", *[v or 0 for v in values])
        there = pa.array([v is not None for v in values], pa.bool_())
        return pa.Array.from_buffers(kind, len(values), [there.buffers()[1], pa.py_buffer(bits)])
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array(values, kind)


def text_of(row):
    """Returns a row as leat makes it."""
    return re.sub('"<([^<>]*)>"', "\\1", json.dumps(row, ensure_ascii=False, separators=(",", ":")))


def table(some, counts):
    """Returns batches of these columns with so many rows each, and their rows as leat makes them."""
    schema = pa.schema([pa.field(name, kind) for name, kind, _, _ in some])
    batches, rows = [], []
    for count in counts:
        made = [[maybe(make) for _ in range(count)] for _, _, make, _ in some]
        batches.append(pa.record_batch([array(v, c[1]) for v, c in zip(made, some)], schema=schema))
        rows += [text_of({c[0]: v[i] if v[i] is None else c[3](v[i]) for v, c in zip(made, some)}) for i in range(count)]
    return batches, rows


def write(name, opener, given, **options):
    sink = pa.BufferOutputStream()
    with opener(sink, given[0].schema, options=ipc.IpcWriteOptions(**options)) as writer:
        for batch in given:
            writer.write_batch(batch)
    print(name, base64.b64encode(sink.getvalue()).decode())


def main():
    batches, rows = table(columns, (ROWS, 0, ROWS // 2))
    whole = pa.Table.from_batches(batches).unify_dictionaries().to_batches()
    write("replaced", ipc.new_stream, batches, emit_dictionary_deltas=False)
    write("delta", ipc.new_stream, batches, emit_dictionary_deltas=True)
    write("file", ipc.new_file, whole)
    write("lz4", ipc.new_file, whole, compression="lz4")
    write("zstd", ipc.new_stream, whole, compression="zstd")
    for row in rows:
        print("jsonl", row)

    # Small tables: of each type alone, then of some types in any order, so that each is at the end of its metadata.
    for k in range(len(columns) + 60):
        some = [columns[k]] if k < len(columns) else rnd.sample(columns, rnd.randrange(2, 6))
        made = [[maybe(make) for _ in range(2)] for _, _, make, _ in some]
        schema = pa.schema([pa.field(name[:rnd.randrange(1, 4)] + str(i), kind) for i, (name, kind, _, _) in enumerate(some)])
        write(f"few{k}", ipc.new_stream, [pa.record_batch([array(v, c[1]) for v, c in zip(made, some)], schema=schema)])
        for i in range(2):
            row = {name: v[i] if v[i] is None else c[3](v[i]) for name, v, c in zip(schema.names, made, some)}
            print("few", text_of(row))


if __name__ == "__main__":
    main()
