/* json.c -- parse.json: values at paths in a JSON object as columns.
 *
 * Records of CBOR and MessagePack become JSON first, in a buffer of the parser (item_json.h). Their
 * texts are then copied to the batch.
 *
 * json_index finds the tokens of a record. json_read checks the record and finds the values. This
 * file makes cells of the values. A value's text stays in the record. A string with escapes, or a
 * joined array, is appended to the batch, because dead letters need the unchanged record.
 * common/paths/path_columns.h has the columns and their policies. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "json_index.h"
#include "json/docs.h"
#include "json_faults.h"
#include "kernels/text/json.h"
#include "kernels/text/json_path.h"
#include "common/paths/path_columns.h"
#include "common/registry/framing.h"
#include "common/registry/inflated.h"
#include "kernels/items/item_json.h"

enum {
    RECORD_BYTES = 1 << 20, /* longest record if the source sets no limit */
    PIECE_BYTES = 32 << 10  /* most bytes whose tokens are found together, to stay in the cache */
};

struct json_cfg {
    struct path_columns_cfg columns;
    int32_t format, glue; /* glue: records may be compressed */
};

enum json_format { JSON_TEXT, JSON_CBOR, JSON_MSGPACK };
static const char *const json_framings[] = {"registry", "glue", NULL};
static const char *const json_formats[] = {"json", "cbor", "msgpack", NULL};

/* Most bytes of cells for each byte of an item, without separators: false is one byte, and a
 * character of a text with escapes needs six while it is decoded. */
enum { ITEM_CELL_COPIES = 6 };

/* Records of a batch, from offset `off` to `end` of its text, whose tokens were found together. */
struct json_piece {
    uint32_t off, end;
    const uint32_t *at; /* tokens, as in struct json_text */
    uint32_t n, next;   /* n: 0 if records must be read alone; next: first token not yet read */
    bool escapes;
};

struct json_parser {
    struct path_columns columns;
    struct json_index *index;
    struct json_piece piece;
    struct json_text text; /* text of the present record, or of its piece */
    uint32_t base;         /* offset of `text` in the batch */
    uint32_t from;         /* offset of the record in `text` */
    uint32_t max_bytes, separator_len;
    char *made;                /* JSON of the present record, if records are items; else NULL */
    struct inflated *inflated; /* NULL unless framing = "glue" */
    bool is_unpacked;          /* `text` is not in the bytes of the record */
};

static const struct leat_param json_params[] = {
    PATH_COLUMNS_PARAMS(struct json_cfg, columns),
    LEAT_PARAM(struct json_cfg, format, LEAT_CHOICE, .def = "json", .choices = json_formats,
               .doc = "how a message is written: JSON, or binary as CBOR or MessagePack. "
                      "source.file makes JSON of files itself"),
    LEAT_PARAM_AS(
        "framing", struct json_cfg, glue, LEAT_CHOICE, .def = "registry", .choices = json_framings,
        .doc = "what may stand before the JSON: registry: the bytes with which serializers "
               "name a schema; glue: the same, and records may be compressed as AWS Glue "
               "does it"),
};

static int json_validate(const void *config, struct leat_diag *d)
{
    const struct json_cfg *cfg = config;
    path_columns_check(&cfg->columns, d);
    if (cfg->glue && cfg->format)
        d->error(d, "framing", "\"glue\" has a meaning only with format = \"json\"");
    return LEAT_OK;
}

/* Returns how many times the record's length a join may append. An element has at least a byte and
 * a comma, and the separator replaces the comma. */
static uint32_t copies_of_join(const struct json_cfg *cfg)
{
    return (uint32_t)(strlen(cfg->columns.separator) + 2) / 2;
}

