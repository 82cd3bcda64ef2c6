/* framed.h -- how messages of sink.kafka name their schema: by bytes before the record, or by
 * headers (common/registry/framing.h).
 *
 *   framing             before the record                    headers
 *   registry            0, four bytes of the number          -
 *   guid                -                                    __value_schema_id: 1, the GUID
 *   apicurio            as registry                          -
 *   apicurio_long       0, eight bytes of the number         -
 *   apicurio_headers    -                                    apicurio.value.contentId: eight bytes
 *   glue                3, 0, the UUID                       -
 *   none                -                                    -
 *
 * Protocol Buffers also name the type: by indexes behind the number or the GUID, and for Apicurio
 * by a message of one field, with its length, that holds the name. Glue counts in another way,
 * so it is not written for them. */
#ifndef LEAT_KAFKA_SINK_FRAMED_H
#define LEAT_KAFKA_SINK_FRAMED_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "common/registry/registry.h"
#include "kernels/encode/proto_write.h"

enum framed_kind {
    FRAMED_REGISTRY,
    FRAMED_GUID,
    FRAMED_APICURIO,
    FRAMED_APICURIO_LONG,
    FRAMED_APICURIO_HEADERS,
    FRAMED_GLUE,
    FRAMED_NONE
};
extern const char *const framed_kinds[];

/* FRAMED_NAME: longest name of a type that is written. */
enum { FRAMED_NAME = 100, FRAMED_BYTES = FRAMING_GLUE + FRAMED_NAME + 4, FRAMED_HEADERS = 2 };

/* Bytes and headers of each message. The headers point into this structure. */
struct framed {
    char prefix[FRAMED_BYTES], id[FRAMING_GUID + PROTO_INDEXES];
    uint32_t n_prefix, n_headers;
    struct leat_header header[FRAMED_HEADERS];
};

/* Names of the schema and the type, and how messages have them. */
struct framed_of {
    enum framed_kind kind;
    enum registry_type type;
    struct registry_id id;
    const char *message; /* Protocol Buffers: name of the type, without its package */
    const char *indexes;
    uint32_t n_indexes;
};

/* True if messages with this framing have a number or a GUID that a registry gives. */
bool framed_asks(enum framed_kind);
/* Returns why messages of a type cannot have this framing; NULL if they can. */
const char *framed_refusal(enum framed_kind, enum registry_type);
/* Makes the bytes and the headers. Returns false with the reason in `why` if the registry has not
 * given what the framing needs. */
bool framed_make(struct framed *, const struct framed_of *, char *why, size_t cap);

#endif
