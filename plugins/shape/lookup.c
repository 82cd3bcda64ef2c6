/* lookup.c -- shape.lookup: columns of a CSV file, by a key that records have, too.
 *
 * The file is read in open, into memory of a fixed size. What a row has is copied to a batch once,
 * however many of its records have the key. */
#include <leat/plugin.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lookup_table.h"
#include "report/text_out.h"
#include "shape/docs.h"
#include "support/columns.h"
#include "support/decoder_plan.h"
#include "support/stream.h"

enum missing { KEEP, REJECT, FILTER };
static const char *const missing_names[] = {"keep", "reject", "filter", NULL};
/* FEWEST_RECORDS: for which it is strange that none has a row. */
enum { SHOWN = 40, NAME_BYTES = 512, FEWEST_RECORDS = 10 };

struct cfg {
    const char *path, *key, *file_key, *prefix, *delimiter;
    struct leat_strings columns;
    int32_t missing;
    int64_t memory, text_bytes;
};

struct lookup {
    uint32_t key, first; /* columns: of the key, and the first that is made */
    struct lookup_table table;
    uint64_t batch;         /* number of the batch, from 1 */
    uint64_t asked, missed; /* records, and those without a row */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_PATH,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_READS_FILE,
               .doc = "a CSV file with a heading; it may be compressed"),
    LEAT_PARAM(struct cfg, key, LEAT_STRING, .flags = LEAT_REQUIRED,
               .doc = "the column of the records whose value is looked up"),
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS, .flags = LEAT_REQUIRED,
               .doc = "columns of the file that records get"),
    LEAT_PARAM(struct cfg, file_key, LEAT_STRING,
               .doc = "the file's column of keys, if it has another name than `key`"),
    LEAT_PARAM(struct cfg, prefix, LEAT_STRING, .def = "",
               .doc = "goes before the names of the new columns"),
    LEAT_PARAM(struct cfg, missing, LEAT_CHOICE, .def = "keep", .choices = missing_names,
               .doc = "a record whose key is not in the file stays without values, is rejected, or "
                      "is filtered"),
    LEAT_PARAM(struct cfg, delimiter, LEAT_STRING, .def = ",",
               .doc = "the character between fields of the file"),
    LEAT_PARAM(struct cfg, memory, LEAT_SIZE, .def = "64MiB", .min = 4096, .max = 4e9,
               .unit = "bytes",
               .doc = "memory for the file's text and its index, of some 40 bytes a row and 8 a "
                      "column of it"),
    LEAT_PARAM(struct cfg, text_bytes, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = "128",
               .max = 16777216, .unit = "bytes",
               .doc = "space for the values: bytes a record, on average over a batch"),
};

/* ---- before the start ---- */

static char delimiter_of(const struct cfg *cfg)
{
    return !strcmp(cfg->delimiter, "\\t") ? '\t' : *cfg->delimiter;
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    if (!delimiter_of(cfg) || (cfg->delimiter[1] && strcmp(cfg->delimiter, "\\t")) ||
        delimiter_of(cfg) == '"')
        d->error(d, "delimiter", "'%s' must be one character that is no quote, such as ';'",
                 cfg->delimiter);
    if (!cfg->columns.n) d->error(d, "columns", "is empty: name columns of the file");
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    char name[NAME_BYTES];
    uint32_t index;
    int status = n->column(n, "key", cfg->key, &index);
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        int len = snprintf(name, sizeof name, "%s%s", cfg->prefix, cfg->columns.v[i]);
        if (len >= NAME_BYTES) {
            n->diag->error(n->diag, "columns", "'%.40s…' is too long: a name has at most %d bytes",
                           name, NAME_BYTES - 1);
            status = LEAT_EARG;
        } else if (n->add_column(n, name, (size_t)len, LEAT_TEXT) < 0) {
            status = LEAT_EARG;
        }
    }
    n->out->added_bytes_per_record += (uint32_t)cfg->text_bytes;
    return status;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->state_bytes = (uint64_t)cfg->memory;
    p->work_bytes = STREAM_RAW_BYTES + sizeof(struct stream) + decoder_plan_bytes(cfg->path, 0);
    return LEAT_OK;
}

