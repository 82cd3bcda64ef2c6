/* types.h -- finds the type of a message of Protocol Buffers.
 *
 *   schema = FILE      schema of all messages; the number or GUID that a message names is ignored
 *   registry = URL     the Schema Registry at URL has the schema with the message's number or GUID
 *   message = NAME     the type of all messages; without it each message names its own
 *
 * A serializer of a Schema Registry names the type behind the number of the schema:
 *
 *   02 02      a count and a path of indexes, as zigzag varints: here one, 1, the second message
 *   00         short for the first message
 *   08 0a 06 Second   as Apicurio does: the length of a message with the name
 *   01         as AWS Glue does: the second by name of all messages of the file, a varint
 *
 * A schema that was read is kept. When TYPES_MAX are kept, all are dropped. A schema that was not
 * found is not looked for again during some seconds. */
#ifndef LEAT_PROTOBUF_TYPES_H
#define LEAT_PROTOBUF_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "common/registry/framing.h"
#include "common/registry/inflated.h"
#include "common/registry/registry.h"
#include "message.h"

enum { TYPES_MAX = 1024, TYPES_WHY = 500 };

struct types_cfg {
    const char *file, *message;
    struct registry_cfg registry;
    int32_t framing; /* enum framing_read; FRAMING_READ_NONE: messages do not name a type either */
};

/* A schema, or the reason why there is none. */
struct types_schema {
    struct schema_key key;
    struct protobuf_schema *schema;
    uint64_t until; /* if there is none: time until which it is not looked for, monotonic ns */
    char why[TYPES_WHY];
};

struct types {
    const struct types_cfg *cfg;
    struct registry *registry;
    struct types_schema *schema, *last; /* array of TYPES_MAX; the one found last */
    struct types_schema *found;         /* of the present message; NULL: it is rejected */
    uint32_t n;
    struct inflated *inflated; /* NULL unless framing = "glue" */
};

/* Type of a message, and where the message begins in `body`, its record, or what is unpacked of it.
 * If type is NULL, the record is to be rejected for `why`, unless it is already rejected. */
struct types_found {
    struct protobuf_type *type;
    struct leat_str body;
    uint32_t prefix;
    bool unknown; /* the schema is not known */
    bool rejected;
    char why[TYPES_WHY + 100];
};

void types_check(const struct types_cfg *, struct leat_diag *);

/* `types` must be zeroed before. Returns LEAT_OK, or a failure reported to the host. */
int types_open(struct leat_ctx *, const struct types_cfg *, struct types *);
void types_close(struct leat_ctx *, struct types *);

/* Finds the type of record r. If the run must end, returns a failure, reported to the host. */
int types_find(struct leat_ctx *, struct types *, struct leat_batch *, uint32_t r,
               struct types_found *);

#endif
