/* fields.c -- parse.fields: logs whose files name their fields (heads.h), as columns.
 *
 * Rows need the head above them, so the stage has one lane, and its state are the heads. A cell is
 * a slice of its row, unless it has escapes. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "common/paths/path_columns.h"
#include "heads.h"
#include "parsers/fields/docs.h"

enum { STATE_VERSION = 1 };

struct fields_cfg {
    struct leat_strings columns;
};

struct fields_parser {
    uint32_t first, n; /* first column of this parser in the batch; number of columns */
    struct heads heads;
    const char **name;
    bool *came;               /* by column: a head has named it */
    struct leat_str *field;   /* of the present row */
    struct path_names *names; /* of the heads, for hints */
};

static const struct leat_param fields_params[] = {
    LEAT_PARAM(struct fields_cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "names of the columns, as in the head of the files; none: the columns that "
                      "later stages name"),
};

/* ---- before the run ---- */

static int fields_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct leat_strings *given = &((const struct fields_cfg *)config)->columns;
    const char *const *name = given->n ? given->v : n->asked;
    uint32_t many = given->n ? given->n : n->n_asked;
    int status = LEAT_OK;
    n->add_bounds(n, &(struct leat_bounds){.copies_text = 2}); /* cells without escapes, datetime */
    if (!many) n->out->open = 1;
    for (uint32_t i = 0; status == LEAT_OK && i < many; i++)
        status = n->add_column(n, name[i], strlen(name[i]), LEAT_TEXT, NULL);
    return status;
}

