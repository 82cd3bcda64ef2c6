"""Prints Parquet files that pyarrow (PyPI) writes: "NAME BASE64", and for each row "jsonl JSON", as leat makes of it. The
values are made in Python, as those of arrow_tables.py.

    python3 tests/support/parquet_tables.py [SEED] [ROWS] | zstd -19 >tests/data/parquet.txt.zst
    python3 tests/support/parquet_tables.py SEED ROWS all    the table alone, with more codecs and pages
"""
import base64
import datetime
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption

import arrow_tables as arrow


def print_file(name, table, **options):
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema, **options.pop("how", {})) as writer:
        writer.write_table(table, **options)
    print(name, base64.b64encode(sink.getvalue()).decode())


def with_milliseconds(write):
    """Parquet has no whole seconds: they become milliseconds."""
    return lambda value: write(value).replace("Z", "") + ".000" + "Z" * write(value).endswith("Z")


class Keys(encryption.KmsClient):
    """Keeps keys as they are."""

    def wrap_key(self, key, name):
        return base64.b64encode(key)

    def unwrap_key(self, key, name):
        return base64.b64decode(key)


def encrypted():
    keys = encryption.CryptoFactory(lambda _: Keys())
    how = encryption.EncryptionConfiguration(footer_key="of the file", column_keys={"of a column": ["a"]},
                                             plaintext_footer=True)
    return keys.file_encryption_properties(encryption.KmsConnectionConfig(), how)


columns = [(name, kind, make, with_milliseconds(write) if name in ("at_s", "zoned_s") else write)
           for name, kind, make, write in arrow.columns if name != "list3" or "all" in sys.argv]
batches, rows = arrow.table(columns, (arrow.ROWS, arrow.ROWS // 2))
table = pa.Table.from_batches(batches).unify_dictionaries()

DELTA = {"i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED", "u64": "DELTA_BINARY_PACKED",
         "text": "DELTA_BYTE_ARRAY", "raw": "DELTA_LENGTH_BYTE_ARRAY", "raw5": "DELTA_BYTE_ARRAY", "bool": "RLE",
         "f32": "BYTE_STREAM_SPLIT", "f64": "BYTE_STREAM_SPLIT", "dec": "BYTE_STREAM_SPLIT"}
print_file("snappy", table)
print_file("zstd", table, row_group_size=2, how={"compression": "zstd", "data_page_version": "2.0", "column_encoding": DELTA,
                                                 "use_dictionary": False, "write_page_checksum": True})
if "all" in sys.argv:
    print_file("gzip", table, row_group_size=arrow.ROWS, how={"compression": "gzip", "data_page_size": 1})
    print_file("brotli", table, how={"compression": "brotli", "data_page_size": 1, "data_page_version": "2.0"})
    print_file("lz4", table, row_group_size=1, how={"compression": "lz4"})
    print_file("none", table, how={"compression": "none", "write_statistics": False})
for row in rows:
    print("jsonl", row)
if "all" in sys.argv:
    sys.exit()

# A day after 2262, which has too many nanoseconds for 64 bits.
days = pa.table({"d": pa.array([datetime.datetime(9999, 12, 31, 1, 2, 3, 456789), None], pa.timestamp("us"))})
print_file("int96", days, how={"use_deprecated_int96_timestamps": True})
latin = pa.Array.from_buffers(pa.utf8(), 3, pa.array([b"ok", b"caf\xe9", b"end"]).buffers())
print_file("latin", pa.table({"a": latin}))
print_file("encrypted", pa.table({"a": [1, 2]}), how={"encryption_properties": encrypted()})
# Libraries up to 24 at least do not read null lists of a fixed size.
print_file("lists", pa.table({"l": pa.array([[1, 2, 3], [4, None, 6]], pa.list_(pa.int8(), 3))}))
print_file("null_lists", pa.table({"l": pa.array([[1, 2, 3], None, [4, 5, 6]], pa.list_(pa.int8(), 3))}))
print_file("empty", pa.table({"a": pa.array([], pa.int64())}))
# Groups of 300 rows with checksums; rows of 20 KB, so that batches have fewer rows than a group in a small window.
many = pa.table({"i": range(3000)})
print_file("many", many, row_group_size=300, how={"compression": "zstd", "write_page_checksum": True})
large = pa.table({"i": range(600), "s": [chr(97 + i % 26) * 20000 for i in range(600)]})
print_file("large", large, how={"compression": "zstd"})