static int json_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct json_cfg *cfg = config;
    uint32_t joined;
    int status = path_columns_negotiate(&cfg->columns, n, &joined);
    /* Decoded strings take at most 1 copy. */
    uint32_t copies = 1 + joined * copies_of_join(cfg);
    if (cfg->glue) copies = copies * (1 + INFLATED_COPIES) + INFLATED_COPIES;
    if (cfg->format)
        copies = ITEM_CELL_COPIES +
                 joined * (ITEM_CELL_COPIES + (uint32_t)strlen(cfg->columns.separator));
    n->add_bounds(
        n, &(struct leat_bounds){.copies_text = copies,
                                 .added_bytes_per_record = cfg->format ? ITEM_JSON_MORE : 0});
    return status;
}

static uint32_t max_bytes(const struct leat_schema *in)
{
    return in->max_record_bytes ? in->max_record_bytes : RECORD_BYTES;
}

static int json_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct json_cfg *cfg = config;
    p->work_bytes = json_index_bytes(max_bytes(in)) + (cfg->format ? max_bytes(in) : 0) +
                    (cfg->glue ? inflated_bytes() : 0) +
                    path_columns_bytes(out->n_columns - in->n_columns);
    return LEAT_OK;
}

/* ---- opening ---- */

static void json_close(struct leat_ctx *ctx, void *self)
{
    struct json_parser *st = self;
    json_index_free(st->index);
    inflated_free(ctx, st->inflated);
    ctx->host->free(ctx, st->made);
    path_columns_close(ctx, &st->columns);
}

static int json_open(struct leat_ctx *ctx, void *self)
{
    const struct json_cfg *cfg = ctx->cfg;
    struct json_parser *st = self;
    int status = path_columns_open(ctx, &cfg->columns, &st->columns);
    st->columns.paths.takes_nonfinite = path_columns_takes_other(&cfg->columns);
    st->max_bytes = max_bytes(ctx->in);
    st->separator_len = (uint32_t)strlen(cfg->columns.separator);
    if (status != LEAT_OK) return status;
    st->index = json_index_new(st->max_bytes);
    if (cfg->format) st->made = ctx->host->alloc(ctx, st->max_bytes);
    if (cfg->glue) st->inflated = inflated_new(ctx);
    if (st->index && (st->made || !cfg->format) && (st->inflated || !cfg->glue)) return LEAT_OK;
    json_close(ctx, st);
    return LEAT_ENOMEM;
}

/* ---- cells; functions return false if they rejected the record ---- */

/* Record whose cells are being filled. */
struct json_row {
    struct path_row to;
    struct json_parser *st;
};

static char json_kind_of(const struct json_row *row, uint32_t token)
{
    return row->st->text.text[row->st->text.at[token]];
}

static bool json_is_single(const struct json_row *row, uint32_t token)
{
    return json_kind_of(row, token) != '{' && json_kind_of(row, token) != '[';
}

/* True for NaN, Infinity and -Infinity, which are no value with other = "empty". */
static bool json_is_nothing(const struct json_row *row, uint32_t token)
{
    const char kind = json_kind_of(row, token);
    return (kind == 'N' || kind == 'I' || kind == '-') && json_is_nonfinite(&row->st->text, token);
}

/* Handles an object or array at a path that should have a single value. */
static bool json_compound(const struct json_row *row, uint32_t token)
{
    bool object = json_kind_of(row, token) == '{';
    uint32_t at = row->st->made || row->st->is_unpacked ? PATH_ROW_NOWHERE
                                                        : row->st->text.at[token] - row->st->from;
    return path_row_compound(&row->to, object ? "an object" : "an array", object, at);
}

/* Finds the text of a single value: in the record or, for a string with escapes and for items,
 * decoded and appended to the batch. */
