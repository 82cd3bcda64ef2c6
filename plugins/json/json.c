/* json.c -- parse.json: values at paths in a JSON object as columns.
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
#include "kernels/text/json.h"
#include "kernels/text/json_path.h"
#include "common/paths/path_columns.h"

enum {
    RECORD_BYTES = 1 << 20, /* longest record if the source sets no limit */
    MARK_BYTES = 3,         /* length of a byte order mark */
    PIECE_BYTES = 32 << 10  /* most bytes whose tokens are found together, to stay in the cache */
};

struct json_cfg {
    struct path_columns_cfg columns;
};

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
};

static const struct leat_param json_params[] = {PATH_COLUMNS_PARAMS(struct json_cfg, columns)};

static int json_validate(const void *config, struct leat_diag *d)
{
    const struct json_cfg *cfg = config;
    path_columns_check(&cfg->columns, d);
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
    n->add_bounds(n, &(struct leat_bounds){.copies_text = copies});
    return status;
}

static uint32_t max_bytes(const struct leat_schema *in)
{
    return in->max_record_bytes ? in->max_record_bytes : RECORD_BYTES;
}

static int json_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes =
        json_index_bytes(max_bytes(in)) + path_columns_bytes(out->n_columns - in->n_columns);
    return LEAT_OK;
}

/* ---- opening ---- */

static void json_close(struct leat_ctx *ctx, void *self)
{
    struct json_parser *st = self;
    json_index_free(st->index);
    path_columns_close(ctx, &st->columns);
}

