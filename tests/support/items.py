"""Prints random values that cbor2 and msgpack (PyPI) encode: "cbor BASE64", and for each value "cbor.jsonl JSON", as
leat makes of it; the same for msgpack. Numbers have the digits that both Python and leat write.

    python3 tests/support/items.py [SEED] [ITEMS] >tests/data/items.txt
"""
import base64
import json
import random
import sys

import cbor2
import msgpack

rnd = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)


def text():
    return "".join(rnd.choice(["a", "b", "\u00e9", "\u6c34", "\U0001f600", '"', "\\", "\n", "\x01", "long " * 8])
                   for _ in range(rnd.randrange(8)))


def integer(low, high):
    return rnd.choice([rnd.randrange(-40, 300), low, high, rnd.randrange(low, high + 1)])


def value(depth, least, most):
    kind = rnd.randrange(9 if depth < 3 else 7)
    if kind == 0:
        return None
    if kind == 1:
        return rnd.random() < .5
    if kind == 2:
        return integer(least, most)
    if kind == 3:
        return rnd.choice([rnd.random(), 0.5, -2.25, rnd.uniform(1, 1000)])
    if kind == 6:
        return bytes(rnd.randrange(256) for _ in range(rnd.randrange(9)))
    if kind == 7:
        return [value(depth + 1, least, most) for _ in range(rnd.randrange(4))]
    if kind == 8:
        return {text(): value(depth + 1, least, most) for _ in range(rnd.randrange(4))}
    return text()


def plain(v):
    if isinstance(v, bytes):
        return base64.b64encode(v).decode()
    if isinstance(v, list):
        return [plain(x) for x in v]
    return {k: plain(x) for k, x in v.items()} if isinstance(v, dict) else v


for name, least, most, encode in [("cbor", -2**80, 2**80, cbor2.dumps), ("msgpack", -2**63, 2**64 - 1, msgpack.packb)]:
    items, lines = b"", []
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 60):
        record = {text(): value(0, least, most) for _ in range(rnd.randrange(6))}
        items += encode(record)
        lines.append(json.dumps(plain(record), ensure_ascii=False, separators=(",", ":")))
    print(name, base64.b64encode(items).decode())
    for line in lines:
        print(f"{name}.jsonl", line)