static bool single_text(const struct json_row *row, uint32_t token, struct leat_str *cell)
{
    const struct json_text *t = &row->st->text;
    struct leat_batch *b = row->to.b;
    uint32_t off, len;
    json_token(t, token, &off, &len);
    bool escaped = json_is_escaped(t, off, len);
    *cell = (struct leat_str){row->st->base + off, len};
    if (!escaped && !row->st->made) return true;
    uint32_t to = leat_add_bytes(b, len);
    if (to == LEAT_NULL) return path_row_full(&row->to);
    if (!escaped && len) memcpy(b->bytes + to, t->text + off, len);
    *cell = (struct leat_str){to, escaped ? json_unescape(t->text + off, len, b->bytes + to) : len};
    b->n_bytes = to + cell->len;
    return true;
}

static bool json_number_cell(const struct json_row *row, uint32_t token, union leat_cells cells)
{
    uint32_t off, len, r = row->to.r;
    json_token(&row->st->text, token, &off, &len);
    const char *text = row->st->text.text + off;
    if (path_columns_type(row->to.ctx, row->to.columns, row->to.i) == LEAT_INT64)
        return path_row_integer(&row->to, text, len, &cells.int64[r]);
    return path_row_number(&row->to, text, len, &cells.number[r]);
}

/* ---- texts of the journal ----
 *
 * `journalctl -o json` writes a text that has control characters, or is not UTF-8, as an array of
 * its bytes. Its records are those with __CURSOR. */

static bool json_notes(void *to, uint32_t token)
{
    *(bool *)to = token != JSON_NO_TOKEN;
    return true;
}

/* True if the record is one of the journal. */
static bool json_is_of_journal(const struct json_text *t)
{
    static const struct json_step cursor = {JSON_KEY, 0, sizeof "__CURSOR" - 1, "__CURSOR"};
    bool has = false;
    json_each(t, 0, &cursor, 1, json_notes, &has);
    return has;
}

/* Reads a whole number from 0 to 255. Returns -1 if the token is another one. */
static int json_byte(const struct json_text *t, uint32_t token)
{
    uint32_t off, len;
    int n = 0;
    if (t->text[t->at[token]] == '"') return -1;
    json_token(t, token, &off, &len);
    for (uint32_t i = 0; i < len; i++)
        if (len > 3 || t->text[off + i] < '0' || t->text[off + i] > '9') return -1;
    for (uint32_t i = 0; i < len; i++)
        n = 10 * n + (t->text[off + i] - '0');
    return len && n < 256 ? n : -1;
}

/* Returns the number of elements of an array of bytes in a record of the journal; 0 if the value
 * is something else. */
static uint32_t json_byte_count(const struct json_row *row, uint32_t token)
{
    const struct json_text *t = &row->st->text;
    uint32_t n = 0, at = token;
    if (json_kind_of(row, token) != '[' || json_byte(t, token + 1) < 0) return 0;
    for (; json_kind_of(row, at) != ']'; at += 2, n++)
        if (json_byte(t, at + 1) < 0) return 0;
    return json_is_of_journal(t) ? n : 0;
}

/* Appends the text of an array of n bytes to the batch. */
static bool json_add_bytes(const struct json_row *row, uint32_t token, uint32_t n,
                           struct leat_str *text)
{
    struct leat_batch *b = row->to.b;
    uint32_t to = leat_add_bytes(b, n);
    if (to == LEAT_NULL) return path_row_full(&row->to);
    for (uint32_t i = 0; i < n; i++)
        b->bytes[to + i] = (char)json_byte(&row->st->text, token + 1 + 2 * i);
    *text = (struct leat_str){to, n};
    return true;
}

/* Join of an array's elements. `text`: the joined text so far, at the end of the batch's bytes. */
struct json_join {
    const struct json_row *row;
    uint32_t elements;
    struct leat_str text;
};

/* Appends bytes of the record to the joined text. Decodes escapes if `escaped`. */
static bool json_join_bytes(struct json_join *j, const char *text, uint32_t len, bool escaped)
{
    struct leat_batch *b = j->row->to.b;
    uint32_t to = leat_add_bytes(b, len);
    if (to == LEAT_NULL) return path_row_full(&j->row->to);
    if (escaped)
        len = json_unescape(text, len, b->bytes + to);
    else if (len)
        memcpy(b->bytes + to, text, len);
    b->n_bytes = to + len;
    j->text.len = b->n_bytes - j->text.off;
    return true;
}

