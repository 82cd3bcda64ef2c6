/* json.c -- parse.json: the values of some paths in a JSON object as columns.
 *
 * json_index finds the tokens of a record, json_read checks it and finds the values, and here they
 * become cells. A value's text stays where it is in the record, except where a string has escapes
 * or the elements of an array are joined: then the new text is appended to the batch, because the
 * record itself must stay as it arrived for the dead letters.
 *
 * Without `columns` the columns are those that later stages look up (leat_negotiation.asked), each
 * name read as a path. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "json_index.h"
#include "json/docs.h"
#include "kernels/text/decimal.h"
#include "kernels/text/json.h"
#include "support/strings.h"

enum {
    SHOWN_BYTES = 60,       /* of a text in a message                        */
    RECORD_BYTES = 1 << 20, /* where the source does not say how long one is */
    MISSING_SHOWN = 8,      /* names in a warning                            */
    MARK_BYTES = 3,         /* a byte order mark                             */
};

enum policy { AS_EMPTY, AS_REJECTED };

struct cfg {
    struct leat_strings columns, numbers;
    const char *separator;
    int32_t missing, null;
};

struct parser {
    struct json_index *index;
    struct json_text text;   /* of the record at hand                              */
    uint32_t base;           /* its offset in the batch                            */
    struct json_paths paths; /* one a column                                       */
    struct json_step *step;
    char *keys;
    uint32_t first, n; /* of this parser's columns, among the batch's              */
    uint32_t *same;    /* of a column: the first text column with its path, or itself */
    bool *came;        /* of a column: a record had a value there                  */
    uint64_t records;  /* that were right                                          */
    uint32_t max_bytes, separator_len;
};

static const char *const policies[] = {"empty", "reject", NULL};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc =
                   "paths of the columns: \"path\", or \"name=path\" for another name; none: the "
                   "columns that later stages name"),
    LEAT_PARAM(struct cfg, numbers, LEAT_STRINGS,
               .doc = "columns that hold numbers; the others hold text"),
    LEAT_PARAM(struct cfg, separator, LEAT_STRING, .def = " ",
               .doc = "what is put between the elements that [*] joins"),
    LEAT_PARAM(struct cfg, missing, LEAT_CHOICE, .def = "empty", .choices = policies,
               .doc = "a record without a path: the cell has no value, or the record is rejected"),
    LEAT_PARAM(struct cfg, null, LEAT_CHOICE, .def = "empty", .choices = policies,
               .doc = "a null at a path, likewise"),
};

/* ---- columns ---- */

/* A column as it is written. */
struct spec {
    const char *name, *path;
    uint32_t name_len;
};

static struct spec spec_of(const char *column)
{
    uint32_t path = json_path_offset(column);
    return (struct spec){column, column + path, path ? path - 1 : (uint32_t)strlen(column)};
}

/* No path has more steps. */
static uint32_t max_steps(const char *path)
{
    uint32_t n = 1;
    for (; *path; path++)
        n += *path == '.' || *path == '[';
    return n;
}

/* Does the path join elements? -1: it is wrong, as *fault says; -2: there is not enough memory. */
static int check_path(const char *path, struct json_path_fault *fault)
{
    size_t n = strlen(path);
    struct json_step *step = malloc((n + 1) * sizeof *step);
    char *keys = malloc(n + 1);
    int joins = -2;
    if (step && keys) {
        uint32_t steps = json_path_read(path, (uint32_t)n, step, keys, fault);
        joins = steps ? 0 : -1;
        for (uint32_t i = 0; i < steps; i++)
            joins |= step[i].kind == JSON_ALL;
    }
    free(keys);
    free(step);
    return joins;
}

static void check_column(const char *column, struct leat_diag *d)
{
    struct spec spec = spec_of(column);
    struct json_path_fault fault;
    if (!spec.name_len)
        d->error(d, "columns", "'%s' is neither \"path\" nor \"name=path\"", column);
    else if (check_path(spec.path, &fault) == -1)
        d->error(d, "columns", "'%s': %s is expected at byte %u", column, fault.why,
                 (unsigned)(spec.path - column) + fault.at + 1);
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        check_column(cfg->columns.v[i], d);
    return LEAT_OK;
}