/* ---- the file ---- */

static bool read_all(struct leat_ctx *ctx, struct stream *s, struct lookup_table *t)
{
    enum stream_status got = STREAM_TEXT;
    strcpy(t->why, "the run was stopped while the file was read");
    do {
        size_t n = 0;
        if (t->n_text == t->bytes) break;
        got = stream_read(ctx, s, t->text + t->n_text, t->bytes - t->n_text, true, &n);
        t->n_text += n;
    } while (got == STREAM_TEXT || got == STREAM_IDLE);
    if (t->n_text == t->bytes)
        snprintf(t->why, sizeof t->why, "does not fit into memory = %zu bytes: make memory larger",
                 t->bytes);
    else if (got == STREAM_FAILED)
        snprintf(t->why, sizeof t->why, "%.380s", s->why);
    return got == STREAM_END && t->n_text < t->bytes;
}

static int fail_file(struct leat_ctx *ctx, const struct cfg *cfg, const struct lookup_table *t)
{
    if (t->line)
        return ctx->host->fail(ctx, LEAT_EDATA, "path = '%s', line %llu: %s", cfg->path,
                               (unsigned long long)t->line, t->why);
    return ctx->host->fail(ctx, LEAT_EDATA, "path = '%s': %s", cfg->path, t->why);
}

static int read_file(struct leat_ctx *ctx, const struct cfg *cfg, struct lookup_table *t,
                     struct stream *s, char *raw)
{
    struct input input = {.path = cfg->path, .name = cfg->path};
    int fd = open(cfg->path, O_RDONLY | O_CLOEXEC);
    input.window = decoder_plan_window(fd, 0);
    if (fd >= 0) close(fd);
    if (stream_open(s, &input, raw) == STREAM_FAILED)
        return ctx->host->fail(ctx, LEAT_EIO, "%s", s->why);
    bool whole = read_all(ctx, s, t);
    stream_close(s);
    struct lookup_names names = {cfg->file_key ? cfg->file_key : cfg->key, &cfg->columns,
                                 delimiter_of(cfg)};
    return whole && lookup_table_fill(t, &names) ? LEAT_OK : fail_file(ctx, cfg, t);
}

static void close_lookup(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct lookup *)self)->table.text);
}

static int open_lookup(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct lookup *st = self;
    char *raw = ctx->host->alloc(ctx, STREAM_RAW_BYTES);
    struct stream *stream = ctx->host->alloc(ctx, sizeof *stream);
    st->key = columns_known(ctx, cfg->key);
    st->first = ctx->in->n_columns;
    st->table.bytes = (size_t)cfg->memory;
    st->table.text = ctx->host->alloc(ctx, st->table.bytes);
    int status = raw && stream && st->table.text
                     ? read_file(ctx, cfg, &st->table, stream, raw)
                     : ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the file");
    ctx->host->free(ctx, raw);
    ctx->host->free(ctx, stream);
    if (status != LEAT_OK) close_lookup(ctx, st);
    if (status == LEAT_OK && st->table.repeated && !ctx->lane)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s': rows that are not used, as an earlier one has their key: %llu",
                       cfg->path, (unsigned long long)st->table.repeated);
    return status;
}

/* ---- records ---- */

/* The key as text; digits: room for a number's. NULL: the record has none. */
static const char *key_text(const struct leat_ctx *ctx, const struct lookup *st,
                            const struct leat_batch *b, uint32_t r, char *digits, size_t *n)
{
    union leat_cells cells = b->column[st->key];
    if (ctx->in->column[st->key].type == LEAT_NUMBER) {
        *n = isnan(cells.number[r]) ? 0 : text_format_double(digits, cells.number[r]);
        return *n ? digits : NULL;
    }
    *n = cells.text[r].len;
    return cells.text[r].len == LEAT_NULL ? NULL : leat_text(b, cells.text[r]);
}

