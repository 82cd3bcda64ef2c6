#!/usr/bin/env bash
# tsfile-sprintz-turns-frost-into-thaw -- Apache TsFile: -0.5 degrees written with SPRINTZ is read as 0.5
#
# TsFile is the columnar file of Apache IoTDB, for sensors. A series has a type and an encoding; for doubles there are
# PLAIN, GORILLA, CHIMP, SPRINTZ and more. A day of readings, one a minute, goes into a file and comes back: a room
# (20 degrees), the air outside (-3 to 3 degrees), the load of a processor (0 to 1), and rain (mostly 0).
#
# Guess: SPRINTZ is a lossless code: deltas, packed in as many bits as the largest of them needs. What is written is
#        read, in Java, the reference, as in Python. A library that loses its own data would be found at once.
# Truth: outside, Java reads 78 of 1440 rows of its own file with the other sign or as another number: 0.5 is -0.5, and
#        frost is thaw. Of the rain, which is never negative, 72 are wrong. Python has a fifth of its own file of the
#        air wrong, and more than half of its own of the load. If one writes and the other reads it is more, with
#        numbers below 1e-270 and above 1e240 in between, and then the room is not right either.
#        All rows are there, and nothing warns. The same series with GORILLA are right in all four ways.
#        A test with values that stay away from 0, as those of the room, does not see it.
# Why it matters: it is an archive: the original is gone when somebody looks.
#
# Cause: found by trying, not in the source: blocks of eight in which the sign changes, or which reach 0, are the wrong
#        ones, that is where the deltas of the 64 bits are the widest.
# Cure:  GORILLA, CHIMP or PLAIN for doubles. Read each file once, and compare, before the original is removed.
#
# Seen with: tsfile 2.5.0 from PyPI; org.apache.tsfile:tsfile 2.4.0 from Maven Central with Java 17.
# Sources: https://github.com/apache/tsfile, cpp/src/encoding/double_sprintz_encoder.h; pull requests 143 and 484 made
#          RLBE of floats lossless. We found no issue of SPRINTZ.
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
    <dependency><groupId>org.apache.tsfile</groupId><artifactId>tsfile</artifactId><version>2.4.0</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/lib" >mvn.log &
mvn=$!
python3 -m venv v
v/bin/pip -q install tsfile==2.5.0 numpy==2.4.6 pandas==3.1.1 pyarrow==26.0.1
wait $mvn || { cat mvn.log; exit 1; }
cat >Look.java <<'JAVA'
import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.tsfile.enums.TSDataType;
import org.apache.tsfile.file.metadata.enums.CompressionType;
import org.apache.tsfile.file.metadata.enums.TSEncoding;
import org.apache.tsfile.read.TsFileReader;
import org.apache.tsfile.read.TsFileSequenceReader;
import org.apache.tsfile.read.common.Path;
import org.apache.tsfile.read.expression.QueryExpression;
import org.apache.tsfile.write.TsFileWriter;
import org.apache.tsfile.write.record.TSRecord;
import org.apache.tsfile.write.record.datapoint.DoubleDataPoint;
import org.apache.tsfile.write.schema.MeasurementSchema;

/** Look write ENCODING TEXT FILE: the numbers of TEXT into FILE. Look read FILE TEXT: back into TEXT. */
public class Look {
  static void write(String encoding, String text, String file) throws Exception {
    try (TsFileWriter writer = new TsFileWriter(new File(file))) {
      writer.registerTimeseries("device", new MeasurementSchema("value", TSDataType.DOUBLE,
          TSEncoding.valueOf(encoding), CompressionType.UNCOMPRESSED));
      long time = 0;
      for (String line : Files.readAllLines(new File(text).toPath())) {
        TSRecord row = new TSRecord("device", time++);
        row.addTuple(new DoubleDataPoint("value", Double.parseDouble(line)));
        writer.writeRecord(row);
      }
    }
  }

  static void read(String file, String text) throws Exception {
    List<String> lines = new ArrayList<>();
    try (TsFileReader reader = new TsFileReader(new TsFileSequenceReader(file))) {
      List<Path> series = new ArrayList<>(List.of(new Path("device", "value", true)));
      var rows = reader.query(QueryExpression.create(series, null));
      while (rows.hasNext()) lines.add(String.valueOf(rows.next().getFields().get(0).getDoubleV()));
    }
    Files.write(new File(text).toPath(), lines);
  }

