/* avro.c -- parse.avro: values at paths in an Avro record as columns.
 *
 * schemas.c finds the schema of a record. avro_read (kernels/avro) checks the record and finds the
 * values. This file makes cells of the values. Texts stay in the record. A symbol of an enum is
 * appended to a batch once. Other values are numbers, or are appended as text.
 * common/paths/path_columns.h has the columns and their policies. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "avro/docs.h"
#include "common/cells/strings.h"
#include "common/paths/path_columns.h"
#include "common/registry/inflated.h"
#include "kernels/avro/value_text.h"
#include "schemas.h"

/* ---- paths of a schema ----
 *
 *   record { record { string id } user; array<int> tags; map<int> counts }     user.id, tags[*]
 *
 * The paths are noted for hints about misspelt paths. The keys of a map are not in the schema, so
 * values in a map have no path here. */

/* Limits of the walk through a schema: bytes of a path, and types visited. A recursive schema has
 * endless paths. */
enum { PATH_BYTES = 240, TYPES = 4096 };

struct avro_walk {
    struct path_names *names;
    uint32_t types;
    char path[PATH_BYTES];
};

/* Visits a type. w->path[0, at) is the path to it. */
static void avro_walk(struct avro_walk *w, const struct avro_type *type, size_t at);

static void note_step(struct avro_walk *w, const struct avro_type *type, size_t at, const char *dot,
                      const char *name)
{
    size_t n_dot = at ? strlen(dot) : 0, n = strlen(name);
    if (at + n_dot + n > PATH_BYTES) return;
    memcpy(w->path + at, dot, n_dot);
    memcpy(w->path + at + n_dot, name, n);
    avro_walk(w, type, at + n_dot + n);
}

static void avro_walk(struct avro_walk *w, const struct avro_type *type, size_t at)
{
    if (w->types++ >= TYPES || type->kind == AVRO_NULL || type->kind == AVRO_MAP) return;
    if (type->kind < AVRO_RECORD) path_names_add(w->names, w->path, (uint32_t)at);
    for (uint32_t i = 0; type->kind >= AVRO_RECORD && i < type->n; i++) {
        const struct avro_member *m = &type->member[i];
        if (type->kind == AVRO_RECORD)
            note_step(w, m->type, at, ".", m->name);
        else if (type->kind == AVRO_ARRAY)
            note_step(w, m->type, at, "", "[*]");
        else
            avro_walk(w, m->type, at);
    }
}

static void field_paths_note(const struct avro_schema *schema, struct path_names *names)
{
    struct avro_walk w = {.names = names};
    avro_walk(&w, avro_schema_root(schema), 0);
}

/* ---- the stage ---- */

/* JOINED_COPIES: most bytes of joined text per byte of the record, without separators. A boolean
 * makes 5 bytes, a byte of an integer up to 3. */
enum { JOINED_COPIES = 8 };

struct avro_cfg {
    struct path_columns_cfg columns;
    struct schemas_cfg schemas;
    int32_t framing; /* enum framing_read */
};

struct avro_parser {
    struct path_columns columns;
    struct schemas schemas;
    struct avro_value *found; /* value found for each step of the paths (struct json_node) */
    struct schema_version *version;
    const struct schema_version *noted; /* last schema whose paths were noted */
    struct avro_bytes body;             /* present record, without its prefix */
    uint32_t base;                      /* offset of `body` in the batch */
    uint64_t calls;                     /* number of calls of process() */
    uint32_t separator_len;
    struct inflated *inflated; /* NULL unless framing = "glue" */
    struct leat_str unpacked;  /* present record, if is_unpacked: without compression */
    bool is_unpacked;
};

static const struct leat_param avro_params[] = {
    PATH_COLUMNS_PARAMS(struct avro_cfg, columns),
    LEAT_PARAM_AS("schema", struct avro_cfg, schemas.file, LEAT_PATH,
                  .flags = LEAT_READS_FILE | LEAT_READS_WHOLE,
                  .doc = "file with the schema of all records (.avsc)"),
    LEAT_PARAM_AS("schemas", struct avro_cfg, schemas.folder, LEAT_PATH, .flags = LEAT_OPERATIONAL,
                  .doc = "folder with a file ID.avsc for each number or GUID that records name"),
    REGISTRY_PARAMS(struct avro_cfg, schemas.registry),
    LEAT_PARAM(struct avro_cfg, framing, LEAT_CHOICE, .def = "registry",
               .choices = framing_read_names,
               .doc = "how a record names its schema: registry: as serializers of a Schema "
                      "Registry do, by bytes before it or by a header of its message; none: not at "
                      "all; glue: as AWS Glue does, also in compressed records"),
};