/* Appends the text of an array of n bytes to the joined text. */
static bool json_join_text(struct json_join *j, uint32_t token, uint32_t n)
{
    struct leat_str text;
    if (!json_add_bytes(j->row, token, n, &text)) return false;
    j->text.len = j->row->to.b->n_bytes - j->text.off;
    return true;
}

static bool json_join_element(void *to, uint32_t token)
{
    struct json_join *j = to;
    const struct json_cfg *cfg = j->row->to.ctx->cfg;
    const struct json_text *t = &j->row->st->text;
    uint32_t off, len;
    if (token == JSON_NO_TOKEN) return path_row_missing(&j->row->to);
    j->row->st->columns.came[j->row->to.i] = true;
    if (json_kind_of(j->row, token) == 'n') return path_row_null(&j->row->to);
    if (json_is_nothing(j->row, token)) return true;
    const uint32_t bytes = json_byte_count(j->row, token);
    if (!bytes && !json_is_single(j->row, token)) return json_compound(j->row, token);
    if (j->elements++ &&
        !json_join_bytes(j, cfg->columns.separator, j->row->st->separator_len, false))
        return false;
    if (bytes) return json_join_text(j, token, bytes);
    json_token(t, token, &off, &len);
    return json_join_bytes(j, t->text + off, len, json_is_escaped(t, off, len));
}

static bool json_joined_cell(const struct json_row *row, uint32_t token, struct leat_str *cell)
{
    const struct json_path *path = &row->st->columns.paths.path[row->to.i];
    struct json_join j = {.row = row, .text = {row->to.b->n_bytes, 0}};
    const uint32_t bytes = path->n_rest == 1 ? json_byte_count(row, token) : 0;
    if (bytes) return json_add_bytes(row, token, bytes, cell);
    if (!json_each(&row->st->text, token, path->rest, path->n_rest, json_join_element, &j))
        return false;
    if (j.elements) *cell = j.text;
    return true;
}

/* True if the value at `token` shows that the record has the path. If steps follow [*] (n_rest >
 * 1), only null shows it; json_join_element() checks the elements of an array. */
static bool json_has_come(const struct json_row *row, uint32_t token)
{
    return row->st->columns.paths.path[row->to.i].n_rest <= 1 || json_kind_of(row, token) == 'n';
}

static bool json_fill_cell(const struct json_row *row)
{
    struct path_columns *c = &row->st->columns;
    const uint32_t i = row->to.i, r = row->to.r;
    union leat_cells cells = row->to.b->column[c->first + i];
    bool text = path_columns_is_text(row->to.ctx, c, i);
    uint32_t token = json_found(&c->paths, i);
    path_row_clear(&row->to);
    if (token == JSON_NO_TOKEN) return path_row_missing(&row->to);
    c->came[i] = c->came[i] || json_has_come(row, token);
    if (json_kind_of(row, token) == 'n') return path_row_null(&row->to);
    if (json_is_nothing(row, token)) return true;
    if (c->paths.path[i].n_rest) return json_joined_cell(row, token, &cells.text[r]);
    if (!json_is_single(row, token)) {
        const uint32_t bytes = text ? json_byte_count(row, token) : 0;
        return bytes ? json_add_bytes(row, token, bytes, &cells.text[r])
                     : json_compound(row, token);
    }
    if (!text) return json_number_cell(row, token, cells);
    if (c->same[i] == i) return single_text(row, token, &cells.text[r]);
    cells.text[r] = row->to.b->column[c->first + c->same[i]].text[r];
    return true;
}

/* ---- tokens of many records ----
 *
 * A record within a piece has the same tokens as alone if its first byte is the token {. Then no
 * string of an earlier record reaches into it. A record with a fault is read again alone, to find
 * the fault. */

