/* types.c -- implementation of types.h. */
#include "types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"

enum { INDEXES = 16 /* most messages declared in each other */, HEADER_INDEXES = 64 };
#define RETRY_NS UINT64_C(5000000000)

/* ---- parameters ---- */

void types_check(const struct types_cfg *cfg, struct leat_diag *d)
{
    if (!protobuf_library())
        d->error(d, NULL,
                 "this leat was built without libprotobuf: build it with libprotobuf-dev and "
                 "libprotoc-dev");
    if (!cfg->file && !cfg->registry.url)
        d->error(d, NULL,
                 "the schema of the messages is missing: give schema = \"FILE.proto\", or registry "
                 "= \"http://…\"");
    if (cfg->file && cfg->registry.url)
        d->error(d, NULL, "schema and registry exclude each other: give only one of them");
    if (cfg->framing == FRAMING_READ_NONE && (!cfg->file || !cfg->message))
        d->error(d, "framing",
                 "with \"none\" messages name neither their schema nor their type: set `schema` to "
                 "the file with the schema, and `message` to the name of the type");
    if (cfg->registry.url) registry_check(&cfg->registry, d);
}

/* ---- schemas ---- */

static void types_drop_all(struct types *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        protobuf_schema_free(t->schema[i].schema);
    t->n = 0;
    t->last = NULL;
}

static int types_load(struct leat_ctx *ctx, struct types *t, struct types_schema *s)
{
    struct registry_schema from;
    char why[TYPES_WHY - 100], name[SCHEMA_KEY_TEXT];
    int status = registry_get(ctx, t->registry, &s->key, &from, s->why, sizeof s->why);
    s->until = clock_ns() + RETRY_NS;
    if (status != LEAT_OK || !from.n) return status;
    struct protobuf_file *file = calloc(from.n, sizeof *file);
    for (uint32_t i = 0; file && i < from.n; i++)
        file[i] = (struct protobuf_file){from.part[i].name, from.part[i].text, from.part[i].n};
    s->schema = file ? protobuf_schema_of(file, from.n, why, sizeof why) : NULL;
    schema_key_text(&s->key, name);
    if (s->schema)
        ctx->host->log(ctx, LEAT_INFO, "schema %s came from %s", name, t->cfg->registry.url);
    else
        snprintf(s->why, sizeof s->why, "cannot use schema %s of the registry: %s", name,
                 file ? why : "there is not enough memory");
    free(file);
    registry_schema_free(&from);
    return LEAT_OK;
}

/* Finds the schema with a key, and sets t->last to it. */
static int types_find_schema(struct leat_ctx *ctx, struct types *t, const struct schema_key *key)
{
    if (t->cfg->file) return LEAT_OK; /* the only one */
    if (!t->last || memcmp(&t->last->key, key, sizeof *key) != 0) {
        uint32_t i = 0;
        while (i < t->n && memcmp(&t->schema[i].key, key, sizeof *key) != 0)
            i++;
        if (i == TYPES_MAX) {
            types_drop_all(t);
            i = 0;
        }
        if (i == t->n) t->schema[t->n++] = (struct types_schema){.key = *key};
        t->last = &t->schema[i];
    }
    if (t->last->schema || clock_ns() < t->last->until) return LEAT_OK;
    return types_load(ctx, t, t->last);
}

/* ---- types ---- */

/* Reads a varint. Returns the number of its bytes; 0 if it does not end in n bytes. */
static uint32_t types_varint(const uint8_t *at, uint32_t n, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < n && i < 10; i++) {
        *value |= (uint64_t)(at[i] & 0x7f) << 7 * i;
        if (at[i] < 0x80) return i + 1;
    }
    return 0;
}

static int64_t types_zigzag(uint64_t bits) { return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1); }

/* Finds the type by Apicurio's reference: the length of a message, whose field 1 is a name. Returns
 * the number of its bytes; 0 if there is none. */
static uint32_t types_by_reference(struct protobuf_schema *s, const uint8_t *at, uint32_t n,
                                   struct protobuf_type **type)
{
    if (n < 3 || at[0] < 3 || at[0] >= 0x80 || at[1] != 0x0a || at[2] != at[0] - 2 ||
        (uint32_t)at[0] + 1 > n)
        return 0;
    *type = protobuf_type_short(s, (const char *)at + 3, at[2]);
    return *type ? (uint32_t)at[0] + 1 : 0;
}

/* Finds the type by a count and a path of indexes. Returns the number of their bytes; 0 if the type
 * does not exist. Sets *other to a second type if writers that count differently mean that. */