static int avro_validate(const void *config, struct leat_diag *d)
{
    const struct avro_cfg *cfg = config;
    path_columns_check(&cfg->columns, d);
    schemas_check(&cfg->schemas, d);
    if (cfg->framing == FRAMING_READ_NONE && !cfg->schemas.file)
        d->error(d, "framing",
                 "with \"none\" records do not have the number of their schema: set `schema` to "
                 "the file with the schema of all records");
    return LEAT_OK;
}

static int avro_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct avro_cfg *cfg = config;
    uint32_t joined, before = n->out->n_columns;
    int status = path_columns_negotiate(&cfg->columns, n, &joined);
    uint32_t copies = JOINED_COPIES + (uint32_t)strlen(cfg->columns.separator);
    uint32_t added = n->out->n_columns - before;
    const uint32_t unpacked = cfg->framing == FRAMING_READ_GLUE ? INFLATED_COPIES : 0;
    n->add_bounds(n,
                  &(struct leat_bounds){.copies_text = joined * copies * (1 + unpacked) + unpacked,
                                        .added_bytes_per_record = added * VALUE_TEXT_BYTES});
    return status;
}

static int avro_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct avro_cfg *cfg = config;
    uint64_t column = 4 * sizeof(struct avro_value); /* a path has some four steps */
    uint32_t n = out->n_columns - in->n_columns;
    p->work_bytes = path_columns_bytes(n) + n * column + SCHEMAS_SLOTS * sizeof(struct unknown) +
                    (cfg->framing == FRAMING_READ_GLUE ? inflated_bytes() : 0);
    return LEAT_OK;
}

/* ---- opening ---- */

static void avro_close(struct leat_ctx *ctx, void *self)
{
    struct avro_parser *st = self;
    schemas_close(ctx, &st->schemas);
    inflated_free(ctx, st->inflated);
    ctx->host->free(ctx, st->found);
    path_columns_close(ctx, &st->columns);
}

static int avro_open(struct leat_ctx *ctx, void *self)
{
    const struct avro_cfg *cfg = ctx->cfg;
    struct avro_parser *st = self;
    st->separator_len = (uint32_t)strlen(cfg->columns.separator);
    int status = path_columns_open(ctx, &cfg->columns, &st->columns);
    if (status != LEAT_OK) return status;
    st->found = ctx->host->alloc(ctx, (st->columns.paths.n_nodes + 1) * sizeof *st->found);
    const bool glue = cfg->framing == FRAMING_READ_GLUE;
    if (glue) st->inflated = inflated_new(ctx);
    status = st->found && (st->inflated || !glue)
                 ? schemas_open(ctx, &cfg->schemas, &st->columns.paths, &st->schemas)
                 : LEAT_ENOMEM;
    if (status != LEAT_OK) avro_close(ctx, st);
    return status;
}

/* ---- cells; functions return false if they rejected the record ---- */

/* Record whose cells are being filled. */
struct avro_row {
    struct path_row to;
    struct avro_parser *st;
};

/* Text of a value: in the record, in a schema, or in `made`. */
struct avro_text {
    const char *at;
    uint32_t len;
    char made[VALUE_TEXT_BYTES];
};

static bool avro_is_single(struct avro_value v) { return v.type->kind < AVRO_RECORD; }

/* Handles a record, array or map at a path that should have a single value. */
static bool avro_compound(const struct avro_row *row, struct avro_value v)
{
    static const char *const what[] = {
        [AVRO_RECORD] = "a record", [AVRO_ARRAY] = "an array", [AVRO_MAP] = "a map"};
    uint32_t at = row->st->base - row->to.b->raw[row->to.r].off + v.at;
    if (row->st->is_unpacked) at = PATH_ROW_NOWHERE;
    return path_row_compound(&row->to, what[v.type->kind], v.type->kind != AVRO_ARRAY, at);
}

static bool avro_is_text(const struct avro_type *t)
{
    return t->kind == AVRO_STRING ||
           ((t->kind == AVRO_BYTES || t->kind == AVRO_FIXED) && t->logical == AVRO_PLAIN);
}