/* The text that joins of a record may append, in texts of the record: an element has a byte at
 * least, and a comma after it for which the separator comes. */
static uint32_t copies_of(const struct cfg *cfg, bool joins)
{
    return joins ? (uint32_t)(strlen(cfg->separator) + 2) / 2 : 0;
}

static int add_column(const struct cfg *cfg, struct leat_negotiation *n, const struct spec *spec,
                      bool joins)
{
    bool number = strings_find(&cfg->numbers, spec->name, spec->name_len) < cfg->numbers.n;
    if (number && joins) {
        n->diag->error(n->diag, "numbers", "column '%.*s' joins elements, which makes a text",
                       (int)spec->name_len, spec->name);
        return LEAT_EARG;
    }
    n->out->copies_text += copies_of(cfg, joins);
    return n->add_column(n, spec->name, spec->name_len, number ? LEAT_NUMBER : LEAT_TEXT);
}

static int add_given(const struct cfg *cfg, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->columns.n; i++) {
        struct spec spec = spec_of(cfg->columns.v[i]);
        struct json_path_fault fault;
        int joins = check_path(spec.path, &fault);
        status = joins < 0 ? LEAT_ENOMEM : add_column(cfg, n, &spec, joins > 0);
    }
    return status;
}

/* What later stages look up. */
static int add_asked(const struct cfg *cfg, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status >= LEAT_OK && i < n->n_asked; i++) {
        struct spec spec = {n->asked[i], n->asked[i], (uint32_t)strlen(n->asked[i])};
        struct json_path_fault fault;
        int joins = check_path(spec.path, &fault);
        if (joins == -1)
            n->diag->error(n->diag, NULL,
                           "a later stage names the column '%s', which is no path: %s is expected "
                           "at byte %u. Set `columns`: \"name=path\"",
                           spec.path, fault.why, (unsigned)fault.at + 1);
        status = joins == -2   ? LEAT_ENOMEM
                 : joins == -1 ? LEAT_EARG
                               : add_column(cfg, n, &spec, joins);
    }
    return status;
}

static int check_numbers(const struct cfg *cfg, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < cfg->numbers.n; i++) {
        uint32_t c = n->in->n_columns;
        while (c < n->out->n_columns && strcmp(n->out->column[c].name, cfg->numbers.v[i]) != 0)
            c++;
        if (c < n->out->n_columns) continue;
        n->diag->error(n->diag, "numbers", "there is no column '%s' in `columns`",
                       cfg->numbers.v[i]);
        status = LEAT_EARG;
    }
    return status;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    n->out->copies_text++; /* strings without their escapes */
    if (cfg->columns.n) {
        int status = add_given(cfg, n);
        return status == LEAT_OK ? check_numbers(cfg, n) : status;
    }
    if (!n->n_asked) n->out->open = 1;
    return add_asked(cfg, n);
}

