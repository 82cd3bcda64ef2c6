/* proto_schema.h -- reads the text of a .proto file (Protocol Buffers Language, proto2 and proto3).
 *
 *   syntax = "proto3"; package shop;
 *   message Pay { string id = 1; optional Kind kind = 2; message Part { … } Part part = 3; }
 *   enum Kind { CARD = 0; CASH = 1; }
 *
 * Reads messages, fields, oneofs, maps and enums. Passes over options, services, extensions,
 * reserved names and groups. Types of other files are known if their texts are given, too. A type
 * that is not found is no fault here: its fields take no column. */
#ifndef LEAT_KERNELS_ENCODE_PROTO_SCHEMA_H
#define LEAT_KERNELS_ENCODE_PROTO_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proto_type {
    PROTO_DOUBLE,
    PROTO_FLOAT,
    PROTO_INT32,
    PROTO_INT64,
    PROTO_UINT32,
    PROTO_UINT64,
    PROTO_SINT32,
    PROTO_SINT64,
    PROTO_FIXED32,
    PROTO_FIXED64,
    PROTO_SFIXED32,
    PROTO_SFIXED64,
    PROTO_BOOL,
    PROTO_STRING,
    PROTO_BYTES, /* the last one that is a word of the language */
    PROTO_TIMESTAMP,
    PROTO_ENUM,
    PROTO_MESSAGE,
    PROTO_UNKNOWN
};

/* "double", …; type names for messages */
extern const char *const proto_type_names[PROTO_UNKNOWN + 1];

enum proto_presence {
    PROTO_IMPLICIT, /* 0 and "" are written as nothing */
    PROTO_OPTIONAL,
    PROTO_REQUIRED
};

struct proto_message;

struct proto_symbol {
    char *name;
    int32_t number;
};

struct proto_enum {
    char *name; /* with its package and the messages around it */
    struct proto_symbol *symbol;
    uint32_t n;
};

struct proto_field {
    char *name, *type_name;
    uint32_t number, oneof; /* oneof: number of the oneof from 1 on; 0: none */
    enum proto_type type;
    enum proto_presence presence;
    bool repeated;                       /* true for a map */
    const struct proto_message *message; /* type is MESSAGE */
    const struct proto_enum *symbols;    /* type is ENUM */
};

struct proto_message {
    char *name; /* with its package and the messages around it */
    struct proto_field *field;
    uint32_t n, n_oneofs;
    uint32_t index; /* top-level messages of the last text: number from 0 on; else UINT32_MAX */
};

struct proto_schema {
    struct proto_message **message; /* in the order of the texts */
    struct proto_enum **symbols;
    uint32_t n_messages, n_enums;
};

struct proto_text {
    const char *text;
    size_t n;
};

/* Reads the texts; the last one is the schema, and the others are those that it imports. Returns
 * NULL with the reason in `why` if one is wrong. */
struct proto_schema *proto_schema_read(const struct proto_text *, uint32_t n, char *why,
                                       size_t cap);
void proto_schema_free(struct proto_schema *);

/* Returns the message with this name, with or without its package; NULL: the first one of the last
 * text. Returns NULL if there is none. */
const struct proto_message *proto_schema_message(const struct proto_schema *, const char *name);

#endif
