/* protobuf.c -- parse.protobuf: values at paths in a message of Protocol Buffers as columns.
 *
 * types.c finds the type of a message. message.cpp reads the message with libprotobuf, and finds
 * the values. This file makes cells of the values. Texts are appended to the batch, because
 * libprotobuf copies them. common/paths/path_columns.h has the columns and their policies. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "common/cells/strings.h"
#include "common/paths/path_columns.h"
#include "common/registry/inflated.h"
#include "core/report/text_out.h"
#include "core/time/civil.h"
#include "kernels/base/feature_id.h"
#include "message.h"
#include "protobuf/docs.h"
#include "types.h"

/* JOINED_COPIES: most bytes of joined text per byte of the record, without separators. A byte of a
 * packed field may be "false". */
enum { JOINED_COPIES = 8, VALUE_BYTES = 48, SYMBOLS = 256 };

struct protobuf_cfg {
    struct path_columns_cfg columns;
    struct types_cfg types;
};

/* Steps of a column's path. */
struct protobuf_path {
    struct json_step *step;
    uint32_t n;
    bool joins; /* one of the steps is [*] */
};

/* Name of an enum's value that was appended to the batch. */
struct protobuf_symbol {
    uint64_t call; /* number of the call of process() */
    struct leat_str text;
};

struct protobuf_parser {
    struct path_columns columns;
    struct types types;
    struct protobuf_path *path; /* one for each column */
    struct json_step *steps;
    char *keys;
    const struct protobuf_type *noted; /* last type whose paths were noted */
    uint64_t unknown;                  /* messages with fields that their type lacks */
    uint64_t calls;                    /* number of calls of process() */
    struct protobuf_symbol symbol[SYMBOLS];
    uint32_t separator_len;
};

static const struct leat_param protobuf_params[] = {
    PATH_COLUMNS_PARAMS(struct protobuf_cfg, columns),
    LEAT_PARAM_AS("schema", struct protobuf_cfg, types.file, LEAT_PATH,
                  .flags = LEAT_READS_FILE | LEAT_READS_WHOLE,
                  .doc = "file with the schema of all messages: a .proto file, or a set of "
                         "descriptors (protoc --descriptor_set_out --include_imports)"),
    LEAT_PARAM_AS("message", struct protobuf_cfg, types.message, LEAT_STRING,
                  .doc =
                      "type of all messages, with its package: shop.Pay; none: the type that each "
                      "message names"),
    REGISTRY_PARAMS(struct protobuf_cfg, types.registry),
    LEAT_PARAM_AS("framing", struct protobuf_cfg, types.framing, LEAT_CHOICE, .def = "registry",
                  .choices = framing_read_names,
                  .doc = "how a message names its schema and its type: registry: as serializers of "
                         "a Schema Registry do, by bytes before it or by a header; none: not at "
                         "all; glue: as AWS Glue does, also in compressed records"),
};

static int protobuf_validate(const void *config, struct leat_diag *d)
{
    const struct protobuf_cfg *cfg = config;
    path_columns_check(&cfg->columns, d);
    types_check(&cfg->types, d);
    return LEAT_OK;
}

static int protobuf_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct protobuf_cfg *cfg = config;
    uint32_t joined, before = n->out->n_columns;
    int status = path_columns_negotiate(&cfg->columns, n, &joined);
    uint32_t copies = JOINED_COPIES + (uint32_t)strlen(cfg->columns.separator);
    uint32_t added = n->out->n_columns - before;
    if (cfg->types.framing == FRAMING_READ_GLUE) copies *= 1 + INFLATED_COPIES;
    const uint32_t unpacked = cfg->types.framing == FRAMING_READ_GLUE ? INFLATED_COPIES : 0;
    /* Columns of one path share a text, so single texts are at most 1 copy. */
    n->add_bounds(n, &(struct leat_bounds){.copies_text = 1 + joined * copies + 2 * unpacked,
                                           .added_bytes_per_record = added * VALUE_BYTES});
    return status;
}

static int protobuf_plan(const void *config, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    const struct protobuf_cfg *cfg = config;
    uint32_t n = out->n_columns - in->n_columns;
    p->work_bytes = path_columns_bytes(n) + n * sizeof(struct protobuf_path) +
                    TYPES_MAX * sizeof(struct types_schema) +
                    (cfg->types.framing == FRAMING_READ_GLUE ? inflated_bytes() : 0);
    return LEAT_OK;
}