/* Finds the tokens of the records from the k-th selected one on, as many as fit into a piece. */
static void json_look(struct json_parser *st, const struct leat_batch *b, uint32_t k)
{
    const uint32_t most = st->max_bytes < PIECE_BYTES ? st->max_bytes : PIECE_BYTES;
    const uint32_t off = b->raw[b->sel[k]].off;
    struct json_piece p = {.off = off, .end = off};
    for (; k < b->n_sel; k++) {
        const struct leat_str raw = b->raw[b->sel[k]];
        if (raw.off < p.end || (uint64_t)raw.off + raw.len > (uint64_t)off + most) break;
        p.end = raw.off + raw.len;
    }
    const char *text = b->bytes + off;
    const uint32_t len = p.end - off;
    if (len && json_index_make(st->index, text, len, &p.at, &p.n) != JSON_INDEX_OK) p.n = 0;
    p.escapes = p.n && memchr(text, '\\', len);
    st->piece = p;
}

/* Reads record r, the k-th selected one, from the tokens of its piece, and sets st->text. Returns
 * false if it must be read alone. */
static bool json_read_in_piece(struct json_parser *st, const struct leat_batch *b, uint32_t k,
                               struct leat_str raw)
{
    struct json_piece *p = &st->piece;
    if (raw.off < p->off || raw.off + raw.len > p->end) json_look(st, b, k);
    const uint32_t from = raw.off - p->off;
    while (p->next < p->n && p->at[p->next] < from)
        p->next++;
    if (p->next >= p->n || p->at[p->next] != from) return false;
    st->base = p->off;
    st->from = from;
    st->text = (struct json_text){b->bytes + p->off, p->at + p->next, p->n - p->next,
                                  p->escapes && memchr(b->bytes + raw.off, '\\', raw.len)};
    uint32_t tokens;
    if (!json_read_first(&st->columns.paths, &st->text, from + raw.len, &tokens)) return false;
    st->text.n = tokens;
    p->next += tokens;
    return true;
}

/* ---- items of CBOR and MessagePack ---- */

static int json_made_full(void *to, const char *bytes, size_t n) { return 1; }

/* Makes the JSON of record r in st->made. Returns its length; 0 if the record was rejected. */
static uint32_t json_make(struct leat_ctx *ctx, struct json_parser *st, struct leat_batch *b,
                          uint32_t r)
{
    const struct json_cfg *cfg = ctx->cfg;
    const enum item_format format = cfg->format == JSON_CBOR ? ITEM_CBOR : ITEM_MSGPACK;
    const uint8_t *p = (const uint8_t *)leat_text(b, b->raw[r]);
    const size_t n = b->raw[r].len;
    struct text_out o = {.buf = st->made, .cap = st->max_bytes, .drain = json_made_full};
    struct item_scan scan;
    item_scan_begin(&scan);
    enum item_fault fault = item_scan(&scan, format, p, n, UINT32_MAX);
    size_t at = fault == ITEM_CUT ? n : (size_t)scan.at;
    if (!fault && scan.at < n) fault = ITEM_TRAILING;
    if (!fault) fault = item_json(format, p, n, &o, &at);
    if (fault && !o.failed)
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "byte %zu is wrong: %s", at + 1,
                          item_fault_text(fault));
    else if (o.failed)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the record's JSON has more than %u bytes, the longest record of its "
                          "source",
                          (unsigned)st->max_bytes);
    return fault || o.failed ? 0 : (uint32_t)o.n;
}

/* Finds the JSON of record r, which is not made: behind the bytes before it, or unpacked. Returns
 * false if the record was rejected. */
static bool json_find_text(struct leat_ctx *ctx, struct json_parser *st, struct leat_batch *b,
                           uint32_t r, struct leat_str *raw)
{
    struct schema_key key;
    const char *text = leat_text(b, *raw);
    uint32_t before = json_bytes_before(text, raw->len);
    st->is_unpacked = st->inflated && framing_of(text, raw->len, &key) == FRAMING_IS_GLUE_ZLIB;
    if (st->is_unpacked) return inflated_record(ctx, st->inflated, b, r, raw);
    *raw = (struct leat_str){raw->off + before, raw->len - before};
    return true;
}

