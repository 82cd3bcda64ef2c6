/* lookup.c -- shape.lookup: joins columns of a CSV file or a SQLite database to records by a key.
 *
 * The file is read into memory of a fixed size, in open, and with `reload` again when it has
 * changed. The cells of a row are copied to a batch only once, even if several of its records have
 * the key. */
#include "lookup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lookup_sqlite.h"
#include "core/report/text_out.h"
#include "shape/lookup/docs.h"
#include "common/cells/columns.h"
#include "common/inputs/inputs.h"
#include "core/time/clock.h"

enum lookup_missing { KEEP, REJECT, FILTER };
static const char *const lookup_missing_names[] = {"keep", "reject", "filter", NULL};
/* LOCK_MS: longest wait for a process that writes to the database. Used only before the run. */
enum { NAME_BYTES = 512, LOCK_MS = 5000 };

static const struct leat_param lookup_params[] = {
    LEAT_PARAM(struct lookup_cfg, path, LEAT_PATH,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_READS_FILE | LEAT_READS_WHOLE,
               .doc = "a CSV file with a heading, which may be compressed, or a SQLite database"),
    LEAT_PARAM(struct lookup_cfg, key, LEAT_STRING, .flags = LEAT_REQUIRED,
               .doc = "column of the records; its values are looked up in the file"),
    LEAT_PARAM(struct lookup_cfg, columns, LEAT_STRINGS, .flags = LEAT_REQUIRED,
               .doc = "columns of the file to add to the records"),
    LEAT_PARAM(struct lookup_cfg, file_key, LEAT_STRING,
               .doc = "column of the file with the keys, if its name is not that of `key`"),
    LEAT_PARAM(struct lookup_cfg, table, LEAT_STRING,
               .doc = "of a database: the table or view to read; by default the only table"),
    LEAT_PARAM(struct lookup_cfg, query, LEAT_STRING, .replaces = "table",
               .doc = "of a database: the SELECT that gives the rows"),
    LEAT_PARAM(struct lookup_cfg, prefix, LEAT_STRING, .def = "",
               .doc = "prefix of the names of the new columns"),
    LEAT_PARAM(struct lookup_cfg, missing, LEAT_CHOICE, .def = "keep",
               .choices = lookup_missing_names,
               .doc = "a record whose key is not in the file stays without values, is rejected, or "
                      "is filtered"),
    LEAT_PARAM(struct lookup_cfg, reload, LEAT_BOOL, .def = "false",
               .doc = "check each second whether the file has changed, and read it again; if it "
                      "cannot be read, the former table stays in use"),
    LEAT_PARAM(struct lookup_cfg, delimiter, LEAT_STRING, .def = ",",
               .doc = "the character between fields of the file"),
    INPUTS_ENCODING(offsetof(struct lookup_cfg, encoding)),
    LEAT_PARAM(struct lookup_cfg, memory, LEAT_SIZE, .def = "64MiB", .min = 4096, .max = 4e9,
               .unit = "bytes",
               .doc = "memory for the text of the file and its index: about 40 bytes a row, and 8 "
                      "for each column of a row"),
    LEAT_PARAM(struct lookup_cfg, text_bytes, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = "128",
               .max = 16777216, .unit = "bytes",
               .doc = "space for the values: bytes a record, on average over a batch"),
};

/* ---- before the run ---- */

static void lookup_validate_database(const struct lookup_cfg *cfg, struct leat_diag *d)
{
    const char *param = cfg->query ? "query" : "table";
    if (!lookup_sqlite_library())
        d->error(
            d, param,
            "this leat was built without SQLite: install libsqlite3-dev and build it again, or "
            "write the rows to a CSV file with sqlite3 -csv -header");
    if (strcmp(cfg->delimiter, ",") != 0)
        d->error(d, "delimiter",
                 "applies only to CSV files, and %s only to databases: leave out one of the two",
                 param);
    if (cfg->encoding)
        d->error(d, "encoding",
                 "applies only to CSV files, and %s only to databases: leave out one of the two",
                 param);
}

static int lookup_validate(const void *config, struct leat_diag *d)
{
    const struct lookup_cfg *cfg = config;
    if (lookup_wants_database(cfg)) lookup_validate_database(cfg, d);
    if (!lookup_delimiter(cfg) || (cfg->delimiter[1] && strcmp(cfg->delimiter, "\\t")) ||
        lookup_delimiter(cfg) == '"')
        d->error(d, "delimiter", "'%s' must be one character other than a quote, such as ';'",
                 cfg->delimiter);
    if (!cfg->columns.n) d->error(d, "columns", "is empty: name columns of the file");
    return LEAT_OK;
}