static uint32_t types_by_indexes(struct protobuf_schema *s, const uint8_t *at, uint32_t n,
                                 struct protobuf_type **type, struct protobuf_type **other)
{
    int64_t index[INDEXES] = {0};
    uint64_t value;
    uint32_t used = types_varint(at, n, &value);
    int64_t count = types_zigzag(value);
    if (!used || count < 0 || count > INDEXES) return 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t more = types_varint(at + used, n - used, &value);
        if (!more) return 0;
        index[i] = types_zigzag(value);
        used += more;
    }
    *type = protobuf_type_at(s, index, count ? (uint32_t)count : 1, true);
    *other = protobuf_type_at(s, index, count ? (uint32_t)count : 1, false);
    if (!*type) *type = *other;
    if (*type == *other) *other = NULL;
    return *type ? used : 0;
}

static int types_refuse(struct types_found *found, const char *why, const char *more)
{
    snprintf(found->why, sizeof found->why, "%s%s", why, more);
    return LEAT_OK;
}

/* Sets the type, if it is the wanted one. */
static void types_take(const struct types *t, struct protobuf_type *type, struct types_found *found)
{
    const char *wanted = t->cfg->message;
    if (wanted && strcmp(protobuf_type_name(type), wanted) != 0)
        snprintf(found->why, sizeof found->why, "the record is a message %.100s, not %.100s",
                 protobuf_type_name(type), wanted);
    else
        found->type = type;
}

/* Finds the type that the n bytes at `at` name. Returns the number of these bytes. */
static uint32_t types_by_name(const struct types *t, const uint8_t *at, uint32_t n,
                              struct types_found *found)
{
    struct protobuf_type *type = NULL, *other = NULL;
    const char *wanted = t->cfg->message;
    uint32_t used = types_by_reference(t->last->schema, at, n, &type);
    if (!used) used = types_by_indexes(t->last->schema, at, n, &type, &other);
    if (other && wanted && !strcmp(protobuf_type_name(other), wanted)) type = other;
    if (used && other && !wanted)
        snprintf(found->why, sizeof found->why,
                 "the indexes name %.100s if their writer counts the entries of maps, and else "
                 "%.100s: set `message`",
                 protobuf_type_name(type), protobuf_type_name(other));
    else if (!used)
        snprintf(found->why, sizeof found->why,
                 "the bytes behind the number of the schema name no message of it: neither indexes "
                 "nor a name stand there");
    else
        types_take(t, type, found);
    return used;
}

/* Finds the type of a record that names nothing. */
static void types_by_parameter(const struct types *t, struct types_found *found)
{
    found->type = protobuf_type_named(t->last->schema, t->cfg->message, strlen(t->cfg->message));
}

static int types_refuse_framing(struct types_found *found, enum framing framing)
{
    const char *seen = framing_text(framing);
    if (framing == FRAMING_IS_JSON)
        return types_refuse(found, seen, ": use parse.json for such records");
    if (framing == FRAMING_IS_GLUE || framing == FRAMING_IS_GLUE_ZLIB)
        return types_refuse(found, seen,
                            ", and a Schema Registry does not know its UUIDs: give the schema in a "
                            "file (`schema`)");
    if (seen) return types_refuse(found, seen, ", which this stage does not read");
    return types_refuse(found,
                        "the record does not begin with a zero byte and the four bytes of its "
                        "schema's number: if no record does, set framing = \"none\"",
                        "");
}

/* Finds the type of a message with Apicurio's headers: by a name before it, as version 3 writes it,
 * or by that of a header. */
static void types_by_header(const struct types *t, const uint8_t *at, uint32_t n,
                            const struct leat_header *name, struct types_found *found)
{
    struct protobuf_type *type = NULL;
    found->prefix = types_by_reference(t->last->schema, at, n, &type);
    if (!found->prefix && name->value)
        type = protobuf_type_short(t->last->schema, name->value, name->n_value);
    if (!type)
        types_refuse(found,
                     "neither the message nor its header " FRAMING_HEADER_TYPE
                     " names a message of the schema",
                     "");
    else
        types_take(t, type, found);
}

/* Finds the schema of a record, and sets t->last to it. Sets found->prefix to the bytes before the
 * name of the type. */
static int types_begin(struct leat_ctx *ctx, struct types *t, const struct leat_batch *b,
                       uint32_t r, enum framing_header header, struct schema_key *key,
                       struct types_found *found)
{
    const char *at = leat_text(b, b->raw[r]);
    const uint32_t n = b->raw[r].len;
    char name[SCHEMA_KEY_TEXT];
    t->found = NULL;
    if (header >= FRAMING_WRONG_HEADER)
        return types_refuse(found, framing_header_fault(header), "");
    if (!header && t->registry && framing_is_long(at, n, key)) {
        found->prefix = FRAMING_LONG;
    } else if (!header) {
        enum framing framing = framing_of(at, n, key);
        if (framing != FRAMING_IS_NUMBER) return types_refuse_framing(found, framing);
        found->prefix = FRAMING_NUMBER;
    }
    int status = types_find_schema(ctx, t, key);
    if (status != LEAT_OK) return status;
    if (t->last->schema) return t->found = t->last, LEAT_OK;
    found->unknown = true;
    snprintf(found->why, sizeof found->why, "schema %s is unknown: %s", schema_key_text(key, name),
             t->last->why);
    return LEAT_OK;
}