static int framing(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

static uint32_t max_bytes(const struct leat_schema *in)
{
    return in->max_record_bytes ? in->max_record_bytes : RECORD_BYTES;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    uint64_t column = sizeof(struct json_path) + sizeof(struct json_node) +
                      sizeof(struct json_step) + sizeof(uint32_t) + sizeof(bool);
    p->work_bytes = json_index_bytes(max_bytes(in)) + (out->n_columns - in->n_columns) * column;
    return LEAT_OK;
}

/* ---- opening ---- */

static const char *column_at(const struct leat_ctx *ctx, const struct parser *st, uint32_t i)
{
    const struct cfg *cfg = ctx->cfg;
    return cfg->columns.n ? cfg->columns.v[i] : ctx->out->column[st->first + i].name;
}

/* A name that a later stage gave is a path as a whole. */
static const char *path_at(const struct leat_ctx *ctx, const struct parser *st, uint32_t i)
{
    const struct cfg *cfg = ctx->cfg;
    const char *column = column_at(ctx, st, i);
    return cfg->columns.n ? spec_of(column).path : column;
}

static void close_parser(struct leat_ctx *ctx, void *self)
{
    struct parser *st = self;
    json_index_free(st->index);
    void *const owned[] = {st->paths.node, st->paths.path, st->step, st->keys, st->same, st->came};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        ctx->host->free(ctx, owned[i]);
}

static bool make_room(struct leat_ctx *ctx, struct parser *st)
{
    size_t steps = 0, bytes = 0;
    for (uint32_t i = 0; i < st->n; i++) {
        steps += max_steps(path_at(ctx, st, i));
        bytes += strlen(path_at(ctx, st, i));
    }
    st->paths.node = ctx->host->alloc(ctx, (steps + 1) * sizeof *st->paths.node);
    st->paths.path = ctx->host->alloc(ctx, st->n * sizeof *st->paths.path);
    st->step = ctx->host->alloc(ctx, steps * sizeof *st->step);
    st->keys = ctx->host->alloc(ctx, bytes);
    st->same = ctx->host->alloc(ctx, st->n * sizeof *st->same);
    st->came = ctx->host->alloc(ctx, st->n * sizeof *st->came);
    st->index = json_index_new(st->max_bytes);
    return st->paths.node && st->paths.path && st->step && st->keys && st->same && st->came &&
           st->index;
}

/* The first text column before i with the same single value, or i. */
static uint32_t same_as(const struct leat_ctx *ctx, const struct parser *st, uint32_t i)
{
    const struct json_path *path = st->paths.path;
    const struct leat_column *column = ctx->out->column + st->first;
    if (path[i].n_rest || column[i].type != LEAT_TEXT) return i;
    for (uint32_t j = 0; j < i; j++)
        if (path[j].node == path[i].node && !path[j].n_rest && column[j].type == LEAT_TEXT)
            return j;
    return i;
}

static void read_paths(struct leat_ctx *ctx, struct parser *st)
{
    struct json_step *step = st->step;
    char *keys = st->keys;
    struct json_path_fault fault;
    for (uint32_t i = 0; i < st->n; i++) {
        const char *path = path_at(ctx, st, i);
        uint32_t n = json_path_read(path, (uint32_t)strlen(path), step, keys, &fault);
        json_paths_add(&st->paths, step, n);
        st->same[i] = same_as(ctx, st, i);
        step += n;
        keys += strlen(path);
    }
}

static int open_parser(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct parser *st = self;
    st->first = ctx->in->n_columns;
    st->n = ctx->out->n_columns - st->first;
    st->max_bytes = max_bytes(ctx->in);
    st->separator_len = (uint32_t)strlen(cfg->separator);
    if (!st->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: set `columns`");
    if (!make_room(ctx, st)) {
        close_parser(ctx, st);
        return LEAT_ENOMEM;
    }
    read_paths(ctx, st);
    return LEAT_OK;
}

/* ---- cells; the functions return false after rejecting the record ---- */

/* One record on its way into the cells. */
struct row {
    struct leat_ctx *ctx;
    struct parser *st;
    struct leat_batch *b;
    uint32_t r, i; /* the record; the column, among this parser's */
};

static const char *row_column(const struct row *row)
{
    return row->ctx->out->column[row->st->first + row->i].name;
}

static const char *row_path(const struct row *row) { return path_at(row->ctx, row->st, row->i); }

static bool accept_missing(const struct row *row)
{
    const struct cfg *cfg = row->ctx->cfg;
    if (cfg->missing == AS_EMPTY) return true;
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_FIELDS,
                           "column '%s': the record has no %s", row_column(row), row_path(row));
    return false;
}

static bool accept_null(const struct row *row)
{
    const struct cfg *cfg = row->ctx->cfg;
    if (cfg->null == AS_EMPTY) return true;
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_FIELDS, "column '%s': %s is null",
                           row_column(row), row_path(row));
    return false;
}

static char kind_of(const struct row *row, uint32_t token)
{
    return row->st->text.text[row->st->text.at[token]];
}

