/* Minutes.java -- counts and means by key and minute, exactly once, by Kafka Streams, with the leanest code for it:
 * Jackson's parser of tokens, a state of 16 bytes in RocksDB, and rows when their minute is over.
 *
 *   java Minutes BROKERS APPLICATION FROM TO FOLDER
 */
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.WindowStore;

public final class Minutes {
    private static final JsonFactory JSON = new JsonFactory();

    private static double ms(byte[] message) {
        try (JsonParser parser = JSON.createParser(message)) {
            while (parser.nextToken() != null)
                if (parser.currentToken() == JsonToken.FIELD_NAME && parser.currentName().equals("ms")) {
                    parser.nextToken();
                    return parser.getDoubleValue();
                }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalArgumentException("a message without ms");
    }

    /* The state of a key and minute: count, sum. */
    private static byte[] state(long count, double sum) {
        return ByteBuffer.allocate(16).putLong(count).putDouble(sum).array();
    }

    private static byte[] add(byte[] state, byte[] message) {
        ByteBuffer b = ByteBuffer.wrap(state);
        return state(b.getLong(0) + 1, b.getDouble(8) + ms(message));
    }

    private static byte[] row(Windowed<String> key, byte[] state) {
        ByteBuffer b = ByteBuffer.wrap(state);
        long count = b.getLong(0);
        return ("{\"window\":\"" + Instant.ofEpochMilli(key.window().start()) + "\",\"user\":\"" + key.key()
                + "\",\"count\":" + count + ",\"mean_ms\":" + b.getDouble(8) / count + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static Properties settings(String brokers, String application, String folder) {
        Properties p = new Properties();
        p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        p.put(StreamsConfig.STATE_DIR_CONFIG, folder);
        p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1000);
        p.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        p.put(StreamsConfig.consumerPrefix("group.instance.id"), "1");
        return p;
    }

    public static void main(String[] args) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(args[2], Consumed.with(Serdes.String(), Serdes.ByteArray()))
                .groupByKey()
                .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMinutes(1)))
                .aggregate(() -> state(0, 0), (key, message, state) -> add(state, message),
                        Materialized.<String, byte[], WindowStore<Bytes, byte[]>>as("minutes")
                                .withKeySerde(Serdes.String()).withValueSerde(Serdes.ByteArray()))
                .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
                .toStream()
                .map((key, state) -> KeyValue.pair(key.key(), row(key, state)))
                .to(args[3], Produced.with(Serdes.String(), Serdes.ByteArray()));
        KafkaStreams streams = new KafkaStreams(builder.build(), settings(args[0], args[1], args[4]));
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }
}
