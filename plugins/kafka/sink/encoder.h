/* encoder.h -- messages of sink.kafka that have a schema: their columns, bytes and schema.
 *
 *   schema = FILE       the schema of all messages; without it, one is made of the columns
 *   register = true     the subject of the registry gets the schema if it does not have it yet
 *   register = false    the subject must have the schema; without a file, its newest one is used
 *
 *   framing             how a message names its schema (framed.h)
 *
 * The registry is asked for the schema once, when the sink opens. A record that does not fit the
 * schema is rejected before its message exists, so a transaction never has a part of one. */
#ifndef LEAT_KAFKA_SINK_ENCODER_H
#define LEAT_KAFKA_SINK_ENCODER_H

#include <leat/plugin.h>

#include "common/registry/registry.h"
#include "framed.h"
#include "core/report/text_out.h"
#include "kernels/encode/fit.h"

/* Formats of messages. Those from ENCODER_FIRST on have a schema. */
enum encoder_format {
    ENCODER_RAW,
    ENCODER_JSONL,
    ENCODER_AVRO,
    ENCODER_JSON_SCHEMA,
    ENCODER_PROTOBUF,
    ENCODER_FIRST = ENCODER_AVRO
};

struct encoder_cfg {
    const char *file, *subject, *message, *version;
    int32_t format, registers, framing; /* framing: enum framed_kind */
    struct registry_cfg registry;
};

/* Parameters for a configuration CFG whose member FIELD is a struct encoder_cfg. */
#define ENCODER_PARAMS(CFG, FIELD)                                                                 \
    LEAT_PARAM_AS("schema", CFG, FIELD.file, LEAT_PATH,                                            \
                  .flags = LEAT_READS_FILE | LEAT_READS_WHOLE,                                     \
                  .doc = "file with the schema of the messages; without it, one is made "          \
                         "of the columns"),                                                        \
        REGISTRY_PARAMS(CFG, FIELD.registry),                                                      \
        LEAT_PARAM_AS("subject", CFG, FIELD.subject, LEAT_STRING, .flags = LEAT_OPERATIONAL,       \
                      .only_with = "registry",                                                     \
                      .doc = "subject of the schema in the registry; by default the name of the "  \
                             "topic and -value"),                                                  \
        LEAT_PARAM_AS("register", CFG, FIELD.registers, LEAT_BOOL, .flags = LEAT_OPERATIONAL,      \
                      .def = "true", .only_with = "registry",                                      \
                      .doc = "register the schema in the subject; false: the subject must have "   \
                             "it, and without `schema` its newest one is used"),                   \
        LEAT_PARAM_AS("message", CFG, FIELD.message, LEAT_STRING,                                  \
                      .doc = "protobuf: name of the type, which is not declared in another one; "  \
                             "by default the first of the schema"),                                \
        LEAT_PARAM_AS("framing", CFG, FIELD.framing, LEAT_CHOICE, .def = "registry",               \
                      .choices = framed_kinds,                                                     \
                      .doc =                                                                       \
                          "how a message names its schema: registry: by 0 and the four bytes of "  \
                          "its number; guid: by the header __value_schema_id, as Confluent's "     \
                          "serializers can; apicurio: by the number, and for protobuf the name "   \
                          "of the type; apicurio_long: the same with eight bytes; "                \
                          "apicurio_headers: by headers; glue: by 3, 0 and the UUID of "           \
                          "`schema_version`; none: not at all"),                                   \
        LEAT_PARAM_AS("schema_version", CFG, FIELD.version, LEAT_STRING,                           \
                      .doc =                                                                       \
                          "glue: the UUID of the schema's version, which AWS Glue gave when the "  \
                          "schema was registered there")

extern const char *const encoder_formats[];

struct encoder_kind;

struct encoder {
    const struct encoder_kind *kind;
    void *writer; /* of the format */
    const struct leat_schema *in;
    uint32_t n, *index; /* columns */
    struct fit_column *column;
    struct fit_value *value; /* of the present record */
    struct framed framed;
};

/* Checks the parameters. */
void encoder_check(const struct encoder_cfg *, struct leat_diag *);
/* Asks for the columns `wanted` ("column", or "field=column"), by default for all. Checks them
 * against the file with the schema. */
void encoder_negotiate(struct leat_negotiation *, const struct encoder_cfg *,
                       const struct leat_strings *wanted, const char *topic);
/* Asks the registry, without registering the schema. */
int encoder_online(struct leat_ctx *, const struct encoder_cfg *, const struct leat_strings *wanted,
                   const char *topic, int seconds, struct leat_diag *);
/* `encoder` must be zeroed before. Returns LEAT_OK, or a failure reported to the host. */
int encoder_open(struct leat_ctx *, struct encoder *, const struct encoder_cfg *,
                 const struct leat_strings *wanted, const char *topic);
void encoder_close(struct leat_ctx *, struct encoder *);

enum { ENCODER_WHY = 700 };
/* Writes the message of record r. Returns false if the record does not fit, with the reason in
 * `why`. */
bool encoder_write(struct encoder *, const struct leat_batch *, uint32_t r, struct text_out *,
                   char why[ENCODER_WHY]);

#endif