/* Is it one value? */
static bool check_single(const struct row *row, uint32_t token)
{
    bool object = kind_of(row, token) == '{';
    if (!object && kind_of(row, token) != '[') return true;
    row->ctx->host->reject(
        row->ctx, row->b, row->r, LEAT_R_FIELDS,
        "column '%s': at %s is an %s (byte %u), and a column takes single values: %s",
        row_column(row), row_path(row), object ? "object" : "array",
        (unsigned)row->st->text.at[token] + 1,
        object ? "add the key of one, as in a.b" : "add an element, [0], or all, [*]");
    return false;
}

static bool refuse_full(const struct row *row)
{
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_TOO_LARGE,
                           "the batch has no room for the text of column '%s'", row_column(row));
    return false;
}

/* The text of a single value: in the record, or appended without its escapes. */
static bool single_text(const struct row *row, uint32_t token, struct leat_str *cell)
{
    const struct json_text *t = &row->st->text;
    struct leat_batch *b = row->b;
    uint32_t off, len;
    json_token(t, token, &off, &len);
    *cell = (struct leat_str){row->st->base + off, len};
    if (!json_is_escaped(t, off, len)) return true;
    uint32_t to = leat_add_bytes(b, len);
    if (to == LEAT_NULL) return refuse_full(row);
    *cell = (struct leat_str){to, json_unescape(t->text + off, len, b->bytes + to)};
    b->n_bytes = to + cell->len;
    return true;
}

static bool number_cell(const struct row *row, uint32_t token, double *cell)
{
    uint32_t off, len;
    json_token(&row->st->text, token, &off, &len);
    const char *text = row->st->text.text + off;
    enum decimal_status status = decimal_whole(text, text + len, cell);
    if (status == DECIMAL_OK) return true;
    bool finite = status != DECIMAL_NONFINITE;
    row->ctx->host->reject(row->ctx, row->b, row->r, finite ? LEAT_R_NUMBER : LEAT_R_NONFINITE,
                           "column '%s': '%.*s' is %s", row_column(row),
                           (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), text,
                           finite ? "not a number" : "not finite");
    return false;
}

/* The elements that are joined so far: the last text of the batch. */
struct join {
    const struct row *row;
    uint32_t elements;
    struct leat_str text;
};

/* Appends bytes of the record, as they are or without escapes. */
static bool join_bytes(struct join *j, const char *text, uint32_t len, bool escaped)
{
    struct leat_batch *b = j->row->b;
    uint32_t to = leat_add_bytes(b, len);
    if (to == LEAT_NULL) return refuse_full(j->row);
    if (escaped)
        len = json_unescape(text, len, b->bytes + to);
    else if (len)
        memcpy(b->bytes + to, text, len);
    b->n_bytes = to + len;
    j->text.len = b->n_bytes - j->text.off;
    return true;
}

static bool join_element(void *to, uint32_t token)
{
    struct join *j = to;
    const struct cfg *cfg = j->row->ctx->cfg;
    const struct json_text *t = &j->row->st->text;
    uint32_t off, len;
    if (token == JSON_NO_TOKEN) return accept_missing(j->row);
    if (kind_of(j->row, token) == 'n') return accept_null(j->row);
    if (!check_single(j->row, token)) return false;
    if (j->elements++ && !join_bytes(j, cfg->separator, j->row->st->separator_len, false))
        return false;
    json_token(t, token, &off, &len);
    return join_bytes(j, t->text + off, len, json_is_escaped(t, off, len));
}

static bool joined_cell(const struct row *row, uint32_t token, struct leat_str *cell)
{
    const struct json_path *path = &row->st->paths.path[row->i];
    struct join j = {.row = row, .text = {row->b->n_bytes, 0}};
    if (!json_each(&row->st->text, token, path->rest, path->n_rest, join_element, &j)) return false;
    if (j.elements) *cell = j.text;
    return true;
}