/* Finds the tokens of record r alone and sets st->text. Returns false if the record was
 * rejected. */
static bool index_record(struct leat_ctx *ctx, struct json_parser *st, struct leat_batch *b,
                         uint32_t r)
{
    struct leat_str raw = b->raw[r];
    if (!st->made && !json_find_text(ctx, st, b, r, &raw)) return false;
    const char *text = st->made ? st->made : leat_text(b, raw);
    if (st->made && !(raw.len = json_make(ctx, st, b, r))) return false;
    st->base = raw.off;
    st->from = 0;
    st->piece.n = 0; /* its tokens are overwritten */
    st->text.text = text;
    st->text.escapes = memchr(text, '\\', raw.len) != NULL;
    enum json_index_status status =
        json_index_make(st->index, text, raw.len, &st->text.at, &st->text.n);
    if (status == JSON_INDEX_LONG)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the record has %u bytes, but its source promised at most %u",
                          (unsigned)raw.len, (unsigned)st->max_bytes);
    else if (status != JSON_INDEX_OK)
        json_refuse_strings(ctx, b, r, status, st->is_unpacked);
    return status == JSON_INDEX_OK;
}

/* Reads a record alone. Returns false if it was rejected or filtered. */
static bool json_read_alone(struct leat_ctx *ctx, struct json_parser *st, struct leat_batch *b,
                            uint32_t r)
{
    uint32_t at;
    if (!index_record(ctx, st, b, r)) return false;
    enum json_fault fault = json_read(&st->columns.paths, &st->text, &at);
    if (fault == JSON_BLANK)
        leat_filter(b, r);
    else if (fault && (st->made || st->is_unpacked))
        json_refuse_item(ctx, b, r, fault);
    else if (fault)
        json_refuse_text(ctx, b, r, fault, st->base - b->raw[r].off + at);
    return fault == JSON_OK;
}

/* Reads record r, the k-th selected one, and fills its cells. */
static void json_parse_record(struct leat_ctx *ctx, struct json_parser *st, struct leat_batch *b,
                              uint32_t k, uint32_t r)
{
    struct json_row row = {{.ctx = ctx, .columns = &st->columns, .b = b, .r = r}, st};
    if (!b->raw[r].len) {
        leat_filter(b, r);
        return;
    }
    st->is_unpacked = false;
    bool read = !st->made && json_read_in_piece(st, b, k, b->raw[r]);
    if (!read && !json_read_alone(ctx, st, b, r)) return;
    st->columns.records++;
    if (path_names_wanted(st->columns.names))
        json_names(&st->text, path_names_add, st->columns.names);
    while (row.to.i < st->columns.n && json_fill_cell(&row))
        row.to.i++;
}

static int json_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct json_parser *st = self;
    st->piece = (struct json_piece){.n = 0};
    for (LEAT_EACH_RECORD(b, r))
        json_parse_record(ctx, st, b, r_k, r);
    return LEAT_OK;
}

static void json_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    path_columns_finish(ctx, self, lanes, offsetof(struct json_parser, columns));
}

const struct leat_stage parse_json = {
    .name = "parse.json",
    .summary = "values of JSON objects to columns",
    .doc = json_doc,
    .example = "leat.parse.json { \"time\", \"status=http.response.status\", \"tags[*]\" }",
    PATH_COLUMNS_STAGE,
    LEAT_PARAMS(json_params, struct json_cfg),
    LEAT_INSTANCE(struct json_parser, json_open, json_close),
    .validate = json_validate,
    .negotiate = json_negotiate,
    .plan = json_plan,
    .process = json_process,
    .finish = json_finish,
};