/* ---- opening ---- */

static void protobuf_close(struct leat_ctx *ctx, void *self)
{
    struct protobuf_parser *st = self;
    types_close(ctx, &st->types);
    free(st->steps);
    free(st->keys);
    ctx->host->free(ctx, st->path);
    path_columns_close(ctx, &st->columns);
}

/* Reads the paths of the columns, which path_columns_open() has checked. */
static bool protobuf_read_paths(struct leat_ctx *ctx, struct protobuf_parser *st)
{
    size_t bytes = 0, at = 0;
    struct json_path_fault fault;
    for (uint32_t i = 0; i < st->columns.n; i++)
        bytes += strlen(path_columns_path(ctx, &st->columns, i));
    st->path = ctx->host->alloc(ctx, st->columns.n * sizeof *st->path);
    st->steps = calloc(bytes + 1, sizeof *st->steps);
    st->keys = malloc(bytes + 1);
    if (!st->path || !st->steps || !st->keys) return false;
    for (uint32_t i = 0; i < st->columns.n; i++) {
        const char *text = path_columns_path(ctx, &st->columns, i);
        struct protobuf_path *p = &st->path[i];
        *p = (struct protobuf_path){.step = st->steps + at};
        p->n = json_path_read(text, (uint32_t)strlen(text), p->step, st->keys + at, &fault);
        p->joins = st->columns.paths.path[i].n_rest != 0;
        at += strlen(text);
    }
    return true;
}

static int protobuf_open(struct leat_ctx *ctx, void *self)
{
    const struct protobuf_cfg *cfg = ctx->cfg;
    struct protobuf_parser *st = self;
    st->separator_len = (uint32_t)strlen(cfg->columns.separator);
    int status = path_columns_open(ctx, &cfg->columns, &st->columns);
    if (status != LEAT_OK) return status;
    status = protobuf_read_paths(ctx, st) ? types_open(ctx, &cfg->types, &st->types) : LEAT_ENOMEM;
    if (status != LEAT_OK) protobuf_close(ctx, st);
    return status;
}

/* ---- texts of values ---- */

/* Writes a fraction of a second: nothing, or a point and 3, 6 or 9 digits. */
static size_t fraction_text(int32_t nanos, char *out)
{
    int digits = nanos % 1000 ? 9 : nanos % 1000000 ? 6 : 3;
    for (int i = digits; i < 9; i++)
        nanos /= 10;
    return nanos ? (size_t)sprintf(out, ".%0*d", digits, (int)nanos) : 0;
}

