import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.jsonschema.JsonSchemaKafkaDeserializer;
import io.apicurio.registry.serde.protobuf.ProtobufKafkaDeserializer;
import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/** Prints the messages of a topic as Apicurio reads them: Serdes BROKERS URL TOPIC avro|json_schema|protobuf [ID-HANDLER]. */
public class Serdes {
    static Object field(Object v, String name) {
        if (v instanceof org.apache.avro.generic.GenericRecord) return ((org.apache.avro.generic.GenericRecord) v).get(name);
        if (v instanceof com.fasterxml.jackson.databind.JsonNode) return ((com.fasterxml.jackson.databind.JsonNode) v).get(name);
        if (v instanceof Map) return ((Map<?, ?>) v).get(name);
        com.google.protobuf.Message m = (com.google.protobuf.Message) v;
        var f = m.getDescriptorForType().findFieldByName(name);
        return m.hasField(f) ? m.getField(f) : null;
    }
    public static void main(String[] a) throws Exception {
        Map<String, Object> c = new HashMap<>();
        c.put("apicurio.registry.url", a[1]);
        c.put("apicurio.registry.headers.enabled", true);
        if (a.length > 4) c.put("apicurio.registry.id-handler", a[4]);
        Deserializer<Object> d = (Deserializer<Object>) (Object) (a[3].equals("avro") ? new AvroKafkaDeserializer()
            : a[3].equals("protobuf") ? new ProtobufKafkaDeserializer() : new JsonSchemaKafkaDeserializer());
        d.configure(c, false);
        Properties p = new Properties();
        p.put("bootstrap.servers", a[0]);
        var consumer = new KafkaConsumer<byte[], byte[]>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var part = List.of(new TopicPartition(a[2], 0));
        consumer.assign(part);
        consumer.seekToBeginning(part);
        long end = consumer.endOffsets(part).get(part.get(0));
        while (consumer.position(part.get(0)) < end)
            for (var r : consumer.poll(Duration.ofSeconds(1))) {
                Object v = d.deserialize(a[2], r.headers(), r.value());
                System.out.println("{\"t\":" + q(field(v, "t")) + ",\"n\":" + field(v, "n") + ",\"x\":" + field(v, "x") + "}");
            }
    }
    static String q(Object t) {
        if (t == null || t.toString().equals("null")) return "null";
        String s = t instanceof com.fasterxml.jackson.databind.JsonNode ? ((com.fasterxml.jackson.databind.JsonNode) t).asText() : t.toString();
        return "\"" + s.replace("\"", "\\\"") + "\"";
    }
}
