/* avro_fingerprint.c -- the fingerprint of a schema (avro_schema.h).
 *
 * It is the CRC-64-AVRO of the schema's parsing canonical form. That is JSON without blanks, with
 * whole names, and only with what a reader of records needs. A type that occurs again is a name.
 *
 *   {"type": "record", "name": "R", "namespace": "a", "doc": "…", "fields": […]}
 *   {"name":"a.R","type":"record","fields":[…]} */
#include "avro_schema.h"

#include <stdio.h>

#define CRC_OF_NOTHING UINT64_C(0xc15d213aa4d7a795)

static void canonical_put(uint64_t *crc, const char *text)
{
    for (; *text; text++) {
        *crc ^= (uint8_t)*text;
        for (int bit = 0; bit < 8; bit++)
            *crc = *crc >> 1 ^ (CRC_OF_NOTHING & (0 - (*crc & 1)));
    }
}

static void canonical_quoted(uint64_t *crc, const char *text)
{
    canonical_put(crc, "\"");
    canonical_put(crc, text);
    canonical_put(crc, "\"");
}

static void canonical_type(uint64_t *crc, const struct avro_type *type);

static void canonical_head(uint64_t *crc, const struct avro_type *t, const char *kind)
{
    canonical_put(crc, "{\"name\":");
    canonical_quoted(crc, t->name);
    canonical_put(crc, ",\"type\":\"");
    canonical_put(crc, kind);
    canonical_put(crc, "\"");
}

static void canonical_fields(uint64_t *crc, const struct avro_type *t)
{
    canonical_put(crc, ",\"fields\":[");
    for (uint32_t i = 0; i < t->n; i++) {
        canonical_put(crc, i ? ",{\"name\":" : "{\"name\":");
        canonical_quoted(crc, t->member[i].name);
        canonical_put(crc, ",\"type\":");
        canonical_type(crc, t->member[i].type);
        canonical_put(crc, "}");
    }
    canonical_put(crc, "]");
}

static void canonical_named(uint64_t *crc, struct avro_type *t)
{
    char size[32];
    if (t->written) {
        canonical_quoted(crc, t->name);
        return;
    }
    t->written = true;
    canonical_head(crc, t,
                   t->kind == AVRO_RECORD ? "record"
                   : t->kind == AVRO_ENUM ? "enum"
                                          : "fixed");
    snprintf(size, sizeof size, ",\"size\":%u", (unsigned)t->n);
    if (t->kind == AVRO_FIXED) canonical_put(crc, size);
    if (t->kind == AVRO_RECORD) canonical_fields(crc, t);
    if (t->kind == AVRO_ENUM) canonical_put(crc, ",\"symbols\":[");
    for (uint32_t i = 0; t->kind == AVRO_ENUM && i < t->n; i++) {
        if (i) canonical_put(crc, ",");
        canonical_quoted(crc, t->symbol[i]);
    }
    canonical_put(crc, t->kind == AVRO_ENUM ? "]}" : "}");
}

static void canonical_union(uint64_t *crc, const struct avro_type *t)
{
    canonical_put(crc, "[");
    for (uint32_t i = 0; i < t->n; i++) {
        if (i) canonical_put(crc, ",");
        canonical_type(crc, t->member[i].type);
    }
    canonical_put(crc, "]");
}

static void canonical_type(uint64_t *crc, const struct avro_type *type)
{
    static const char *const primitive[] = {
        [AVRO_NULL] = "null",   [AVRO_BOOLEAN] = "boolean", [AVRO_INT] = "int",
        [AVRO_LONG] = "long",   [AVRO_FLOAT] = "float",     [AVRO_DOUBLE] = "double",
        [AVRO_BYTES] = "bytes", [AVRO_STRING] = "string"};
    struct avro_type *t = (struct avro_type *)(uintptr_t)type;
    if (t->kind <= AVRO_STRING) {
        canonical_quoted(crc, primitive[t->kind]);
    } else if (t->kind == AVRO_UNION) {
        canonical_union(crc, t);
    } else if (t->name) {
        canonical_named(crc, t);
    } else {
        canonical_put(crc, t->kind == AVRO_ARRAY ? "{\"type\":\"array\",\"items\":"
                                                 : "{\"type\":\"map\",\"values\":");
        canonical_type(crc, t->member[0].type);
        canonical_put(crc, "}");
    }
}

uint64_t avro_fingerprint(struct avro_type *root)
{
    uint64_t crc = CRC_OF_NOTHING;
    canonical_type(&crc, root);
    return crc;
}
