/* message.h -- reads messages of Protocol Buffers with libprotobuf, by schemas that come at run
 * time.
 *
 *   message Pay { User user = 1; repeated string tags = 2; }       user.id, tags[0], tags[*]
 *
 * libprotobuf reads a whole message. Then paths (kernels/text/json_path.h) lead to its values. A
 * field is a key, and so is the key of a map. Well-known types count as what they stand for:
 * wrappers and google.protobuf.Value as their value, Struct as a map, ListValue as an array.
 *
 * Messages of a schema are kept and read again and again, so the steady state allocates nothing.
 * If there is no free memory for a longer one, libprotobuf ends the process.
 * Without libprotobuf, protobuf_library() returns NULL, and no schema can be read. */
#ifndef LEAT_PROTOBUF_MESSAGE_H
#define LEAT_PROTOBUF_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/text/json_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of libprotobuf; NULL if leat was built without it. */
const char *protobuf_library(void);

/* ---- schemas ---- */

struct protobuf_schema;
struct protobuf_type; /* a type of messages; its schema owns it */

/* A file of a schema: a .proto text, or a FileDescriptorProto in base64, as registries send it. */
struct protobuf_file {
    const char *name; /* name by which others import it; "" for the last one */
    const char *text;
    size_t n;
};

/* Reads a schema from a file: NAME.proto with what it imports from its folder, or a set of
 * descriptors (protoc --descriptor_set_out --include_imports). Returns NULL with the reason in
 * `why` if this fails. */
struct protobuf_schema *protobuf_schema_open(const char *path, char *why, size_t cap);
/* Makes a schema of files that import each other. The last one declares the messages. */
struct protobuf_schema *protobuf_schema_of(const struct protobuf_file *, uint32_t n, char *why,
                                           size_t cap);
void protobuf_schema_free(struct protobuf_schema *);

/* Returns the type with a name, such as "shop.Pay"; NULL if there is none. */
struct protobuf_type *protobuf_type_named(struct protobuf_schema *, const char *name, size_t n);
/* Returns the type with a name that lacks the package of the schema's last file, or with its whole
 * name. */
struct protobuf_type *protobuf_type_short(struct protobuf_schema *, const char *name, size_t n);
/* Returns the type at a path of indexes: that of a message of the schema's last file, then of
 * messages declared in it. NULL if there is none. A map declares a message for its entries, which
 * some writers count, and others do not: `entries`. */
struct protobuf_type *protobuf_type_at(struct protobuf_schema *, const int64_t *index, uint32_t n,
                                       bool entries);
/* Returns the type at a place in the order of the names of all messages of the schema's last file,
 * with those of maps' entries. NULL if there is none, or if it is that of a map's entries. */
struct protobuf_type *protobuf_type_sorted(struct protobuf_schema *, uint64_t place);
const char *protobuf_type_name(const struct protobuf_type *);

/* Calls `name` for the paths of a type's values. */
typedef void protobuf_name(void *to, const char *path, uint32_t n);
void protobuf_names(const struct protobuf_type *, protobuf_name *name, void *to);

/* ---- messages ---- */

enum protobuf_kind {
    PROTOBUF_NOTHING, /* the message lacks the path */
    PROTOBUF_NULL,
    PROTOBUF_MESSAGE,
    PROTOBUF_ARRAY,
    PROTOBUF_MAP,
    PROTOBUF_TEXT, /* string or bytes */
    PROTOBUF_BOOL, /* in `integer` */
    PROTOBUF_INTEGER,
    PROTOBUF_UNSIGNED, /* 64 bits, in `integer` */
    PROTOBUF_FLOAT,
    PROTOBUF_DOUBLE,
    PROTOBUF_ENUM, /* text and number */
    PROTOBUF_TIME, /* google.protobuf.Timestamp: seconds since 1970 in `integer`, and `nanos` */
    PROTOBUF_SPAN  /* google.protobuf.Duration: likewise */
};

struct protobuf_value {
    enum protobuf_kind kind;
    uint32_t n;       /* bytes of `text` */
    const char *text; /* valid until the next message is read */
    int64_t integer;
    double real;
    int32_t nanos;
};

/* Reads a message. Returns false if its bytes are wrong. */
bool protobuf_read(struct protobuf_type *, const void *bytes, uint32_t n);
/* True if the message has fields that its type lacks. */
bool protobuf_has_unknown(const struct protobuf_type *);

/* Called for each value. Returns false to stop. */
typedef bool protobuf_visit(void *to, const struct protobuf_value *);
/* Follows a path in the message read last. Calls visit() once. For a path with [*] calls it for
 * each value that it reaches. A value that is not an array counts as an array of one element.
 * Returns false if visit() returned false. */
bool protobuf_each(struct protobuf_type *, const struct json_step *, uint32_t n, protobuf_visit *,
                   void *to);

#ifdef __cplusplus
}
#endif

#endif