static int fields_framing(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

static int fields_plan(const void *config, const struct leat_schema *in,
                       const struct leat_schema *out, struct leat_plan *p)
{
    uint32_t n = out->n_columns - in->n_columns;
    p->state_bytes = heads_bytes(n);
    p->work_bytes = n * (sizeof(char *) + sizeof(bool)) + HEAD_FIELDS * sizeof(struct leat_str) +
                    sizeof(struct path_names);
    return LEAT_OK;
}

static void fields_close(struct leat_ctx *ctx, void *self)
{
    struct fields_parser *st = self;
    ctx->host->free(ctx, st->heads.head[0].at);
    ctx->host->free(ctx, st->name);
    ctx->host->free(ctx, st->came);
    ctx->host->free(ctx, st->field);
    ctx->host->free(ctx, st->names);
}

static int fields_open(struct leat_ctx *ctx, void *self)
{
    struct fields_parser *st = self;
    st->first = ctx->in->n_columns;
    st->n = ctx->out->n_columns - st->first;
    if (!st->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: set `columns`");
    uint32_t *at = ctx->host->alloc(ctx, heads_bytes(st->n));
    st->name = ctx->host->alloc(ctx, st->n * sizeof *st->name);
    st->came = ctx->host->alloc(ctx, st->n * sizeof *st->came);
    st->field = ctx->host->alloc(ctx, HEAD_FIELDS * sizeof *st->field);
    st->names = ctx->host->alloc(ctx, sizeof *st->names);
    heads_init(&st->heads, st->name, st->n, at);
    if (!at || !st->name || !st->came || !st->field || !st->names) {
        fields_close(ctx, st);
        return LEAT_ENOMEM;
    }
    for (uint32_t i = 0; i < st->n; i++) {
        st->name[i] = ctx->out->column[st->first + i].name;
        st->came[i] = false;
    }
    memset(st->names, 0, sizeof *st->names);
    return LEAT_OK;
}

/* ---- rows ---- */

/* A row that is being read. */
struct fields_row {
    struct leat_ctx *ctx;
    struct fields_parser *st;
    const struct head *head;
    struct leat_batch *b;
    uint32_t r;
};

/* Splits the row. Returns the number of its fields, of which st->field has at most the head's. */
static uint32_t fields_split(const struct fields_row *row)
{
    struct leat_str raw = row->b->raw[row->r];
    const char *text = leat_text(row->b, raw);
    char by = row->head->separator;
    uint32_t n = 0;
    if (row->head->is_w3c) by = memchr(text, '\t', raw.len) ? '\t' : ' ';
    for (uint32_t at = 0; at <= raw.len; n++) {
        const char *end = at < raw.len ? memchr(text + at, by, raw.len - at) : NULL;
        uint32_t len = end ? (uint32_t)(end - text) - at : raw.len - at;
        if (n < row->head->fields) row->st->field[n] = (struct leat_str){raw.off + at, len};
        at += len + 1;
    }
    return n;
}

/* Appends n bytes for a cell to the batch. Rejects the row if there is no room. */
static char *fields_space(const struct fields_row *row, uint32_t n, struct leat_str *cell)
{
    cell->off = leat_add_bytes(row->b, n);
    cell->len = n;
    if (cell->off != LEAT_NULL) return row->b->bytes + cell->off;
    *cell = (struct leat_str){0, LEAT_NULL};
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_TOO_LARGE,
                           "the batch has no room for the row's fields with escapes");
    return NULL;
}

static bool fields_is(const struct leat_batch *b, struct leat_str s, const char *mark)
{
    return s.len == strlen(mark) && !memcmp(leat_text(b, s), mark, s.len);
}

/* Returns the cell of a field. */
static struct leat_str fields_cell(const struct fields_row *row, uint32_t at)
{
    const struct head *d = row->head;
    struct leat_str s = row->st->field[at & FIELD_MASK], cell = s;
    const char *text = leat_text(row->b, s);
    if (fields_is(row->b, s, d->unset)) return (struct leat_str){s.off, LEAT_NULL};
    if (*d->empty && fields_is(row->b, s, d->empty)) return (struct leat_str){s.off, 0};
    bool has_plus = at & FIELD_HAS_PLUS && memchr(text, '+', s.len);
    if (!has_plus && (d->is_w3c || !memchr(text, '\\', s.len))) return s;
    char *to = fields_space(row, s.len, &cell);
    if (!to) return cell;
    text = leat_text(row->b, s);
    if (!has_plus)
        cell.len = head_unescape(text, s.len, at & FIELD_IS_SET ? d->set_separator : '\0', to);
    for (uint32_t i = 0; has_plus && i < s.len; i++)
        to[i] = text[i] == '+' ? ' ' : text[i];
    return cell;
}

/* Returns the fields date and time, with a blank between them. */
static struct leat_str fields_datetime(const struct fields_row *row)
{
    struct leat_str date = fields_cell(row, row->head->date),
                    time = fields_cell(row, row->head->time), cell = {0, LEAT_NULL};
    if (date.len == LEAT_NULL || time.len == LEAT_NULL) return cell;
    char *to = fields_space(row, date.len + 1 + time.len, &cell);
    if (!to) return cell;
    memcpy(to, leat_text(row->b, date), date.len);
    to[date.len] = ' ';
    memcpy(to + date.len + 1, leat_text(row->b, time), time.len);
    return cell;
}

static void fields_fill(const struct fields_row *row)
{
    const struct fields_parser *st = row->st;
    for (uint32_t c = 0; c < st->n; c++) {
        uint32_t at = row->head->at[c];
        struct leat_str *cell = &row->b->column[st->first + c].text[row->r];
        if (at == FIELD_JOINED)
            *cell = fields_datetime(row);
        else
            *cell = at == FIELD_NONE ? (struct leat_str){0, LEAT_NULL} : fields_cell(row, at);
    }
}

static void fields_note(void *to, const char *name, uint32_t n) { path_names_add(to, name, n); }

static void fields_note_columns(struct fields_parser *st, const struct head *d)
{
    for (uint32_t c = 0; d->fields && c < st->n; c++)
        st->came[c] |= d->at[c] != FIELD_NONE;
}

/* Takes a line of a head, or another comment. */
static void fields_take_head(struct leat_ctx *ctx, struct fields_parser *st, struct leat_batch *b,
                             uint32_t r, uint32_t input)
{
    struct head *d = heads_begin(&st->heads, input);
    const char *wrong =
        head_take(&st->heads, d, leat_text(b, b->raw[r]), b->raw[r].len, fields_note, st->names);
    if (wrong)
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "the line of the head is wrong: %s", wrong);
    else
        leat_filter(b, r);
    fields_note_columns(st, d);
}

static void fields_parse_record(struct leat_ctx *ctx, struct fields_parser *st,
                                struct leat_batch *b, uint32_t r, uint32_t input)
{
    struct fields_row row = {ctx, st, NULL, b, r};
    if (!b->raw[r].len) {
        leat_filter(b, r);
        return;
    }
    if (*leat_text(b, b->raw[r]) == '#') {
        fields_take_head(ctx, st, b, r, input);
        return;
    }
    row.head = heads_find(&st->heads, input);
    if (!row.head || !row.head->fields) {
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX,
                          "no line #fields or #Fields: is above this record: keep the head of the "
                          "file, or name its columns with parse.tsv");
        return;
    }
    uint32_t n = fields_split(&row);
    if (n == row.head->fields)
        fields_fill(&row);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_FIELDS,
                          "the row has %u fields and the head above it names %u", (unsigned)n,
                          (unsigned)row.head->fields);
}

static int fields_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    uint32_t x = 0;
    for (LEAT_EACH_RECORD(b, r)) {
        while (x < b->n_extents && r >= b->extent[x].first + b->extent[x].n)
            x++;
        fields_parse_record(ctx, self, b, r, x < b->n_extents ? b->extent[x].input : 0);
    }
    return LEAT_OK;
}