/* Writes a time as RFC 3339 does. Returns 0 if it is not in the years 1 to 9999. */
static size_t protobuf_time_text(int64_t second, int32_t nanos, char *out)
{
    if (second < INT64_C(-62135596800) || second > INT64_C(253402300799) || nanos < 0 ||
        nanos > 999999999)
        return 0;
    int64_t day = second / CIVIL_DAY, rest = second % CIVIL_DAY;
    if (rest < 0) {
        rest += CIVIL_DAY;
        day--;
    }
    struct civil date = civil_of_days(day);
    size_t n =
        (size_t)sprintf(out, "%04d-%02d-%02dT%02d:%02d:%02d", date.year, date.month, date.day,
                        (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
    n += fraction_text(nanos, out + n);
    out[n++] = 'Z';
    return n;
}

/* Writes a time span: "-3.500s". Returns 0 if it is longer than 10,000 years, or if seconds and
 * nanoseconds have different signs. */
static size_t protobuf_span_text(int64_t second, int32_t nanos, char *out)
{
    bool negative = second < 0 || nanos < 0;
    if (second > INT64_C(315576000000) || second < INT64_C(-315576000000) || nanos > 999999999 ||
        nanos < -999999999 || (negative && (second > 0 || nanos > 0)))
        return 0;
    size_t n = (size_t)sprintf(out, "%s%lld", negative ? "-" : "",
                               (long long)(second < 0 ? -second : second));
    n += fraction_text(nanos < 0 ? -nanos : nanos, out + n);
    out[n++] = 's';
    return n;
}

/* Writes a float or a double: nan, inf and -inf as in texts, not as in JSON5. */
static size_t protobuf_real_text(const struct protobuf_value *v, char *out)
{
    return isfinite(v->real) ? text_format_real(out, v->real, v->kind == PROTOBUF_FLOAT)
                             : text_format_double(out, v->real);
}

/* Writes a single value that is not a text. Returns 0 if it is a time out of range. */
static size_t protobuf_value_text(const struct protobuf_value *v, char out[VALUE_BYTES])
{
    switch (v->kind) {
    case PROTOBUF_BOOL:
        return (size_t)sprintf(out, "%s", v->integer ? "true" : "false");
    case PROTOBUF_INTEGER:
        return (size_t)sprintf(out, "%lld", (long long)v->integer);
    case PROTOBUF_UNSIGNED:
        return (size_t)sprintf(out, "%llu", (unsigned long long)v->integer);
    case PROTOBUF_TIME:
        return protobuf_time_text(v->integer, v->nanos, out);
    case PROTOBUF_SPAN:
        return protobuf_span_text(v->integer, v->nanos, out);
    default:
        return protobuf_real_text(v, out);
    }
}

/* ---- cells; functions return false if they rejected the record ---- */

/* Record whose cells are being filled. `elements`: number of elements joined so far; `joined`:
 * their text, at the end of the batch's bytes. */
struct protobuf_row {
    struct path_row to;
    struct protobuf_parser *st;
    uint32_t elements;
    struct leat_str joined;
};

/* Appends a text to the batch, and sets *cell to it. */
static bool protobuf_append(const struct protobuf_row *row, const char *text, size_t n,
                            struct leat_str *cell)
{
    return strings_append(row->to.b, text, n, cell) || path_row_full(&row->to);
}

/* Finds the text of a single value: in the message, or in `made`. */
static bool protobuf_find_text(const struct protobuf_row *row, const struct protobuf_value *v,
                               const char **text, uint32_t *n, char made[VALUE_BYTES])
{
    if (v->kind == PROTOBUF_TEXT || v->kind == PROTOBUF_ENUM) {
        *text = v->text;
        *n = v->n;
        return true;
    }
    *text = made;
    *n = (uint32_t)protobuf_value_text(v, made);
    if (!*n)
        row->to.ctx->host->reject(row->to.ctx, row->to.b, row->to.r, LEAT_R_NUMBER,
                                  "column '%s': %lld s and %ld ns is out of the range of a %s",
                                  path_columns_name(row->to.ctx, row->to.columns, row->to.i),
                                  (long long)v->integer, (long)v->nanos,
                                  v->kind == PROTOBUF_TIME ? "Timestamp" : "Duration");
    return *n != 0;
}

/* Sets the cell to the name of an enum's value. Appends the name to the batch if the batch does not
 * have it yet. */
static bool protobuf_symbol_cell(const struct protobuf_row *row, const struct protobuf_value *v,
                                 struct leat_str *cell)
{
    struct protobuf_symbol *s = &row->st->symbol[feature_id_name(v->text, v->n) % SYMBOLS];
    const struct leat_batch *b = row->to.b;
    bool has = s->call == row->st->calls && s->text.len == v->n &&
               !memcmp(leat_text(b, s->text), v->text, v->n);
    if (!has) {
        if (!protobuf_append(row, v->text, v->n, &s->text)) return false;
        s->call = row->st->calls;
    }
    *cell = s->text;
    return true;
}

/* Sets *cell to the number of a value, if it is one. Times are seconds. */
static bool protobuf_number(const struct protobuf_value *v, double *cell)
{
    if (v->kind == PROTOBUF_INTEGER || v->kind == PROTOBUF_ENUM)
        *cell = (double)v->integer;
    else if (v->kind == PROTOBUF_UNSIGNED)
        *cell = (double)(uint64_t)v->integer;
    else if (v->kind == PROTOBUF_FLOAT || v->kind == PROTOBUF_DOUBLE)
        *cell = v->real;
    else if (v->kind == PROTOBUF_TIME || v->kind == PROTOBUF_SPAN)
        *cell = (double)v->integer + v->nanos / 1e9;
    else
        return false;
    return isfinite(*cell);
}

static bool protobuf_single_cell(const struct protobuf_row *row, const struct protobuf_value *v)
{
    const struct path_columns *c = &row->st->columns;
    union leat_cells cells = row->to.b->column[c->first + row->to.i];
    const char *text;
    uint32_t n, r = row->to.r, type = path_columns_type(row->to.ctx, c, row->to.i);
    char made[VALUE_BYTES];
    bool whole = v->kind == PROTOBUF_INTEGER || v->kind == PROTOBUF_ENUM;
    if (!protobuf_find_text(row, v, &text, &n, made)) return false;
    if (type == LEAT_TEXT && v->kind == PROTOBUF_ENUM)
        return protobuf_symbol_cell(row, v, &cells.text[r]);
    if (type == LEAT_TEXT) return protobuf_append(row, text, n, &cells.text[r]);
    if (type == LEAT_NUMBER)
        return protobuf_number(v, &cells.number[r]) ||
               path_row_number(&row->to, text, n, &cells.number[r]);
    if (whole && v->integer != LEAT_NO_INT64) {
        cells.int64[r] = v->integer;
        return true;
    }
    return path_row_integer(&row->to, text, n, &cells.int64[r]);
}

static bool protobuf_join(struct protobuf_row *row, const struct protobuf_value *v)
{
    const struct protobuf_cfg *cfg = row->to.ctx->cfg;
    const char *text;
    uint32_t n;
    struct leat_str added;
    char made[VALUE_BYTES];
    if (!protobuf_find_text(row, v, &text, &n, made)) return false;
    if (row->elements++ &&
        !protobuf_append(row, cfg->columns.separator, row->st->separator_len, &added))
        return false;
    if (!protobuf_append(row, text, n, &added)) return false;
    row->joined.len = added.off + n - row->joined.off;
    return true;
}

/* Takes the value of the path, or one of those that [*] joins. */
static bool protobuf_take(void *to, const struct protobuf_value *v)
{
    static const char *const what[] = {
        [PROTOBUF_MESSAGE] = "a message", [PROTOBUF_ARRAY] = "repeated", [PROTOBUF_MAP] = "a map"};
    struct protobuf_row *row = to;
    if (v->kind == PROTOBUF_NOTHING) return path_row_missing(&row->to);
    row->st->columns.came[row->to.i] = true;
    if (v->kind == PROTOBUF_NULL) return path_row_null(&row->to);
    if (v->kind <= PROTOBUF_MAP)
        return path_row_compound(&row->to, what[v->kind], v->kind != PROTOBUF_ARRAY,
                                 PATH_ROW_NOWHERE);
    return row->st->path[row->to.i].joins ? protobuf_join(row, v) : protobuf_single_cell(row, v);
}

static bool protobuf_fill_cell(struct protobuf_row *row, struct protobuf_type *type)
{
    struct path_columns *c = &row->st->columns;
    const struct protobuf_path *p = &row->st->path[row->to.i];
    struct leat_str *text = row->to.b->column[c->first + row->to.i].text;
    path_row_clear(&row->to);
    if (!p->joins && c->same[row->to.i] != row->to.i) {
        text[row->to.r] = row->to.b->column[c->first + c->same[row->to.i]].text[row->to.r];
        c->came[row->to.i] = c->came[c->same[row->to.i]];
        return true;
    }
    row->elements = 0;
    row->joined = (struct leat_str){row->to.b->n_bytes, 0};
    if (!protobuf_each(type, p->step, p->n, protobuf_take, row)) return false;
    if (row->elements) text[row->to.r] = row->joined;
    return true;
}

/* ---- records ---- */

static const struct leat_own_reason protobuf_reasons[] = {
    {"unknown_schema", "The registry does not have the schema that the record names."},
};

/* Returns the framing that a record seems to have if framing = "none" is wrong for it; else "". */
static const char *protobuf_hint(const struct protobuf_cfg *cfg, const struct leat_batch *b,
                                 uint32_t r)
{
    struct schema_key key;
    if (cfg->types.framing != FRAMING_READ_NONE) return "";
    switch (framing_of(leat_text(b, b->raw[r]), b->raw[r].len, &key)) {
    case FRAMING_IS_NUMBER:
        return ". It begins as records with the number of a schema do: leave out framing";
    case FRAMING_IS_GLUE:
    case FRAMING_IS_GLUE_ZLIB:
        return ". It begins as AWS Glue writes records: set framing = \"glue\"";
    case FRAMING_IS_SINGLE:
    case FRAMING_IS_CONTAINER:
        return ". It begins like Avro: use parse.avro";
    case FRAMING_IS_JSON:
        return ". It begins like JSON: use parse.json";
    default:
        return "";
    }
}

static void protobuf_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                            const struct types_found *found)
{
    if (found->type)
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX,
                          "the bytes from byte %u on%s are no message %s: a field is cut off, its "
                          "text is not UTF-8, or messages are nested too deep%s",
                          (unsigned)found->prefix + 1,
                          found->body.off == b->raw[r].off ? "" : " of the unpacked record",
                          protobuf_type_name(found->type), protobuf_hint(ctx->cfg, b, r));
    else
        ctx->host->reject(ctx, b, r, found->unknown ? LEAT_R_OWN(0) : LEAT_R_SYNTAX, "%s",
                          found->why);
}