/* Types in which the stage reads the key's column. Booleans and times are read as texts. */
enum { TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 };

static bool lookup_is_taken(const struct leat_negotiation *n, const char *name)
{
    for (uint32_t i = 0; i < n->in->n_columns; i++)
        if (!strcmp(n->in->column[i].name, name)) return true;
    return false;
}

static int lookup_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct lookup_cfg *cfg = config;
    char name[NAME_BYTES];
    uint32_t index;
    int status = n->column(n, "key", cfg->key, TAKES, &index);
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        int len = snprintf(name, sizeof name, "%s%s", cfg->prefix, cfg->columns.v[i]);
        if (len >= NAME_BYTES) {
            n->diag->error(n->diag, "columns", "'%.40s…' is too long: a name has at most %d bytes",
                           name, NAME_BYTES - 1);
            status = LEAT_EARG;
        } else if (lookup_is_taken(n, name)) {
            n->diag->error(n->diag, "columns",
                           "the records already have a column '%s': give the new columns a prefix, "
                           "such as prefix = \"file_\"",
                           name);
            status = LEAT_EARG;
        } else if (n->add_column(n, name, (size_t)len, LEAT_TEXT, NULL) < 0) {
            status = LEAT_EARG;
        }
    }
    n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = (uint32_t)cfg->text_bytes});
    return status;
}

static int lookup_plan(const void *config, const struct leat_schema *in,
                       const struct leat_schema *out, struct leat_plan *p)
{
    const struct lookup_cfg *cfg = config;
    p->state_bytes = (uint64_t)cfg->memory * (cfg->reload ? 2 : 1);
    p->work_bytes = lookup_reading_bytes(cfg);
    return LEAT_OK;
}

/* ---- open and close ---- */

static void close_lookup(struct leat_ctx *ctx, void *self) { lookup_free(ctx, self); }

static bool lookup_read_first(struct leat_ctx *ctx, struct lookup *st)
{
    bool locked;
    return st->is_database ? lookup_read_database(ctx, &st->table, LOCK_MS, &st->file, &locked)
                           : lookup_read_csv(ctx, &st->table, &st->reading, &st->file);
}

/* Warns of parameters for CSV if the file is a database, on which they have no effect. `path` may
 * then name the wrong file, because the contents decide whether the file is a database. */
static void lookup_warn_unused(struct leat_ctx *ctx, const struct lookup *st)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    if (!st->is_database || ctx->lane) return;
    if (strcmp(cfg->delimiter, ",") != 0 || cfg->encoding)
        ctx->host->log(ctx, LEAT_WARN, "path = '%s' is a database: %s is not used", cfg->path,
                       cfg->encoding ? "encoding" : "delimiter");
}

static int open_lookup(struct leat_ctx *ctx, void *self)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    struct lookup *st = self;
    char line[40];
    int status = LEAT_OK;
    st->key = columns_known(ctx, cfg->key, TAKES);
    st->first = ctx->in->n_columns;
    st->is_database = lookup_wants_database(cfg) || lookup_sqlite_is_one(cfg->path);
    if (!lookup_alloc(ctx, st))
        status = ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the file");
    else if (!lookup_read_first(ctx, st))
        status = ctx->host->fail(ctx, LEAT_EDATA, "path = '%s'%s: %s", cfg->path,
                                 lookup_line(&st->table, line), st->table.why);
    if (status != LEAT_OK)
        lookup_free(ctx, st);
    else if (!cfg->reload)
        lookup_free_reading(ctx, &st->reading);
    if (status != LEAT_OK) return status;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_INFO, "path = '%s' was read: %u rows", cfg->path, st->table.rows);
    lookup_warn_unused(ctx, st);
    lookup_warn(ctx, st);
    return LEAT_OK;
}

static int lookup_stop(struct leat_ctx *ctx, void *self)
{
    const struct lookup *st = self;
    if (!((const struct lookup_cfg *)ctx->cfg)->reload) return LEAT_OK;
    ctx->host->metric(ctx, "reloaded", (double)st->reloaded);
    ctx->host->metric(ctx, "unusable_files", (double)st->unusable);
    return LEAT_OK;
}