static bool avro_find_text(const struct avro_row *row, struct avro_value v, struct avro_text *text)
{
    struct avro_bytes body = row->st->body;
    if (avro_is_text(v.type)) {
        struct avro_bytes slice = avro_slice(body, v);
        text->at = (const char *)slice.at;
        text->len = slice.n;
    } else if (v.type->kind == AVRO_ENUM) {
        text->at = v.type->symbol[avro_integer(body, v)];
        text->len = (uint32_t)strlen(text->at);
    } else {
        text->at = text->made;
        text->len = (uint32_t)value_text(body, v, text->made);
        if (!text->len)
            row->to.ctx->host->reject(row->to.ctx, row->to.b, row->to.r, LEAT_R_NUMBER,
                                      v.type->logical == AVRO_BIG_DECIMAL
                                          ? "column '%s': the decimal at %s is wrong, or has more "
                                            "than %d digits"
                                          : "column '%s': the decimal at %s has more than %d "
                                            "digits",
                                      path_columns_name(row->to.ctx, row->to.columns, row->to.i),
                                      path_columns_path(row->to.ctx, row->to.columns, row->to.i),
                                      VALUE_TEXT_DIGITS);
        return text->len != 0;
    }
    return true;
}

/* Sets the cell to the text of an enum symbol. Appends the text to the batch if the batch does not
 * have it yet. */
static bool symbol_cell(const struct avro_row *row, struct avro_value v, struct leat_str *cell)
{
    struct schema_version *version = row->st->version;
    uint32_t index = (uint32_t)avro_integer(row->st->body, v);
    uint32_t i = v.type->first_symbol + index;
    const char *symbol = v.type->symbol[index];
    if (version->symbol_call[i] != row->st->calls) {
        if (!strings_append(row->to.b, symbol, strlen(symbol), &version->symbol[i]))
            return path_row_full(&row->to);
        version->symbol_call[i] = row->st->calls;
    }
    *cell = version->symbol[i];
    return true;
}

static bool avro_text_cell(const struct avro_row *row, struct avro_value v, struct leat_str *cell)
{
    struct avro_text text;
    if (v.type->kind == AVRO_ENUM) return symbol_cell(row, v, cell);
    if (!avro_find_text(row, v, &text)) return false;
    if (!avro_is_text(v.type))
        return strings_append(row->to.b, text.at, text.len, cell) || path_row_full(&row->to);
    uint32_t off = (uint32_t)(text.at - (const char *)row->st->body.at);
    *cell = (struct leat_str){row->st->base + off, text.len};
    return true;
}

/* Reads a value as a number. Integers keep the stored value, even those of dates and times. */
static bool avro_number_cell(const struct avro_row *row, struct avro_value v, double *cell)
{
    struct avro_text text;
    if (v.type->kind == AVRO_INT || v.type->kind == AVRO_LONG) {
        *cell = (double)avro_integer(row->st->body, v);
        return true;
    }
    if (v.type->kind == AVRO_FLOAT || v.type->kind == AVRO_DOUBLE) {
        *cell = avro_real(row->st->body, v);
        if (isfinite(*cell)) return true;
    }
    return avro_find_text(row, v, &text) && path_row_number(&row->to, text.at, text.len, cell);
}

static bool integer_cell(const struct avro_row *row, struct avro_value v, int64_t *cell)
{
    struct avro_text text;
    if (v.type->kind == AVRO_INT || v.type->kind == AVRO_LONG) {
        *cell = avro_integer(row->st->body, v);
        if (*cell != LEAT_NO_INT64) return true;
    }
    return avro_find_text(row, v, &text) && path_row_integer(&row->to, text.at, text.len, cell);
}

/* Join of an array's elements. `text`: the joined text so far, at the end of the batch's bytes. */
struct avro_join {
    const struct avro_row *row;
    uint32_t elements;
    struct leat_str text;
};

static bool avro_join_bytes(struct avro_join *j, const char *text, uint32_t len)
{
    struct leat_str added;
    if (!strings_append(j->row->to.b, text, len, &added)) return path_row_full(&j->row->to);
    j->text.len += len;
    return true;
}