/* The row's cells in the batch, one behind the other. false: there is no room. */
static bool copy_row(struct lookup *st, struct leat_batch *b, uint32_t row, uint32_t *off)
{
    struct lookup_mark *mark = &st->table.mark[row];
    const struct leat_str *cell = lookup_table_cells(&st->table, row);
    if (mark->batch != st->batch) {
        uint64_t n = 0;
        for (uint32_t i = 0; i < st->table.columns; i++)
            n += cell[i].len == LEAT_NULL ? 0 : cell[i].len;
        uint32_t to = n < LEAT_NULL ? leat_add_bytes(b, (uint32_t)n) : LEAT_NULL;
        if (to == LEAT_NULL) return false;
        *mark = (struct lookup_mark){st->batch, to};
        for (uint32_t i = 0; i < st->table.columns; i++) {
            if (cell[i].len == LEAT_NULL) continue;
            memcpy(b->bytes + to, st->table.text + cell[i].off, cell[i].len);
            to += cell[i].len;
        }
    }
    *off = mark->off;
    return true;
}

static void set_cells(const struct lookup *st, struct leat_batch *b, uint32_t r, uint32_t row,
                      uint32_t off)
{
    for (uint32_t i = 0; i < st->table.columns; i++) {
        uint32_t len = row == LOOKUP_NONE ? LEAT_NULL : lookup_table_cells(&st->table, row)[i].len;
        b->column[st->first + i].text[r] = (struct leat_str){off, len};
        off += len == LEAT_NULL ? 0 : len;
    }
}

static void miss(struct leat_ctx *ctx, struct lookup *st, struct leat_batch *b, uint32_t r,
                 const char *key, size_t n)
{
    const struct cfg *cfg = ctx->cfg;
    st->missed++;
    if (cfg->missing == FILTER)
        leat_filter(b, r);
    else if (cfg->missing == REJECT && !key)
        ctx->host->reject(ctx, b, r, LEAT_R_OTHER, "column '%s' is empty", cfg->key);
    else if (cfg->missing == REJECT)
        ctx->host->reject(ctx, b, r, LEAT_R_OTHER, "column '%s': '%.*s%s' is not in %s", cfg->key,
                          (int)(n > SHOWN ? SHOWN : n), key, n > SHOWN ? "…" : "", cfg->path);
    set_cells(st, b, r, LOOKUP_NONE, 0);
}

static void look_up(struct leat_ctx *ctx, struct lookup *st, struct leat_batch *b, uint32_t r)
{
    char digits[TEXT_NUMBER];
    size_t n;
    uint32_t off;
    const char *key = key_text(ctx, st, b, r, digits, &n);
    uint32_t row = key ? lookup_table_find(&st->table, key, n) : LOOKUP_NONE;
    if (row == LOOKUP_NONE)
        miss(ctx, st, b, r, key, n);
    else if (copy_row(st, b, row, &off))
        set_cells(st, b, r, row, off);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the values: make text_bytes larger");
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lookup *st = self;
    st->batch++;
    st->asked += b->n_sel;
    for (LEAT_EACH_RECORD(b, r))
        look_up(ctx, st, b, r);
    return LEAT_OK;
}

static void finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct cfg *cfg = ctx->cfg;
    uint64_t asked = 0, missed = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        const struct lookup *st = self[i];
        asked += st->asked;
        missed += st->missed;
    }
    if (asked < FEWEST_RECORDS || missed < asked) return;
    ctx->host->log(
        ctx, LEAT_WARN,
        "path = '%s' has none of the %llu keys: compare its column '%s' with '%s' of the "
        "records",
        cfg->path, (unsigned long long)asked, cfg->file_key ? cfg->file_key : cfg->key, cfg->key);
}

const struct leat_stage shape_lookup = {
    .name = "shape.lookup",
    .summary = "adds columns of a CSV file, by a key",
    .doc = lookup_doc,
    .example = "leat.shape.lookup { path = \"hosts.csv\", key = \"ip\", columns = { \"owner\", "
               "\"site\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct lookup, open_lookup, close_lookup),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .process = process,
    .finish = finish,
};