  public static void main(String[] words) throws Exception {
    for (String series : List.of("room", "outside", "load", "rain"))
      for (String encoding : List.of("SPRINTZ", "GORILLA"))
        if (words[0].equals("write")) write(encoding, series, "java-" + encoding + "-" + series);
        else for (String writer : List.of("java", "python")) {
          String file = writer + "-" + encoding + "-" + series;
          read(file, file + "-java");
        }
  }
}
JAVA
cat >look.py <<'PY'
"""look.py make: the series as text. look.py files: Python's files, and both kinds read. look.py judge: what differs."""
import math, sys
from tsfile import Compressor, Field, RowRecord, TimeseriesSchema, TSDataType, TSEncoding
from tsfile import TsFileReader, TsFileWriter

N = 1440
SERIES = {
    "room": [round(20 + math.sin(i / 60), 1) for i in range(N)],
    "outside": [round(3 * math.sin(i / 60) + (i * 7919 % 11 - 5) / 10, 1) + 0.0 for i in range(N)],
    "load": [i * 7919 % 101 / 100 for i in range(N)],
    "rain": [i * 7919 % 13 / 5 if i % 60 < 10 else 0.0 for i in range(N)],
}
ENCODINGS = ("SPRINTZ", "GORILLA")


def write(path, encoding, values):
    writer = TsFileWriter(path)
    writer.register_timeseries(
        "device", TimeseriesSchema("value", TSDataType.DOUBLE, TSEncoding[encoding], Compressor.UNCOMPRESSED))
    for i, x in enumerate(values):
        writer.write_row_record(RowRecord("device", i, [Field("value", x, TSDataType.DOUBLE)]))
    writer.close()


def read(path):
    reader = TsFileReader(path)
    rows = reader.query_timeseries("device", ["value"], 0, N)
    values = []
    while rows.next():
        values.append(rows.get_value_by_index(2))
    return values


# The rows that are wrong with SPRINTZ: Java to Java, Java to Python, Python to Java, Python to Python.
WRONG = {"room": [0, 6, 6, 0], "outside": [78, 901, 902, 273], "load": [0, 950, 950, 824], "rain": [72, 187, 187, 166]}


def judge(encoding, series, writer, reader):
    """The rows that are wrong, each as it was written and as it is read."""
    with open("%s-%s-%s-%s" % (writer, encoding, series, reader)) as f:
        got = [float(line) for line in f]
    assert len(got) == N
    return [(a, b) for a, b in zip(SERIES[series], got) if a != b]


if sys.argv[1] == "make":
    for name, values in SERIES.items():
        with open(name, "w") as f:
            f.writelines("%r\n" % x for x in values)
elif sys.argv[1] == "files":
    for encoding in ENCODINGS:
        for name, values in SERIES.items():
            write("python-%s-%s" % (encoding, name), encoding, values)
            for writer in ("java", "python"):
                path = "%s-%s-%s" % (writer, encoding, name)
                with open(path + "-python", "w") as f:
                    f.writelines("%r\n" % x for x in read(path))
else:
    ways = [(writer, reader) for writer in ("java", "python") for reader in ("java", "python")]
    changed = False
    for series in SERIES:
        for (writer, reader), right in zip(ways, WRONG[series]):
            wrong = judge("SPRINTZ", series, writer, reader)
            first = "first: %s is %s" % wrong[0] if wrong else ""
            print("SPRINTZ  %-7s  %-6s to %-6s  %3d of %d wrong  %s" % (series, writer, reader, len(wrong), N, first))
            if len(wrong) != right:
                print("    changed: it was", right)
                changed = True
    thaw = sum(a < 0 < b for a, b in judge("SPRINTZ", "outside", "java", "java"))
    others = sum(len(judge("GORILLA", series, *way)) for series in SERIES for way in ways)
    for claim, is_so, right in (("SPRINTZ  outside  java   to java    frost that is thaw", thaw, 35),
                                ("GORILLA  all series, all four ways: wrong", others, 0)):
        print(claim, is_so)
        if is_so != right:
            print("    changed: it was", right)
            changed = True
    raise SystemExit(changed)
PY
v/bin/python look.py make
javac -cp 'lib/*' Look.java
java -cp 'lib/*:.' Look write
v/bin/python look.py files
java -cp 'lib/*:.' Look read
v/bin/python look.py judge
