#!/usr/bin/env bash
# kafka-connect-header-becomes-a-float32 -- Kafka Connect: the time 1790000123.456 in a header is 4.5 seconds later
#
# Services put small texts into the headers of their messages: an id of the request, the time in seconds, a version, a
# price, a sum. A connector gets headers from the converter of the worker, header.converter, which nobody sets.
#
# Guess: the default converter, SimpleHeaderConverter, makes guesses of types: a number becomes a long or a double, and
#        what is not plainly a number stays a text. What it reads and writes again is the same text, or the same number.
# Truth: a number with a point is a FLOAT32, whatever its digits: 1790000123.456 is 1790000128, 1234567.89 is 1234567.9,
#        and 19.99 in a column of doubles is 19.989999771118164. A price of 5.00 is the INT8 5.
#        Ids: 00123456 is 123456, and 12345e67 is 1.2345E71. Of a million random ids of eight hexadecimal digits 3
#        percent are numbers, and 1 percent come back as another text. Nothing warns.
#        A test with two or three ids does not see it: they are texts, and the type changes with the message.
# Why it matters: what is lost is what finds a record again, and it is lost for some records only.
#
# Cause: Values.parseString, which tries types from small to large, and float before double: a number whose magnitude
#        fits into a float is taken for one, without a look at its digits.
# Cure:  header.converter=org.apache.kafka.connect.storage.StringConverter (or ByteArrayConverter) for each worker.
#
# Seen with: connect-api 4.4.0 from Maven Central, Java 17.
# Sources: Kafka, connect/api, org/apache/kafka/connect/data/Values.java (parseAsNumber); KIP-145, in whose review
#          (https://github.com/apache/kafka/pull/4319) somebody feared that data would be changed in small ways;
#          KAFKA-20892 (open) has a number followed by other text. We found no issue of the float.
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
    <dependency><groupId>org.apache.kafka</groupId><artifactId>connect-api</artifactId>
      <version>4.4.0</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/lib" >mvn.log ||
    { cat mvn.log; exit 1; }
cat >Look.java <<'JAVA'
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.Random;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

/** What the default converter of headers makes of texts, and what it writes again. */
public class Look {
  static final SimpleHeaderConverter CONVERTER = new SimpleHeaderConverter();
  static boolean changed;

  static SchemaAndValue read(String text) {
    return CONVERTER.toConnectHeader("topic", "header", text.getBytes(UTF_8));
  }

  static String again(SchemaAndValue value) {
    return new String(CONVERTER.fromConnectHeader("topic", "header", value.schema(), value.value()), UTF_8);
  }

  static void expect(String claim, String seen, String wanted) {
    System.out.printf("%-44s %s%n", claim, seen);
    if (seen.equals(wanted)) return;
    System.out.println("    changed: it was " + wanted);
    changed = true;
  }

  static void header(String text, String wanted) {
    SchemaAndValue value = read(text);
    expect(text, value.schema().type() + " " + again(value), wanted);
  }

  public static void main(String[] words) {
    CONVERTER.configure(Map.of());
    header("1790000123.456", "FLOAT32 1.79000013E9");
    header("1234567.89", "FLOAT32 1234567.9");
    header("5.00", "INT8 5");
    header("00123456", "INT32 123456");
    header("12345e67", "FLOAT64 1.2345E71");
    header("1790000000123", "INT64 1790000000123");
    header("4bf92f35", "STRING 4bf92f35");
    Object seconds = read("1790000123.456").value();
    expect("1790000123.456 as a long", String.valueOf(((Number) seconds).longValue()), "1790000128");
    expect("19.99 as a double", String.valueOf(((Number) read("19.99").value()).doubleValue()), "19.989999771118164");
    Random random = new Random(1);
    int numbers = 0, others = 0;
    for (int i = 0; i < 1000000; i++) {
      String id = String.format("%08x", random.nextInt());
      if (id.matches("[0-9]+e[0-9]{4,}")) continue; // numbers as well, but slow
      SchemaAndValue value = read(id);
      if (value.schema().type() == Schema.Type.STRING) continue;
      numbers++;
      if (!again(value).equals(id)) others++;
    }
    expect("of a million ids, numbers", String.valueOf(numbers), "30503");
    expect("  that come back as another text", String.valueOf(others), "9360");
    System.exit(changed ? 1 : 0);
  }
}
JAVA
ls lib | sed -n 's/^connect-api-\(.*\)[.]jar$/connect-api \1/p'
java -cp 'lib/*' Look.java