/* Warns of columns that no head has named. */
static void fields_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct fields_parser *st = self[0];
    char hint[PATH_NAMES_HINT];
    bool listed = false;
    for (uint32_t c = 0; st->names->n && c < st->n; c++) {
        if (st->came[c]) continue;
        listed |= path_names_hint(st->names, st->name[c], !listed, hint);
        ctx->host->log(ctx, LEAT_WARN, "column '%s' is in no head of the input%s", st->name[c],
                       hint);
    }
}

/* ---- state ---- */

enum { WORDS = 7 + 2 * HEAD_MARK }; /* of a head, without `at` */

static void fields_put_words(const struct head *d, uint32_t n, uint32_t *to)
{
    const uint32_t first[] = {d->input,
                              d->is_w3c,
                              d->fields,
                              d->date,
                              d->time,
                              (unsigned char)d->separator,
                              (unsigned char)d->set_separator};
    memcpy(to, first, sizeof first);
    for (uint32_t i = 0; i < HEAD_MARK; i++) {
        to[7 + i] = (unsigned char)d->unset[i];
        to[7 + HEAD_MARK + i] = (unsigned char)d->empty[i];
    }
    memcpy(to + WORDS, d->at, n * sizeof *to);
}

static int fields_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct fields_parser *st = self;
    const uint32_t width = WORDS + st->n;
    w->u64(w, "columns", st->n);
    uint32_t *to = w->reserve(w, "heads", LEAT_U32, (uint64_t)st->heads.n * width);
    for (uint32_t i = 0; to && i < st->heads.n; i++)
        fields_put_words(&st->heads.head[i], st->n, to + (uint64_t)i * width);
    return to ? LEAT_OK : LEAT_ENOMEM;
}

/* True if the words are those of a head. */
static bool fields_are_words(const uint32_t *from, uint32_t n)
{
    bool good =
        from[2] <= HEAD_FIELDS && from[7 + HEAD_MARK - 1] == 0 && from[7 + 2 * HEAD_MARK - 1] == 0;
    bool joins = from[3] < from[2] && from[4] < from[2];
    for (uint32_t c = 0; good && c < n; c++) {
        uint32_t at = from[WORDS + c], field = at & FIELD_MASK;
        bool known = field < from[2] && at < FIELD_HAS_PLUS << 1;
        good = known || at == FIELD_NONE || (at == FIELD_JOINED && joins) || !from[2];
    }
    return good;
}

static void fields_take_words(struct head *d, const uint32_t *from, uint32_t n)
{
    d->input = from[0], d->is_w3c = from[1], d->fields = from[2];
    d->date = from[3], d->time = from[4];
    d->separator = (char)from[5], d->set_separator = (char)from[6];
    for (uint32_t i = 0; i < HEAD_MARK; i++) {
        d->unset[i] = (char)from[7 + i];
        d->empty[i] = (char)from[7 + HEAD_MARK + i];
    }
    memcpy(d->at, from + WORDS, n * sizeof *from);
}

static int fields_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct fields_parser *st = self;
    const uint32_t width = WORDS + st->n;
    const void *from;
    uint64_t n;
    if (r->same_u64(r, "columns", st->n) != LEAT_OK ||
        r->array_up_to(r, "heads", LEAT_U32, (uint64_t)HEADS_MAX * width, &from, &n) != LEAT_OK)
        return LEAT_EDATA;
    const uint32_t *words = from;
    bool good = n % width == 0;
    for (uint64_t i = 0; good && i < n; i += width)
        good = fields_are_words(words + i, st->n);
    if (!good) return r->refuse(r, "heads has a head that no file can have");
    st->heads.n = (uint32_t)(n / width);
    for (uint32_t i = 0; i < st->heads.n; i++) {
        fields_take_words(&st->heads.head[i], words + (uint64_t)i * width, st->n);
        fields_note_columns(st, &st->heads.head[i]);
    }
    return LEAT_OK;
}

const struct leat_stage parse_fields = {
    .name = "parse.fields",
    .summary = "rows below a head that names their fields (Zeek, W3C) to columns",
    .doc = fields_doc,
    .example = "leat.parse.fields { \"ts\", \"id.orig_h\", \"proto\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARSER | LEAT_STATEFUL | LEAT_NAMED_LATER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(fields_params, struct fields_cfg),
    LEAT_INSTANCE(struct fields_parser, fields_open, fields_close),
    .negotiate = fields_negotiate,
    .framing = fields_framing,
    .plan = fields_plan,
    .process = fields_process,
    .finish = fields_finish,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = fields_snapshot,
                       .restore = fields_restore),
};