/* True if an empty record may be a message without a value. A header shows that it has one. */
static bool is_tombstone(const struct protobuf_cfg *cfg, const struct leat_batch *b, uint32_t r)
{
    struct schema_key key;
    struct leat_header rest;
    return cfg->types.framing == FRAMING_READ_NONE ||
           framing_find_header(b, r, 0, &key, &rest) == FRAMING_NO_HEADER;
}

static int protobuf_parse_record(struct leat_ctx *ctx, struct protobuf_parser *st,
                                 struct leat_batch *b, uint32_t r)
{
    const struct protobuf_cfg *cfg = ctx->cfg;
    struct protobuf_row row = {.to = {.ctx = ctx, .columns = &st->columns, .b = b, .r = r},
                               .st = st};
    struct types_found found;
    if (!b->raw[r].len && is_tombstone(cfg, b, r)) {
        leat_filter(b, r);
        return LEAT_OK;
    }
    int status = types_find(ctx, &st->types, b, r, &found);
    if (status != LEAT_OK) return status;
    if (found.rejected) return LEAT_OK;
    if (!found.type || !protobuf_read(found.type, leat_text(b, found.body) + found.prefix,
                                      found.body.len - found.prefix)) {
        protobuf_refuse(ctx, b, r, &found);
        return LEAT_OK;
    }
    st->columns.records++;
    st->unknown += protobuf_has_unknown(found.type);
    if (path_names_wanted(st->columns.names) && found.type != st->noted) {
        protobuf_names(found.type, path_names_add, st->columns.names);
        st->noted = found.type;
    }
    while (row.to.i < st->columns.n && protobuf_fill_cell(&row, found.type))
        row.to.i++;
    return LEAT_OK;
}

