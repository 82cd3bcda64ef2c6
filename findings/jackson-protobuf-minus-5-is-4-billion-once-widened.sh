#!/usr/bin/env bash
# jackson-protobuf-minus-5-is-4-billion-once-widened -- Jackson writes int32 -5 so that int64 reads 4294967291
#
# A field of a message, "int32 change = 1", is widened to int64 when counts have grown. Protocol Buffers name this as a
# change that is compatible: what was written before is read by the new schema, and negative numbers keep their sign.
#
# Guess: -5 is ten bytes in an int32 as in an int64, which is known as the price of negative numbers in int32. So a
#        message of Jackson's ProtobufMapper is that of protoc's code, byte for byte, and reads as -5 in both schemas.
# Truth: Jackson writes five bytes. Python, as int32, reads -5, since the rest is cut off. As int64 it is 4294967291,
#        with no error; so it is for Jackson itself, with the new schema, and in a list. sint32 and int64 are right.
#        A test of one schema does not see it, be it between two programs or within one.
# Why it matters: a schema is widened long after the messages were written, and it is the old ones that are read wrong.
#
# Cause: an int is written as an unsigned number of 32 bits; the format wants its sign in all 64.
# Cure:  sint32 from the start; for what is written already, keep int32 in the readers, or take 2^32 from what is above
#        2^31 where it came from an int32.
#
# Seen with: jackson-dataformat-protobuf 2.23.0 from Maven Central with Java 17; protobuf 7.36.2 from PyPI.
# Sources: https://protobuf.dev/programming-guides/encoding (signed integers), /programming-guides/proto3 (updating:
#          int32, uint32, int64, uint64 and bool are all compatible). We found no issue of it in Jackson.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>look</groupId><artifactId>look</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>com.fasterxml.jackson.dataformat</groupId><artifactId>jackson-dataformat-protobuf</artifactId>
      <version>2.23.0</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/lib" >mvn.log ||
    { cat mvn.log; exit 1; }
python3 -m venv v
v/bin/pip -q install protobuf==7.36.2
cat >Look.java <<'JAVA'
import com.fasterxml.jackson.dataformat.protobuf.ProtobufMapper;
import com.fasterxml.jackson.dataformat.protobuf.schema.ProtobufSchemaLoader;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Prints the bytes of -5 in three types and in a list, and what Jackson reads of the first with int64. */
public class Look {
  static final ProtobufMapper MAPPER = new ProtobufMapper();

  static byte[] write(String field, Object value) throws Exception {
    var schema = ProtobufSchemaLoader.std.parse("syntax = \"proto3\"; message Change { " + field + " change = 1; }");
    return MAPPER.writer(schema).writeValueAsBytes(Map.of("change", value));
  }

  public static void main(String[] words) throws Exception {
    System.out.println(HexFormat.of().formatHex(write("int32", -5)));
    System.out.println(HexFormat.of().formatHex(write("int64", -5L)));
    System.out.println(HexFormat.of().formatHex(write("sint32", -5)));
    System.out.println(HexFormat.of().formatHex(write("repeated int32", List.of(-5, 7))));
    var wide = ProtobufSchemaLoader.std.parse("syntax = \"proto3\"; message Change { int64 change = 1; }");
    System.out.println(MAPPER.readerFor(Map.class).with(wide).<Map<String, Object>>readValue(write("int32", -5)));
  }
}
JAVA
cat >look.py <<'PY'
import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
POOL = descriptor_pool.DescriptorPool()


def message(name, kind, label=FIELD.LABEL_OPTIONAL):
    file = descriptor_pb2.FileDescriptorProto(name=name + ".proto", syntax="proto3")
    file.message_type.add(name=name).field.add(name="change", number=1, type=kind, label=label)
    POOL.Add(file)
    return message_factory.GetMessageClass(POOL.FindMessageTypeByName(name))


def read(kind, data):
    return kind.FromString(bytes.fromhex(data)).change


narrow, wide = message("Narrow", FIELD.TYPE_INT32), message("Wide", FIELD.TYPE_INT64)
zigzag = message("Zigzag", FIELD.TYPE_SINT32)
zigzag_wide = message("ZigzagWide", FIELD.TYPE_SINT64)
wide_list = message("WideList", FIELD.TYPE_INT64, FIELD.LABEL_REPEATED)
int32, int64, sint32, listed, jackson = [line.strip() for line in open("java")]
seen = [
    ("protobuf's bytes of int32 -5", narrow(change=-5).SerializeToString().hex(), "08fbffffffffffffffff01"),
    ("  read as int64", read(wide, narrow(change=-5).SerializeToString().hex()), -5),
    ("Jackson's bytes of int32 -5", int32, "08fbffffff0f"),
    ("  protobuf reads them as int32", read(narrow, int32), -5),
    ("  protobuf reads them as int64", read(wide, int32), 4294967291),
    ("  Jackson reads them as int64", jackson, "{change=4294967291}"),
    ("Jackson's list of int32 -5 and 7, as int64", list(read(wide_list, listed)), [4294967291, 7]),
    ("Jackson's int64 -5", read(wide, int64), -5),
    ("Jackson's sint32 -5, as sint64", read(zigzag_wide, sint32), -5),
]
print("protobuf", google.protobuf.__version__, "jackson-dataformat-protobuf 2.23.0")
changed = False
for claim, is_so, wanted in seen:
    print("%-46s %s" % (claim, is_so))
    if is_so != wanted:
        print("    changed: it was", wanted)
        changed = True
raise SystemExit(changed)
PY
java -cp 'lib/*' Look.java >java
v/bin/python look.py