static bool avro_join_element(void *to, struct avro_value v)
{
    struct avro_join *j = to;
    const struct avro_cfg *cfg = j->row->to.ctx->cfg;
    struct avro_text text;
    if (!v.type) return path_row_missing(&j->row->to);
    j->row->st->columns.came[j->row->to.i] = true;
    if (v.type->kind == AVRO_NULL) return path_row_null(&j->row->to);
    if (!avro_is_single(v)) return avro_compound(j->row, v);
    if (!avro_find_text(j->row, v, &text)) return false;
    if (j->elements++ && !avro_join_bytes(j, cfg->columns.separator, j->row->st->separator_len))
        return false;
    return avro_join_bytes(j, text.at, text.len);
}

static bool avro_joined_cell(const struct avro_row *row, struct avro_value v, struct leat_str *cell)
{
    const struct json_path *path = &row->st->columns.paths.path[row->to.i];
    struct avro_join j = {.row = row, .text = {row->to.b->n_bytes, 0}};
    if (!avro_each(row->st->body, v, path->rest, path->n_rest, avro_join_element, &j)) return false;
    if (j.elements) *cell = j.text;
    return true;
}

/* True if the value v shows that the record has the path. If steps follow [*] (n_rest > 1), only
 * null shows it; avro_join_element() checks the elements of an array. */
static bool avro_has_come(const struct avro_row *row, struct avro_value v)
{
    return row->st->columns.paths.path[row->to.i].n_rest <= 1 || v.type->kind == AVRO_NULL;
}

static bool avro_fill_cell(const struct avro_row *row)
{
    struct path_columns *c = &row->st->columns;
    const uint32_t i = row->to.i, r = row->to.r;
    union leat_cells cells = row->to.b->column[c->first + i];
    struct avro_value v = row->st->found[c->paths.path[i].node];
    path_row_clear(&row->to);
    if (!v.type) return path_row_missing(&row->to);
    c->came[i] |= avro_has_come(row, v);
    if (v.type->kind == AVRO_NULL) return path_row_null(&row->to);
    if (c->paths.path[i].n_rest) return avro_joined_cell(row, v, &cells.text[r]);
    if (!avro_is_single(v)) return avro_compound(row, v);
    if (path_columns_type(row->to.ctx, c, i) == LEAT_INT64)
        return integer_cell(row, v, &cells.int64[r]);
    if (!path_columns_is_text(row->to.ctx, c, i)) return avro_number_cell(row, v, &cells.number[r]);
    if (c->same[i] == i) return avro_text_cell(row, v, &cells.text[r]);
    cells.text[r] = row->to.b->column[c->first + c->same[i]].text[r];
    return true;
}

/* ---- records ---- */

static const struct leat_own_reason reasons[] = {
    {"unknown_schema", "Neither the registry nor the folder has the schema that the record names."},
};

/* Returns what to do about a framing that the stage does not read with its parameters. */
static const char *framing_advice(enum framing framing)
{
    switch (framing) {
    case FRAMING_IS_GLUE:
        return ", and a Schema Registry does not know its UUIDs: give the schema in a file "
               "(`schema`), or a folder with UUID.avsc (`schemas`)";
    case FRAMING_IS_GLUE_ZLIB:
        return ": give the schema in a file (`schema`) or a folder (`schemas`), and set framing = "
               "\"glue\"";
    case FRAMING_IS_SINGLE:
        return ", and a Schema Registry does not know its fingerprints: give the schema in a file "
               "(`schema`)";
    case FRAMING_IS_CONTAINER:
        return ", and this stage reads single records";
    default:
        return framing == FRAMING_IS_JSON ? ": use parse.json for such records" : "";
    }
}

static void refuse_prefix(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                          enum framing framing)
{
    const char *seen = framing_text(framing);
    ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX,
                      "the record does not begin with a zero byte and the four bytes of its "
                      "schema's number: %s%s",
                      seen ? seen : "if no record does, set framing = \"none\"",
                      framing_advice(framing));
}

/* Finds the schema of a record in single-object encoding by its fingerprint. */
static void find_by_fingerprint(struct leat_ctx *ctx, struct avro_parser *st, struct leat_batch *b,
                                uint32_t r)
{
    const uint8_t *at = (const uint8_t *)leat_text(b, b->raw[r]) + 2;
    uint64_t fingerprint = 0;
    for (int i = 7; i >= 0; i--)
        fingerprint = fingerprint << 8 | at[i];
    struct schema_version *v = schemas_find_fingerprint(&st->schemas, fingerprint);
    if (v && !v->several)
        st->version = v;
    else if (v)
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(0),
                          "several files of the folder have the fingerprint %016llx, which leaves "
                          "out logical types and defaults: keep the one that is meant",
                          (unsigned long long)fingerprint);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(0),
                          "the record has the fingerprint %016llx, and so was written with another "
                          "schema than %s",
                          (unsigned long long)fingerprint,
                          st->schemas.cfg->file ? "that of the file"
                                                : "those that the folder had at the start");
}

