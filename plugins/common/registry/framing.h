/* framing.h -- which schema a message names, in its header or in its first bytes.
 *
 *   0, four bytes                     the number of its schema, as serializers of a Schema Registry
 *                                     write it (most significant byte first)
 *   3, 0, 16 bytes                    the UUID of its schema, as AWS Glue writes it; 3, 5: the rest
 *                                     is compressed
 *   C3, 1, eight bytes                Avro's single-object encoding: the fingerprint of the schema
 *   header __value_schema_id          0 and four bytes, or 1 and the 16 bytes of a GUID; nothing
 *                                     then stands before the message's value */
#ifndef LEAT_COMMON_REGISTRY_FRAMING_H
#define LEAT_COMMON_REGISTRY_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FRAMING_NUMBER = 5,  /* bytes before a record that names a number */
    FRAMING_GUID = 17,   /* bytes of a header that names a GUID */
    FRAMING_GLUE = 18,   /* bytes before a record as AWS Glue writes it */
    FRAMING_SINGLE = 10, /* bytes before a record in single-object encoding */
    SCHEMA_KEY_TEXT = 40
};

enum framing {
    FRAMING_IS_NUMBER,
    FRAMING_IS_GLUE,
    FRAMING_IS_GLUE_ZLIB,
    FRAMING_IS_SINGLE,
    FRAMING_IS_CONTAINER, /* an Avro file */
    FRAMING_IS_JSON,
    FRAMING_IS_UNKNOWN
};

/* Names a schema as a record does: by four bytes of a number, or by 16 bytes of a GUID. The other
 * bytes are 0. */
struct schema_key {
    uint8_t guid; /* 1: a GUID */
    uint8_t at[16];
};

/* Writes "17", or a GUID with its hyphens. Returns `text`. */
const char *schema_key_text(const struct schema_key *, char text[SCHEMA_KEY_TEXT]);
/* Reads a key as schema_key_text() writes it. Returns false if the text has another form. */
bool schema_key_read(const char *text, size_t n, struct schema_key *);

/* Returns the framing of a message of n bytes, by its first bytes. Sets *key if it names a number
 * or a UUID. */
enum framing framing_of(const void *message, uint32_t n, struct schema_key *key);

/* Describes a framing: "it begins as AWS Glue writes records". NULL if it is unknown, or that of a
 * number. */
const char *framing_text(enum framing);

#define FRAMING_HEADER_NAME "__value_schema_id"

/* Result of the search for the header __value_schema_id. */
enum framing_header { FRAMING_NO_HEADER, FRAMING_HEADER, FRAMING_WRONG_HEADER };

/* Looks for the last such header of record r. Sets *key, and *rest to the bytes of the header after
 * the key, such as the message indexes of Protobuf; FRAMING_WRONG_HEADER: it begins otherwise, or
 * it has more than `max_rest` such bytes. */
enum framing_header framing_find_header(const struct leat_batch *b, uint32_t r, uint32_t max_rest,
                                        struct schema_key *key, struct leat_header *rest);

#define FRAMING_WRONG_HEADER_TEXT                                                                  \
    "the header __value_schema_id of the message is neither 0 and four bytes nor 1 and 16 bytes"

#ifdef __cplusplus
}
#endif

#endif