/* ---- records ---- */

/* Returns the record's key as text; NULL if it has none. `digits` is a buffer for the text of a
 * number. */
static const char *lookup_key_text(const struct leat_ctx *ctx, const struct lookup *st,
                                   const struct leat_batch *b, uint32_t r, char *digits, size_t *n)
{
    union leat_cells cells = b->column[st->key];
    if (ctx->in->column[st->key].type == LEAT_NUMBER) {
        *n = isnan(cells.number[r]) ? 0 : text_format_double(digits, cells.number[r]);
        return *n ? digits : NULL;
    }
    if (ctx->in->column[st->key].type == LEAT_INT64) {
        *n = cells.int64[r] == LEAT_NO_INT64 ? 0 : text_format_int(digits, cells.int64[r]);
        return *n ? digits : NULL;
    }
    *n = cells.text[r].len;
    return cells.text[r].len == LEAT_NULL ? NULL : leat_text(b, cells.text[r]);
}

/* Copies the row's cells to the batch, one after another, and sets *off to the first. Returns false
 * if there is no room. */
static bool lookup_copy_row(struct lookup *st, struct leat_batch *b, uint32_t row, uint32_t *off)
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

static void lookup_set_cells(const struct lookup *st, struct leat_batch *b, uint32_t r,
                             uint32_t row, uint32_t off)
{
    for (uint32_t i = 0; i < st->table.columns; i++) {
        uint32_t len = row == LOOKUP_NONE ? LEAT_NULL : lookup_table_cells(&st->table, row)[i].len;
        b->column[st->first + i].text[r] = (struct leat_str){off, len};
        off += len == LEAT_NULL ? 0 : len;
    }
}

static void lookup_miss(struct leat_ctx *ctx, struct lookup *st, struct leat_batch *b, uint32_t r,
                        const char *key, size_t n)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    lookup_misses_add(&st->misses, key, n);
    if (cfg->missing == FILTER)
        leat_filter(b, r);
    else if (cfg->missing == REJECT && !key)
        ctx->host->reject(ctx, b, r, LEAT_R_UNMATCHED, "column '%s' is empty", cfg->key);
    else if (cfg->missing == REJECT)
        ctx->host->reject(ctx, b, r, LEAT_R_UNMATCHED, "column '%s': '%.*s%s' is not in %s",
                          cfg->key, (int)(n > LOOKUP_SHOWN ? LOOKUP_SHOWN : n), key,
                          n > LOOKUP_SHOWN ? "…" : "", cfg->path);
    lookup_set_cells(st, b, r, LOOKUP_NONE, 0);
}

static void lookup_look_up(struct leat_ctx *ctx, struct lookup *st, struct leat_batch *b,
                           uint32_t r)
{
    char digits[TEXT_NUMBER];
    size_t n;
    uint32_t off;
    const char *key = lookup_key_text(ctx, st, b, r, digits, &n);
    uint32_t row = key ? lookup_table_find(&st->table, key, n) : LOOKUP_NONE;
    if (row == LOOKUP_NONE)
        lookup_miss(ctx, st, b, r, key, n);
    else if (lookup_copy_row(st, b, row, &off))
        lookup_set_cells(st, b, r, row, off);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the values: make text_bytes larger");
}

static int lookup_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lookup *st = self;
    st->batch++;
    st->asked += b->n_sel;
    for (LEAT_EACH_RECORD(b, r))
        lookup_look_up(ctx, st, b, r);
    return LEAT_OK;
}

static void lookup_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    const struct lookup *first = self[0];
    struct lookup_missed all = {.path = cfg->path,
                                .key = cfg->key,
                                .file_key = cfg->file_key ? cfg->file_key : cfg->key,
                                .table = &first->table};
    bool told = false;
    for (uint32_t i = 0; i < lanes; i++) {
        const struct lookup *st = self[i];
        all.asked += st->asked;
        all.n += st->misses.n;
    }
    for (uint32_t i = 0; i < lanes && !told; i++)
        told = lookup_misses_near(ctx, &((struct lookup *)self[i])->misses, &all);
    if (!told) lookup_misses_tell(ctx, &first->misses, &all);
}

static const struct leat_figure lookup_figures[] = {
    {"reloaded", "1", "times that the table was read again", LEAT_COUNTER},
    {"unusable_files", "files", "changed files that could not be read, so the former table stayed",
     LEAT_COUNTER},
};