/* Returns a hint for a record with the number 0, which no registry gives; else "". */
static const char *hint_of_zero(const struct leat_batch *b, uint32_t r)
{
    static const char zero[FRAMING_NUMBER] = {0};
    bool begins =
        b->raw[r].len > FRAMING_NUMBER && !memcmp(leat_text(b, b->raw[r]), zero, sizeof zero);
    return begins ? " (some serializers of Apicurio write ids of eight bytes, which begin so: "
                    "they are read with `registry`)"
                  : "";
}

/* Finds the schema with a number or GUID. */
static int find_by_key(struct leat_ctx *ctx, struct avro_parser *st, struct leat_batch *b,
                       uint32_t r, const struct schema_key *key)
{
    const char *why;
    char name[SCHEMA_KEY_TEXT];
    int status = schemas_find(ctx, &st->schemas, key, &st->version, &why);
    if (status == LEAT_OK && !st->version)
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(0), "schema %s is unknown: %s%s",
                          schema_key_text(key, name), why, hint_of_zero(b, r));
    return status;
}

/* Unpacks a record. If it rejects the record, st->version becomes NULL. */
static void avro_unpack(struct leat_ctx *ctx, struct avro_parser *st, struct leat_batch *b,
                        uint32_t r)
{
    st->is_unpacked = inflated_record(ctx, st->inflated, b, r, &st->unpacked);
    if (!st->is_unpacked) st->version = NULL;
}

/* Finds the schema of record r by its first bytes, and sets *prefix to the number of these bytes.
 * If it rejects the record, st->version stays NULL. */
static int find_by_prefix(struct leat_ctx *ctx, struct avro_parser *st, struct leat_batch *b,
                          uint32_t r, uint32_t *prefix)
{
    const struct avro_cfg *cfg = ctx->cfg;
    struct schema_key key;
    enum framing framing = framing_of(leat_text(b, b->raw[r]), b->raw[r].len, &key);
    bool files = !cfg->schemas.registry.url;
    if (!files && framing_is_long(leat_text(b, b->raw[r]), b->raw[r].len, &key)) {
        *prefix = FRAMING_LONG;
        return find_by_key(ctx, st, b, r, &key);
    }
    bool packed = framing == FRAMING_IS_GLUE_ZLIB && st->inflated;
    if (framing == FRAMING_IS_NUMBER || ((framing == FRAMING_IS_GLUE || packed) && files)) {
        *prefix = key.guid ? FRAMING_GLUE : FRAMING_NUMBER;
        int status = find_by_key(ctx, st, b, r, &key);
        if (st->version && packed) avro_unpack(ctx, st, b, r);
        return status;
    }
    *prefix = FRAMING_SINGLE;
    if (framing == FRAMING_IS_SINGLE && files)
        find_by_fingerprint(ctx, st, b, r);
    else
        refuse_prefix(ctx, b, r, framing);
    return LEAT_OK;
}

/* Finds the schema of record r, and where its values begin: by a header of its message, or else by
 * its first bytes. If it rejects the record, returns LEAT_OK with st->version NULL. */
static int begin_record(struct leat_ctx *ctx, struct avro_parser *st, struct leat_batch *b,
                        uint32_t r)
{
    const struct avro_cfg *cfg = ctx->cfg;
    struct leat_str raw = b->raw[r];
    struct schema_key key = {0};
    struct leat_header rest;
    uint32_t prefix = 0;
    int status = LEAT_OK;
    st->version = NULL;
    st->is_unpacked = false;
    enum framing_header header = FRAMING_HEADER;
    if (cfg->framing != FRAMING_READ_NONE) header = framing_find_header(b, r, 0, &key, &rest);
    bool any = header == FRAMING_GLOBAL_ID && cfg->schemas.file;
    if (header == FRAMING_HEADER || header == FRAMING_OF_APICURIO || any)
        status = find_by_key(ctx, st, b, r, &key);
    else if (header == FRAMING_NO_HEADER)
        status = find_by_prefix(ctx, st, b, r, &prefix);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "%s", framing_header_fault(header));
    if (!st->version) return status;
    struct leat_str body =
        st->is_unpacked ? st->unpacked : (struct leat_str){raw.off + prefix, raw.len - prefix};
    st->base = body.off;
    st->body = (struct avro_bytes){(const uint8_t *)leat_text(b, body), body.len};
    return status;
}