/* Finds the type of a message that AWS Glue's serializer has written, and unpacks it if it is
 * compressed. Its schema is that of the file. */
static int types_of_glue(struct leat_ctx *ctx, struct types *t, struct leat_batch *b, uint32_t r,
                         struct types_found *found)
{
    struct schema_key key;
    const struct leat_str raw = b->raw[r];
    uint64_t place;
    const enum framing framing = framing_of(leat_text(b, raw), raw.len, &key);
    if (framing == FRAMING_IS_GLUE_ZLIB && !t->inflated)
        return types_refuse(found, framing_text(framing), ": set framing = \"glue\"");
    if (framing == FRAMING_IS_GLUE)
        found->body = (struct leat_str){raw.off + FRAMING_GLUE, raw.len - FRAMING_GLUE};
    else
        found->rejected = !inflated_record(ctx, t->inflated, b, r, &found->body);
    if (found->rejected) return LEAT_OK;
    const uint8_t *at = (const uint8_t *)leat_text(b, found->body);
    found->prefix = types_varint(at, found->body.len, &place);
    struct protobuf_type *type =
        found->prefix ? protobuf_type_sorted(t->last->schema, place) : NULL;
    if (!type)
        return types_refuse(found, "the bytes behind the UUID of the schema name no message of it",
                            "");
    types_take(t, type, found);
    return LEAT_OK;
}

/* True if AWS Glue's serializer has written the record, and the schema is in a file. */
static bool types_is_glue(const struct types *t, const struct leat_batch *b, uint32_t r)
{
    struct schema_key key;
    const enum framing framing = framing_of(leat_text(b, b->raw[r]), b->raw[r].len, &key);
    return t->cfg->file && (framing == FRAMING_IS_GLUE || framing == FRAMING_IS_GLUE_ZLIB);
}

int types_find(struct leat_ctx *ctx, struct types *t, struct leat_batch *b, uint32_t r,
               struct types_found *found)
{
    static const char first[] = "";
    struct leat_str raw = b->raw[r];
    const uint8_t *at = (const uint8_t *)leat_text(b, raw);
    struct leat_header rest;
    struct schema_key key = {0};
    *found = (struct types_found){.body = raw};
    if (t->cfg->framing == FRAMING_READ_NONE) {
        types_by_parameter(t, found);
        return LEAT_OK;
    }
    enum framing_header header = framing_find_header(b, r, HEADER_INDEXES, &key, &rest);
    if (!header && types_is_glue(t, b, r)) return types_of_glue(ctx, t, b, r, found);
    if (header == FRAMING_GLOBAL_ID && t->cfg->file) header = FRAMING_OF_APICURIO;
    int status = types_begin(ctx, t, b, r, header, &key, found);
    if (!t->found) return status;
    if (header == FRAMING_OF_APICURIO)
        types_by_header(t, at, raw.len, &rest, found);
    else if (header)
        types_by_name(t, (const uint8_t *)(rest.n_value ? rest.value : first),
                      rest.n_value ? rest.n_value : 1, found);
    else
        found->prefix += types_by_name(t, at + found->prefix, raw.len - found->prefix, found);
    return LEAT_OK;
}

/* ---- opening ---- */

static int types_open_file(struct leat_ctx *ctx, struct types *t)
{
    const struct types_cfg *cfg = t->cfg;
    struct types_schema *s = t->last = t->schema;
    s->schema = protobuf_schema_open(cfg->file, s->why, sizeof s->why);
    t->n = s->schema != NULL;
    if (!s->schema)
        return ctx->host->fail(ctx, LEAT_EARG, "schema: cannot use the schema in %s: %s", cfg->file,
                               s->why);
    if (cfg->message && !protobuf_type_named(s->schema, cfg->message, strlen(cfg->message)))
        return ctx->host->fail(ctx, LEAT_EARG,
                               "message: the schema in %s has no message '%s': give the name with "
                               "its package, as in shop.Pay",
                               cfg->file, cfg->message);
    return LEAT_OK;
}

int types_open(struct leat_ctx *ctx, const struct types_cfg *cfg, struct types *t)
{
    int status = LEAT_ENOMEM;
    t->cfg = cfg;
    const bool glue = cfg->framing == FRAMING_READ_GLUE;
    t->schema = ctx->host->alloc(ctx, TYPES_MAX * sizeof *t->schema);
    if (glue) t->inflated = inflated_new(ctx);
    if (t->schema && (t->inflated || !glue))
        status = cfg->file ? types_open_file(ctx, t)
                           : registry_open(ctx, &cfg->registry, REGISTRY_PROTOBUF, &t->registry);
    if (status != LEAT_OK) types_close(ctx, t);
    return status;
}

void types_close(struct leat_ctx *ctx, struct types *t)
{
    types_drop_all(t);
    registry_close(t->registry);
    inflated_free(ctx, t->inflated);
    ctx->host->free(ctx, t->schema);
    *t = (struct types){.n = 0};
}