/* ---- reading a changed file ---- */

/* SETTLED_MS: a file is complete if it has not changed for that time. REST: a database that changes
 * all the time is read during at most 1/REST of the time. */
enum { SETTLED_MS = 1000, REST = 10 };

/* True if the last change is at least SETTLED_MS ago. Otherwise the file may still be written. */
static bool lookup_is_settled(const struct lookup_file *file)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (now.tv_sec - file->modified.tv_sec) * (int64_t)1000 +
                  (now.tv_nsec - file->modified.tv_nsec) / 1000000;
    return age < 0 || age >= SETTLED_MS;
}

static void lookup_swap_tables(struct leat_ctx *ctx, struct lookup *st)
{
    struct lookup_table old = st->table;
    st->table = st->next;
    st->next = old;
    st->reloaded++;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_INFO, "path = '%s' has changed and was read again: %u rows",
                       ((const struct lookup_cfg *)ctx->cfg)->path, st->table.rows);
    lookup_warn(ctx, st);
}

static void lookup_keep_table(struct leat_ctx *ctx, struct lookup *st)
{
    char line[40];
    st->unusable++;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_WARN, "path = '%s'%s: %s; the former table stays in use",
                       ((const struct lookup_cfg *)ctx->cfg)->path, lookup_line(&st->next, line),
                       st->next.why);
}

static void lookup_take_csv(struct leat_ctx *ctx, struct lookup *st, const struct lookup_file *file)
{
    if (!lookup_is_settled(file) && file->inode) return;
    bool good = lookup_read_csv(ctx, &st->next, &st->reading, &st->file);
    struct lookup_file now = lookup_file_now(((const struct lookup_cfg *)ctx->cfg)->path, false);
    if (good && !lookup_same_file(&now, &st->file))
        return; /* the file changed while it was read,
                                                             * so it is read again later */
    if (good)
        lookup_swap_tables(ctx, st);
    else if (!ctx->host->stopping(ctx))
        lookup_keep_table(ctx, st);
}

static void lookup_tell_locked(struct leat_ctx *ctx, struct lookup *st)
{
    if (!st->told_locked && !ctx->lane)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s' %s; it is tried again each second, and meanwhile the former "
                       "table stays in use",
                       ((const struct lookup_cfg *)ctx->cfg)->path, st->next.why);
    st->told_locked = true;
}

/* Reads a changed database. Does not wait until it is settled, because a transaction reads a
 * consistent state. */
static void lookup_take_database(struct leat_ctx *ctx, struct lookup *st)
{
    struct lookup_file file;
    bool locked;
    uint64_t from = clock_ns();
    if (from < st->rest_until_ns) return;
    bool good = lookup_read_database(ctx, &st->next, 0, &file, &locked);
    st->rest_until_ns = clock_ns() + REST * (clock_ns() - from);
    if (!good && ctx->host->stopping(ctx)) return;
    if (locked) {
        lookup_tell_locked(ctx, st);
        return;
    }
    st->file = file;
    st->told_locked = false;
    if (good)
        lookup_swap_tables(ctx, st);
    else
        lookup_keep_table(ctx, st);
}

static int lookup_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    struct lookup *st = self;
    if (!cfg->reload) return LEAT_OK;
    struct lookup_file file = lookup_file_now(cfg->path, st->is_database);
    if (lookup_same_file(&file, &st->file)) return LEAT_OK;
    if (st->is_database)
        lookup_take_database(ctx, st);
    else
        lookup_take_csv(ctx, st, &file);
    return LEAT_OK;
}

const struct leat_stage shape_lookup = {
    .name = "shape.lookup",
    .summary = "a join: adds columns of a CSV file or a database, by a key",
    .doc = lookup_doc,
    .example = "leat.shape.lookup { path = \"hosts.csv\", key = \"ip\", columns = { \"owner\", "
               "\"site\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(lookup_params, struct lookup_cfg),
    LEAT_FIGURES(lookup_figures),
    LEAT_INSTANCE(struct lookup, open_lookup, close_lookup),
    .validate = lookup_validate,
    .negotiate = lookup_negotiate,
    .plan = lookup_plan,
    .process = lookup_process,
    .tick = lookup_tick,
    .stop = lookup_stop,
    .finish = lookup_finish,
};
