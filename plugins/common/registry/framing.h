/* framing.h -- which schema a message names, in its header or in its first bytes.
 *
 *   0, four bytes                     the number of its schema, as serializers of a Schema Registry
 *                                     write it (most significant byte first)
 *   0, eight bytes                    the same as some serializers of Apicurio write it. The first
 *                                     four are 0, and no registry gives the number 0
 *   3, 0, 16 bytes                    the UUID of its schema, as AWS Glue writes it; 3, 5: the rest
 *                                     is compressed
 *   C3, 1, eight bytes                Avro's single-object encoding: the fingerprint of the schema
 *   header __value_schema_id          0 and four bytes, or 1 and the 16 bytes of a GUID; nothing
 *                                     then stands before the message's value
 *   header apicurio.value.contentId   the number in eight bytes. apicurio.value.globalId is another
 *                                     number, which the API of a Schema Registry does not take */
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
    FRAMING_LONG = 9,    /* bytes before a record that names a number of eight bytes */
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

/* Values of a parameter for the framing of records: any of those above, none, or that of AWS Glue,
 * also with compression (inflated.h). */
enum framing_read { FRAMING_READ_REGISTRY, FRAMING_READ_NONE, FRAMING_READ_GLUE };
extern const char *const framing_read_names[];

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

/* True if the message begins with 0, four bytes of 0, and a number that is not 0. Sets *key to it.
 * A record whose schema comes from a file may begin so, too. */
bool framing_is_long(const void *message, uint32_t n, struct schema_key *key);

/* Describes a framing: "it begins as AWS Glue writes records". NULL if it is unknown, or that of a
 * number. */
const char *framing_text(enum framing);

#define FRAMING_HEADER_GUID     "__value_schema_id"
#define FRAMING_HEADER_APICURIO "apicurio.value.contentId"
#define FRAMING_HEADER_TYPE     "apicurio.protobuf.type"
#define FRAMING_HEADER_ENCODING "apicurio.value.encoding"

/* True for headers that name the schema of a message's value, or describe how it is encoded. */
bool framing_is_header(const char *name, uint32_t n);

/* Result of the search for a header that names the schema. */
enum framing_header {
    FRAMING_NO_HEADER,
    FRAMING_HEADER,
    FRAMING_OF_APICURIO, /* apicurio.value.contentId */
    FRAMING_WRONG_HEADER /* from here on, the record must be rejected */,
    FRAMING_WRONG_CONTENT_ID,
    FRAMING_GLOBAL_ID
};

/* Looks for the last such header of record r. Sets *key, and *rest to the bytes of the header
 * __value_schema_id after the key, such as the message indexes of Protobuf, of which it may have
 * `max_rest`. With a header of Apicurio, *rest is the header with the name of the type, or has no
 * value. */
enum framing_header framing_find_header(const struct leat_batch *b, uint32_t r, uint32_t max_rest,
                                        struct schema_key *key, struct leat_header *rest);
/* Returns why a record with such a header is rejected. */
const char *framing_header_fault(enum framing_header);

#ifdef __cplusplus
}
#endif

#endif