static bool fill_cell(const struct row *row)
{
    struct parser *st = row->st;
    union leat_cells cells = row->b->column[st->first + row->i];
    bool text = row->ctx->out->column[st->first + row->i].type == LEAT_TEXT;
    uint32_t token = json_found(&st->paths, row->i);
    if (text)
        cells.text[row->r] = (struct leat_str){0, LEAT_NULL};
    else
        cells.number[row->r] = (double)NAN;
    if (token == JSON_NO_TOKEN) return accept_missing(row);
    st->came[row->i] = true;
    if (kind_of(row, token) == 'n') return accept_null(row);
    if (st->paths.path[row->i].n_rest) return joined_cell(row, token, &cells.text[row->r]);
    if (!check_single(row, token)) return false;
    if (!text) return number_cell(row, token, &cells.number[row->r]);
    if (st->same[row->i] == row->i) return single_text(row, token, &cells.text[row->r]);
    cells.text[row->r] = row->b->column[st->first + st->same[row->i]].text[row->r];
    return true;
}

/* ---- records ---- */

static void refuse_text(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                        enum json_fault fault, uint32_t at)
{
    ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "byte %u is wrong: %s", (unsigned)at + 1,
                      json_fault_text(fault));
}

/* simdjson says what is wrong with the strings, but not where. */
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

/* Finds the tokens of record r, for st->text. */
static bool index_record(struct leat_ctx *ctx, struct parser *st, struct leat_batch *b, uint32_t r)
{
    struct leat_str raw = b->raw[r];
    if (raw.len >= MARK_BYTES && !memcmp(leat_text(b, raw), "\xef\xbb\xbf", MARK_BYTES))
        raw = (struct leat_str){raw.off + MARK_BYTES, raw.len - MARK_BYTES};
    const char *text = leat_text(b, raw);
    st->base = raw.off;
    st->text.text = text;
    st->text.escapes = memchr(text, '\\', raw.len) != NULL;
    enum json_index_status status =
        json_index_make(st->index, text, raw.len, &st->text.at, &st->text.n);
    if (status == JSON_INDEX_LONG)
        ctx->host->reject(
            ctx, b, r, LEAT_R_TOO_LARGE,
            "the record has %u bytes, and its source has said that none has more than "
            "%u",
            (unsigned)raw.len, (unsigned)st->max_bytes);
    else if (status != JSON_INDEX_OK)
        refuse_strings(ctx, b, r, status);
    return status == JSON_INDEX_OK;
}

static void parse_record(struct leat_ctx *ctx, struct parser *st, struct leat_batch *b, uint32_t r)
{
    struct row row = {.ctx = ctx, .st = st, .b = b, .r = r};
    uint32_t at;
    if (!b->raw[r].len) {
        leat_filter(b, r);
        return;
    }
    if (!index_record(ctx, st, b, r)) return;
    enum json_fault fault = json_read(&st->paths, &st->text, &at);
    if (fault == JSON_BLANK) {
        leat_filter(b, r);
    } else if (fault) {
        refuse_text(ctx, b, r, fault, st->base - b->raw[r].off + at);
    } else {
        st->records++;
        while (row.i < st->n && fill_cell(&row))
            row.i++;
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        parse_record(ctx, self, b, r);
    return LEAT_OK;
}

/* A path that no record has is misspelt, or of other data. */
static void finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t records = 0;
    for (uint32_t lane = 0; lane < lanes; lane++)
        records += ((struct parser *)self[lane])->records;
    const struct parser *st = self[0];
    for (uint32_t i = 0, shown = 0; records && i < st->n && shown < MISSING_SHOWN; i++) {
        bool came = false;
        for (uint32_t lane = 0; lane < lanes; lane++)
            came |= ((struct parser *)self[lane])->came[i];
        if (came) continue;
        shown++;
        ctx->host->log(ctx, LEAT_WARN, "none of the %llu records has %s, so column '%s' is empty",
                       (unsigned long long)records, path_at(ctx, st, i),
                       ctx->out->column[st->first + i].name);
    }
}

const struct leat_stage parse_json = {
    .name = "parse.json",
    .summary = "values of JSON objects to columns",
    .doc = json_doc,
    .example = "leat.parse.json { \"time\", \"status=http.response.status\", \"tags[*]\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER | LEAT_NAMED_LATER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct parser, open_parser, close_parser),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .framing = framing,
    .process = process,
    .finish = finish,
};