static int protobuf_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct protobuf_parser *st = self;
    int status = LEAT_OK;
    st->calls++;
    for (LEAT_EACH_RECORD(b, r))
        if (status == LEAT_OK) status = protobuf_parse_record(ctx, st, b, r);
    return status;
}

static void protobuf_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t unknown = 0, records = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct protobuf_parser *st = self[lane];
        unknown += st->unknown;
        records += st->columns.records;
    }
    if (unknown)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu of %llu messages have fields that their type lacks, which are not "
                       "read: the schema is older than the messages, or of another type",
                       (unsigned long long)unknown, (unsigned long long)records);
    path_columns_finish(ctx, self, lanes, offsetof(struct protobuf_parser, columns));
}

const struct leat_stage parse_protobuf = {
    .name = "parse.protobuf",
    .summary = "values of messages of Protocol Buffers to columns",
    .doc = protobuf_doc,
    .example =
        "leat.parse.protobuf { \"user.id\", \"amount\", registry = \"http://localhost:8081\" }",
    PATH_COLUMNS_STAGE,
    LEAT_PARAMS(protobuf_params, struct protobuf_cfg),
    LEAT_REASONS(protobuf_reasons),
    LEAT_INSTANCE(struct protobuf_parser, protobuf_open, protobuf_close),
    .validate = protobuf_validate,
    .negotiate = protobuf_negotiate,
    .plan = protobuf_plan,
    .process = protobuf_process,
    .finish = protobuf_finish,
};
