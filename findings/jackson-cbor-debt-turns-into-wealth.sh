#!/usr/bin/env bash
# jackson-cbor-debt-turns-into-wealth -- Jackson 2 reads -2.5 * 10^21 from CBOR as +2.2 * 10^21, and writes -1 as -2
#
# CBOR carries events of devices, and whole numbers beyond 64 bits, as those of ledgers in 10^-18 of a coin, and hashes.
# Java reads and writes it with Jackson, a field being a BigInteger or a BigDecimal; Python has cbor2.
#
# Guess: a BigInteger is exact, and its form in CBOR has been standard since 2013. So both libraries read the same
#        number, as both versions of Jackson do: a store that Jackson 2 has filled is one that Jackson 3 reads.
# Truth: what Jackson 2 writes as -1 is -2 in Python and in Jackson 3: each negative number of a field of type
#        BigInteger is one less, small ones too, and so is the last digit of a BigDecimal beyond 64 bits.
#        Jackson 2 reads -1 of Jackson 3 as 0, and what Python writes beyond 64 bits as one more. If the first of
#        Python's bytes has its highest bit set, the sign is lost: -2.5 * 10^21 is +2.2 * 10^21. Nothing warns, and
#        positive numbers are right.
#        Jackson 2 reads back what it wrote, so that a test with one program does not see it.
# Why it matters: an upgrade to Jackson 3 (Spring Boot 4) takes one from each negative number that is stored already.
#
# Cause: tag 3 means -1 - n. Jackson 2 writes n as the magnitude, and reads the bytes as two's complement. Since 2.20 it
#        can do as the standard says, but both switches are off by default, and on in 3.
# Cure:  ENCODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING and DECODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING, for writer
#        and reader in one go, when nothing is left that was written without them.
#
# Seen with: jackson-dataformat-cbor 2.23.0 and 3.3.0 from Maven Central with Java 17; cbor2 6.3.0 from PyPI.
# Sources: RFC 8949, 3.4.3; https://github.com/FasterXML/jackson-dataformats-binary/issues/431 (closed by the switches)
#          and /issues/610 (that they are off) have the one that is missing. The sign that is lost, and the two versions
#          of Jackson that read each other wrong, are what ran here.
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
    <dependency><groupId>com.fasterxml.jackson.dataformat</groupId><artifactId>jackson-dataformat-cbor</artifactId>
      <version>2.23.0</version></dependency>
    <dependency><groupId>tools.jackson.dataformat</groupId><artifactId>jackson-dataformat-cbor</artifactId>
      <version>3.3.0</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/lib" >mvn.log ||
    { cat mvn.log; exit 1; }
python3 -m venv v
v/bin/pip -q install cbor2==6.3.0
cat >Look.java <<'JAVA'
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Reads lines of "number bytes" from the file `python`; prints what each library makes of it, and what both write. */
public class Look {
  public static void main(String[] words) throws Exception {
    var two = new com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper();
    var three = new tools.jackson.dataformat.cbor.CBORMapper();
    for (String line : Files.readAllLines(Path.of("python"))) {
      String[] part = line.split(" ");
      byte[] read = HexFormat.of().parseHex(part[1]);
      boolean whole = !part[0].contains(".");
      Class<? extends Number> type = whole ? BigInteger.class : BigDecimal.class;
      Number value = whole ? new BigInteger(part[0]) : new BigDecimal(part[0]);
      byte[] by2 = two.writeValueAsBytes(value);
      byte[] by3 = three.writeValueAsBytes(value);
      System.out.println(String.join(" ", part[0], two.readValue(read, type).toString(),
          three.readValue(read, type).toString(), two.readValue(by2, type).toString(),
          three.readValue(by2, type).toString(), two.readValue(by3, type).toString(),
          HexFormat.of().formatHex(by2), HexFormat.of().formatHex(by3)));
    }
  }
}
JAVA
cat >look.py <<'PY'
import sys
from decimal import Decimal

import cbor2

NUMBERS = ["-1", "-5", "-20000000000000000000", "-2500000000000000000000", "2500000000000000000000",
           "-123456789012345678901.25"]
# What is read: Jackson 2 of Python, Jackson 2 of itself, 3 of 2, Python of 2, 2 of 3; 3 and Python read 3 rightly.
SEEN = {
    "-1": ["-1", "-1", "-2", "-2", "0"],
    "-5": ["-5", "-5", "-6", "-6", "-4"],
    "-20000000000000000000": ["-19999999999999999999", "-20000000000000000000", "-20000000000000000001",
                              "-20000000000000000001", "-19999999999999999999"],
    "-2500000000000000000000": ["2222366482869645213697", "-2500000000000000000000", "-2500000000000000000001",
                                "-2500000000000000000001", "-2499999999999999999999"],
    "2500000000000000000000": ["2500000000000000000000"] * 5,
    "-123456789012345678901.25": ["-123456789012345678901.24", "-123456789012345678901.25",
                                  "-123456789012345678901.26", "-123456789012345678901.26",
                                  "-123456789012345678901.24"],
}


def number(text):
    return Decimal(text) if "." in text else int(text)


if sys.argv[1] == "write":
    with open("python", "w") as f:
        for text in NUMBERS:
            f.write("%s %s\n" % (text, cbor2.dumps(number(text)).hex()))
    raise SystemExit(0)
changed = False
print("cbor2 6.3.0, jackson-dataformat-cbor 2.23.0 and 3.3.0")
for line in open("java"):
    text, two_python, three_python, two_two, three_two, two_three, by2, by3 = line.split()
    assert three_python == text and cbor2.loads(bytes.fromhex(by3)) == number(text)
    seen = [two_python, two_two, three_two, str(cbor2.loads(bytes.fromhex(by2))), two_three]
    print(text)
    names = ("Jackson 2 reads Python's", "Jackson 2 its own", "Jackson 3 that of 2", "Python that of 2",
             "Jackson 2 that of 3")
    for name, got, right in zip(names, seen, SEEN[text]):
        print("    %-26s %s" % (name, got))
        if got != right:
            print("    changed: it was", right)
            changed = True
raise SystemExit(changed)
PY
v/bin/python look.py write
java -cp 'lib/*' Look.java >java
v/bin/python look.py read
