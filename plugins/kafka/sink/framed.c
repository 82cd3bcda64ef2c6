/* framed.c -- implementation of framed.h. */
#include "framed.h"

#include <stdio.h>
#include <string.h>

const char *const framed_kinds[] = {"registry",         "guid", "apicurio", "apicurio_long",
                                    "apicurio_headers", "glue", "none",     NULL};

bool framed_asks(enum framed_kind kind) { return kind < FRAMED_GLUE; }

const char *framed_refusal(enum framed_kind kind, enum registry_type type)
{
    return kind == FRAMED_GLUE && type == REGISTRY_PROTOBUF
               ? "Glue counts the types of Protocol Buffers in a way that is not written: set "
                 "format = \"avro\" or \"json_schema\""
               : NULL;
}

static void framed_put(struct framed *f, const void *bytes, uint32_t n)
{
    if (n) memcpy(f->prefix + f->n_prefix, bytes, n);
    f->n_prefix += n;
}

/* Writes 0, the number in `bytes` bytes, most significant first. */
static void framed_number(char *to, uint32_t number, int bytes)
{
    *to++ = 0;
    for (int i = bytes - 1; i >= 0; i--)
        *to++ = (char)(i < 4 ? number >> (8 * i) : 0);
}

static void framed_header(struct framed *f, const char *name, const char *value, size_t n)
{
    f->header[f->n_headers++] =
        (struct leat_header){name, value, (uint32_t)strlen(name), (uint32_t)n};
}

/* Writes the length of a message, and that message: field 1 with a name. */
static void framed_reference(struct framed *f, const char *name)
{
    const uint8_t n = (uint8_t)strlen(name), head[] = {(uint8_t)(n + 2), 0x0a, n};
    framed_put(f, head, sizeof head);
    framed_put(f, name, n);
}

static void framed_put_number(struct framed *f, const struct framed_of *of)
{
    const int bytes = of->kind == FRAMED_APICURIO_LONG ? 8 : 4;
    framed_number(f->prefix, of->id.number, bytes);
    f->n_prefix = 1 + (uint32_t)bytes;
}

static void framed_apicurio_headers(struct framed *f, const struct framed_of *of)
{
    framed_number(f->id, of->id.number, 8);
    framed_header(f, FRAMING_HEADER_APICURIO, f->id + 1, 8);
    if (of->type == REGISTRY_AVRO) framed_header(f, FRAMING_HEADER_ENCODING, "BINARY", 6);
    if (of->type == REGISTRY_PROTOBUF)
        framed_header(f, FRAMING_HEADER_TYPE, of->message, strlen(of->message));
}

static bool framed_guid(struct framed *f, const struct framed_of *of, char *why, size_t cap)
{
    if (!of->id.guid.guid) {
        snprintf(why, cap,
                 "framing: the registry does not say which GUID schema %u has, as "
                 "Confluent's does since version 8: set framing = \"registry\"",
                 (unsigned)of->id.number);
        return false;
    }
    f->id[0] = 1;
    memcpy(f->id + 1, of->id.guid.at, FRAMING_GUID - 1);
    memcpy(f->id + FRAMING_GUID, of->indexes, of->n_indexes);
    framed_header(f, FRAMING_HEADER_GUID, f->id, FRAMING_GUID + of->n_indexes);
    return true;
}

bool framed_make(struct framed *f, const struct framed_of *of, char *why, size_t cap)
{
    static const char glue[] = {3, 0};
    const bool names = of->kind >= FRAMED_APICURIO && of->kind <= FRAMED_APICURIO_HEADERS;
    *f = (struct framed){.n_prefix = 0};
    if (names && of->message && strlen(of->message) > FRAMED_NAME) {
        snprintf(why, cap, "message: the name of the type has more than %d bytes",
                 (int)FRAMED_NAME);
        return false;
    }
    if (of->kind == FRAMED_GUID) return framed_guid(f, of, why, cap);
    if (of->kind == FRAMED_GLUE) {
        framed_put(f, glue, sizeof glue);
        framed_put(f, of->id.guid.at, sizeof of->id.guid.at);
    } else if (of->kind == FRAMED_APICURIO_HEADERS) {
        framed_apicurio_headers(f, of);
    } else if (of->kind != FRAMED_NONE) {
        framed_put_number(f, of);
    }
    if (of->kind == FRAMED_REGISTRY) framed_put(f, of->indexes, of->n_indexes);
    if (names && of->message) framed_reference(f, of->message);
    return true;
}