/* Writes the framing that a record seems to have if it is not that of the parameter `framing`; else
 * "". */
static void hint_of_framing(const struct avro_cfg *cfg, const struct leat_batch *b, uint32_t r,
                            char hint[200])
{
    struct schema_key key;
    enum framing framing = framing_of(leat_text(b, b->raw[r]), b->raw[r].len, &key);
    const char *text = framing == FRAMING_IS_NUMBER ? "it begins as records with the number of a "
                                                      "schema do"
                                                    : framing_text(framing);
    bool reads =
        framing == FRAMING_IS_NUMBER || framing == FRAMING_IS_GLUE || framing == FRAMING_IS_SINGLE;
    snprintf(hint, 200, "%s", cfg->framing == FRAMING_READ_NONE ? "" : hint_of_zero(b, r));
    if (cfg->framing == FRAMING_READ_NONE && text)
        snprintf(hint, 200, " (%s%s)", text,
                 reads ? ": leave out framing" : framing_advice(framing));
}

static void refuse_record(struct leat_ctx *ctx, const struct avro_parser *st, struct leat_batch *b,
                          uint32_t r, enum avro_fault fault, uint32_t at, const char *field)
{
    unsigned byte = (st->is_unpacked ? 0 : st->base - b->raw[r].off) + at + 1;
    const struct avro_cfg *cfg = ctx->cfg;
    char of[64] = "", in[160] = "", name[SCHEMA_KEY_TEXT], hint[200];
    if (!cfg->schemas.file)
        snprintf(of, sizeof of, " of schema %s", schema_key_text(&st->version->key, name));
    hint_of_framing(cfg, b, r, hint);
    if (field) snprintf(in, sizeof in, ", in field '%.100s',", field);
    ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "byte %u%s%s is wrong for a record%s: %s%s", byte,
                      st->is_unpacked ? " of the unpacked record" : "", in, of,
                      avro_fault_text(fault), hint);
}

static int avro_parse_record(struct leat_ctx *ctx, struct avro_parser *st, struct leat_batch *b,
                             uint32_t r)
{
    struct avro_row row = {{.ctx = ctx, .columns = &st->columns, .b = b, .r = r}, st};
    uint32_t at;
    const char *field;
    if (!b->raw[r].len) {
        leat_filter(b, r);
        return LEAT_OK;
    }
    int status = begin_record(ctx, st, b, r);
    if (!st->version) return status;
    enum avro_fault fault = avro_read(st->version->plan, st->body, st->found, &at, &field);
    if (fault) {
        refuse_record(ctx, st, b, r, fault, at, field);
        return LEAT_OK;
    }
    st->columns.records++;
    if (path_names_wanted(st->columns.names) && st->version != st->noted) {
        field_paths_note(st->version->schema, st->columns.names);
        st->noted = st->version;
    }
    while (row.to.i < st->columns.n && avro_fill_cell(&row))
        row.to.i++;
    return LEAT_OK;
}

static int avro_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct avro_parser *st = self;
    int status = LEAT_OK;
    st->calls++;
    for (LEAT_EACH_RECORD(b, r))
        if (status == LEAT_OK) status = avro_parse_record(ctx, st, b, r);
    return status;
}

static void avro_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    path_columns_finish(ctx, self, lanes, offsetof(struct avro_parser, columns));
}

const struct leat_stage parse_avro = {
    .name = "parse.avro",
    .summary = "values of Avro records to columns",
    .doc = avro_doc,
    .example = "leat.parse.avro { \"user.id\", \"amount\", registry = \"http://localhost:8081\" }",
    PATH_COLUMNS_STAGE,
    LEAT_PARAMS(avro_params, struct avro_cfg),
    LEAT_REASONS(reasons),
    LEAT_INSTANCE(struct avro_parser, avro_open, avro_close),
    .validate = avro_validate,
    .negotiate = avro_negotiate,
    .plan = avro_plan,
    .process = avro_process,
    .finish = avro_finish,
};