static int json_open(struct leat_ctx *ctx, void *self)
{
    const struct json_cfg *cfg = ctx->cfg;
    struct json_parser *st = self;
    int status = path_columns_open(ctx, &cfg->columns, &st->columns);
    st->max_bytes = max_bytes(ctx->in);
    st->separator_len = (uint32_t)strlen(cfg->columns.separator);
    if (status != LEAT_OK) return status;
    st->index = json_index_new(st->max_bytes);
    if (st->index) return LEAT_OK;
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

/* Handles an object or array at a path that should have a single value. */
static bool json_compound(const struct json_row *row, uint32_t token)
{
    bool object = json_kind_of(row, token) == '{';
    return path_row_compound(&row->to, object ? "an object" : "an array", object,
                             row->st->text.at[token] - row->st->from);
}

/* Finds the text of a single value: in the record or, for a string with escapes, decoded and
 * appended to the batch. */
static bool single_text(const struct json_row *row, uint32_t token, struct leat_str *cell)
{
    const struct json_text *t = &row->st->text;
    struct leat_batch *b = row->to.b;
    uint32_t off, len;
    json_token(t, token, &off, &len);
    *cell = (struct leat_str){row->st->base + off, len};
    if (!json_is_escaped(t, off, len)) return true;
    uint32_t to = leat_add_bytes(b, len);
    if (to == LEAT_NULL) return path_row_full(&row->to);
    *cell = (struct leat_str){to, json_unescape(t->text + off, len, b->bytes + to)};
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

static bool json_join_element(void *to, uint32_t token)
{
    struct json_join *j = to;
    const struct json_cfg *cfg = j->row->to.ctx->cfg;
    const struct json_text *t = &j->row->st->text;
    uint32_t off, len;
    if (token == JSON_NO_TOKEN) return path_row_missing(&j->row->to);
    j->row->st->columns.came[j->row->to.i] = true;
    if (json_kind_of(j->row, token) == 'n') return path_row_null(&j->row->to);
    if (!json_is_single(j->row, token)) return json_compound(j->row, token);
    if (j->elements++ &&
        !json_join_bytes(j, cfg->columns.separator, j->row->st->separator_len, false))
        return false;
    json_token(t, token, &off, &len);
    return json_join_bytes(j, t->text + off, len, json_is_escaped(t, off, len));
}

static bool json_joined_cell(const struct json_row *row, uint32_t token, struct leat_str *cell)
{
    const struct json_path *path = &row->st->columns.paths.path[row->to.i];
    struct json_join j = {.row = row, .text = {row->to.b->n_bytes, 0}};
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
    if (c->paths.path[i].n_rest) return json_joined_cell(row, token, &cells.text[r]);
    if (!json_is_single(row, token)) return json_compound(row, token);
    if (!text) return json_number_cell(row, token, cells);
    if (c->same[i] == i) return single_text(row, token, &cells.text[r]);
    cells.text[r] = row->to.b->column[c->first + c->same[i]].text[r];
    return true;
}

/* ---- records ---- */

/* True if the text is not JSON but has separators, like CSV. */
static bool looks_like_csv(const char *text, uint32_t len)
{
    if (!len || *text == '{' || *text == '[') return false;
    return memchr(text, ',', len) || memchr(text, ';', len) || memchr(text, '\t', len);
}

/* Returns advice for this text and fault; "" if there is none. */
static const char *json_cure_of(const char *text, uint32_t len, enum json_fault fault, uint32_t at)
{
    static const char lines[] =
        ": to write each object on one line, use jq -c . for objects of several lines and jq -c "
        "'.[]' for an array; or set record_start of source.file";
    static const char array[] = ": jq -c '.[]' writes the objects of an array as lines";
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\r'))
        len--;
    bool bracket = len && (*text == '[' || *text == ']');
    bool part = len && (text[len - 1] == '{' || (*text == '"' && len > 1) || *text == '}');
    if (fault == JSON_NO_OBJECT && len > 2 && *text == '[') return array;
    if (fault == JSON_NO_OBJECT && (bracket || part)) return lines;
    if (fault == JSON_NO_OBJECT && looks_like_csv(text, len))
        return ": the line looks like CSV: use parse.csv in place of this stage";
    if (fault == JSON_CUT && (len == 1 || part)) return lines;
    if (fault == JSON_TRAILING && at < len && text[at] == ',')
        return ": remove the comma, because each line must be one object, not a part of an array";
    if (fault == JSON_NO_KEY && at < len && text[at] == '\'')
        return ", and ' is not a quote of JSON: write \", as Python's json.dumps does";
    return "";
}

static void refuse_text(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                        enum json_fault fault, uint32_t at)
{
    ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "byte %u is wrong: %s%s", (unsigned)at + 1,
                      json_fault_text(fault),
                      json_cure_of(leat_text(b, b->raw[r]), b->raw[r].len, fault, at));
}

/* Rejects a record with a bad string. simdjson reports the fault, but not where it is. */
static void refuse_strings(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                           enum json_index_status status)
{
    static const enum json_fault fault[] = {[JSON_INDEX_UTF8] = JSON_UTF8,
                                            [JSON_INDEX_CONTROL] = JSON_CONTROL,
                                            [JSON_INDEX_UNCLOSED] = JSON_UNCLOSED};
    uint32_t at;
    enum json_fault found = json_check_strings(leat_text(b, b->raw[r]), b->raw[r].len, &at);
    refuse_text(ctx, b, r, found ? found : fault[status], at);
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

/* Finds the tokens of record r alone and sets st->text. Returns false if the record was
 * rejected. */
static bool index_record(struct leat_ctx *ctx, struct json_parser *st, struct leat_batch *b,
                         uint32_t r)
{
    struct leat_str raw = b->raw[r];
    if (raw.len >= MARK_BYTES && !memcmp(leat_text(b, raw), "\xef\xbb\xbf", MARK_BYTES))
        raw = (struct leat_str){raw.off + MARK_BYTES, raw.len - MARK_BYTES};
    const char *text = leat_text(b, raw);
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
        refuse_strings(ctx, b, r, status);
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
    else if (fault)
        refuse_text(ctx, b, r, fault, st->base - b->raw[r].off + at);
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
    if (!json_read_in_piece(st, b, k, b->raw[r]) && !json_read_alone(ctx, st, b, r)) return;
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
