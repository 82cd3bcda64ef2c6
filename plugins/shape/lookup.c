/* lookup.c -- shape.lookup: columns of a CSV file or of a SQLite database, by a key that records
 * have, too.
 *
 * The file is read in open, and with `reload` when it has changed, into memory of a fixed size.
 * What a row has is copied to a batch once, however many of its records have the key. */
#include <leat/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lookup_csv.h"
#include "lookup_misses.h"
#include "lookup_sqlite.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "report/text_out.h"
#include "shape/docs.h"
#include "support/columns.h"
#include "support/decoder_plan.h"
#include "support/inputs.h"
#include "support/stream.h"

enum missing { KEEP, REJECT, FILTER };
static const char *const missing_names[] = {"keep", "reject", "filter", NULL};
/* SETTLED_MS: a file that has not
 * changed for so long is whole. LEAST_READ: bytes that stream_read wants. LOCK_MS: to wait for a
 * database that another process writes to, before the run. REST: a database that changes all the
 * time is read for one part of the time in so many. */
enum { SHOWN = 40, NAME_BYTES = 512, SETTLED_MS = 1000, LEAST_READ = 8, LOCK_MS = 5000, REST = 10 };

struct cfg {
    const char *path, *table, *query, *key, *file_key, *prefix, *delimiter;
    struct leat_strings columns;
    int32_t missing, reload, encoding, reserved;
    int64_t memory, text_bytes;
};

/* Tells a file from another, and from what it was before. */
struct file_state {
    dev_t device;
    ino_t inode;
    off_t bytes, log_bytes; /* log: of a database, what it holds beside it */
    struct timespec modified, log_modified;
};

/* What reading the file takes, and with `reload` is kept for the next time. */
struct reading {
    char *raw;
    struct stream *stream;
    struct stream_coded *coded; /* NULL: the file is UTF-8 */
};

struct lookup {
    uint32_t key, first; /* columns: of the key, and the first that is made */
    bool is_database;    /* of SQLite; else CSV */
    bool told_locked;    /* of the file as it is now */
    uint64_t rest_until_ns;
    struct lookup_table table;
    struct lookup_table next; /* with `reload`: is filled, and takes the place of the other */
    struct reading reading;
    struct file_state file;      /* that was read last, well or not */
    uint64_t batch;              /* number of the batch, from 1 */
    uint64_t asked;              /* records */
    struct lookup_misses misses; /* of them */
    uint64_t reloaded, unusable; /* files that came during the run */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_PATH,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_READS_FILE | LEAT_READS_WHOLE,
               .doc = "a CSV file with a heading, which may be compressed, or a SQLite database"),
    LEAT_PARAM(struct cfg, key, LEAT_STRING, .flags = LEAT_REQUIRED,
               .doc = "the column of the records whose value is looked up"),
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS, .flags = LEAT_REQUIRED,
               .doc = "columns of the file that records get"),
    LEAT_PARAM(struct cfg, file_key, LEAT_STRING,
               .doc = "the file's column of keys, if it has another name than `key`"),
    LEAT_PARAM(struct cfg, table, LEAT_STRING,
               .doc = "of a database: which table or view; by default the only table"),
    LEAT_PARAM(struct cfg, query, LEAT_STRING, .replaces = "table",
               .doc = "of a database: the SELECT that gives the rows"),
    LEAT_PARAM(struct cfg, prefix, LEAT_STRING, .def = "",
               .doc = "goes before the names of the new columns"),
    LEAT_PARAM(struct cfg, missing, LEAT_CHOICE, .def = "keep", .choices = missing_names,
               .doc = "a record whose key is not in the file stays without values, is rejected, or "
                      "is filtered"),
    LEAT_PARAM(struct cfg, reload, LEAT_BOOL, .def = "false",
               .doc = "look each second whether the file has changed, and read it again; one that "
                      "cannot be read leaves the table as it is"),
    LEAT_PARAM(struct cfg, delimiter, LEAT_STRING, .def = ",",
               .doc = "the character between fields of the file"),
    INPUTS_ENCODING(offsetof(struct cfg, encoding)),
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

static bool wants_database(const struct cfg *cfg) { return cfg->table || cfg->query; }

static void validate_database(const struct cfg *cfg, struct leat_diag *d)
{
    const char *param = cfg->query ? "query" : "table";
    if (!lookup_sqlite_library())
        d->error(d, param,
                 "this leat was built without SQLite: build it with libsqlite3-dev, or write the "
                 "rows to a CSV file by sqlite3 -csv -header");
    if (strcmp(cfg->delimiter, ",") != 0)
        d->error(d, "delimiter", "is of CSV, and %s of a database: leave one of them out", param);
    if (cfg->encoding)
        d->error(d, "encoding", "is of CSV, and %s of a database: leave one of them out", param);
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    if (wants_database(cfg)) validate_database(cfg, d);
    if (!delimiter_of(cfg) || (cfg->delimiter[1] && strcmp(cfg->delimiter, "\\t")) ||
        delimiter_of(cfg) == '"')
        d->error(d, "delimiter", "'%s' must be one character that is no quote, such as ';'",
                 cfg->delimiter);
    if (!cfg->columns.n) d->error(d, "columns", "is empty: name columns of the file");
    return LEAT_OK;
}

/* Booleans and times are keys as text. */
enum { TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 };

static bool is_taken(const struct leat_negotiation *n, const char *name)
{
    for (uint32_t i = 0; i < n->in->n_columns; i++)
        if (!strcmp(n->in->column[i].name, name)) return true;
    return false;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    char name[NAME_BYTES];
    uint32_t index;
    int status = n->column(n, "key", cfg->key, TAKES, &index);
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        int len = snprintf(name, sizeof name, "%s%s", cfg->prefix, cfg->columns.v[i]);
        if (len >= NAME_BYTES) {
            n->diag->error(n->diag, "columns", "'%.40s…' is too long: a name has at most %d bytes",
                           name, NAME_BYTES - 1);
            status = LEAT_EARG;
        } else if (is_taken(n, name)) {
            n->diag->error(
                n->diag, "columns",
                "the records have a column '%s' already: give the file's another name by "
                "prefix, such as prefix = \"file_\"",
                name);
            status = LEAT_EARG;
        } else if (n->add_column(n, name, (size_t)len, LEAT_TEXT, NULL) < 0) {
            status = LEAT_EARG;
        }
    }
    n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = (uint32_t)cfg->text_bytes});
    return status;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->state_bytes = (uint64_t)cfg->memory * (cfg->reload ? 2 : 1);
    if (wants_database(cfg) || lookup_sqlite_is_one(cfg->path))
        p->work_bytes = LOOKUP_SQLITE_BYTES;
    else
        p->work_bytes = STREAM_RAW_BYTES + sizeof(struct stream) +
                        decoder_plan_bytes(cfg->path, 0) +
                        (cfg->encoding ? sizeof(struct stream_coded) : 0);
    return LEAT_OK;
}

/* ---- the file ---- */

static bool read_all(struct leat_ctx *ctx, struct stream *s, struct lookup_table *t)
{
    enum stream_status got = STREAM_TEXT;
    strcpy(t->why, "the run was stopped while the file was read");
    do {
        size_t n = 0;
        if (t->bytes - t->n_text < LEAST_READ) break;
        got = stream_read(ctx, s, t->text + t->n_text, t->bytes - t->n_text, true, &n);
        t->n_text += n;
    } while (got == STREAM_TEXT || got == STREAM_IDLE);
    bool full = t->bytes - t->n_text < LEAST_READ;
    if (full)
        snprintf(t->why, sizeof t->why, "does not fit into memory = %zu bytes: make memory larger",
                 t->bytes);
    else if (got == STREAM_FAILED)
        snprintf(t->why, sizeof t->why, "%.380s", s->why);
    return got == STREAM_END && !full;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_file(const struct file_state *a, const struct file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->log_bytes == b->log_bytes && same_time(&a->modified, &b->modified) &&
           same_time(&a->log_modified, &b->log_modified);
}

/* Of none: all zero. */
static struct file_state state_of(const struct stat *st)
{
    return (struct file_state){
        .device = st->st_dev, .inode = st->st_ino, .bytes = st->st_size, .modified = st->st_mtim};
}

/* Changes of a database may lie in its write-ahead log for long. */
static void add_log(const char *path, struct file_state *file)
{
    struct stat st;
    char log[PATH_MAX + 8];
    if (!realpath(path, log) || stat(strcat(log, "-wal"), &st)) return;
    file->log_bytes = st.st_size;
    file->log_modified = st.st_mtim;
}

static struct file_state state_now(const char *path, bool is_database)
{
    struct stat st;
    struct file_state file = {.bytes = 0};
    if (stat(path, &st)) return file;
    file = state_of(&st);
    if (is_database) add_log(path, &file);
    return file;
}

static bool refuse_file(struct lookup_table *t, const char *why)
{
    t->line = 0;
    snprintf(t->why, sizeof t->why, "%.380s", why);
    return false;
}

/* Opens the file, which is no pipe, as that would wait for its writer. */
static bool open_file(const char *path, struct lookup_table *t, struct stream *s, char *raw,
                      struct input *input, struct file_state *file)
{
    struct stat st;
    *file = (struct file_state){.bytes = 0};
    if (stat(path, &st)) return refuse_file(t, strerror(errno));
    *file = state_of(&st);
    if (!S_ISREG(st.st_mode)) return refuse_file(t, "it is no regular file");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *input = (struct input){.path = path, .name = path, .window = decoder_plan_window(fd, 0)};
    if (fd >= 0) close(fd);
    return stream_open(s, input, raw) != STREAM_FAILED || refuse_file(t, s->why);
}

static struct lookup_names names_of(const struct cfg *cfg)
{
    return (struct lookup_names){cfg->file_key ? cfg->file_key : cfg->key, &cfg->columns};
}

/* The table of a CSV file as it is now; false: t->why. */
static bool read_csv(struct leat_ctx *ctx, struct lookup_table *t, const struct reading *reading,
                     struct file_state *file)
{
    const struct cfg *cfg = ctx->cfg;
    const struct lookup_names names = names_of(cfg);
    struct input input;
    t->n_text = 0;
    t->line = 0;
    if (!open_file(cfg->path, t, reading->stream, reading->raw, &input, file)) return false;
    if (cfg->encoding)
        stream_is_coded(reading->stream, reading->coded, (enum recode_from)cfg->encoding);
    bool whole = read_all(ctx, reading->stream, t);
    stream_close(reading->stream);
    if (whole && lookup_sqlite_begins(t->text, t->n_text))
        return refuse_file(t, lookup_sqlite_is_one(cfg->path)
                                  ? "is a database of SQLite now, and was a CSV file when the run "
                                    "began: start again"
                                  : "is a compressed database of SQLite: decompress it first");
    return whole && lookup_csv_fill(t, &names, delimiter_of(cfg));
}

/* The same of a database. */
static bool read_database(struct leat_ctx *ctx, struct lookup_table *t, int wait_ms,
                          struct file_state *file, bool *locked)
{
    const struct cfg *cfg = ctx->cfg;
    const struct lookup_source from = {cfg->path, cfg->table, cfg->query, names_of(cfg)};
    struct stat st;
    *locked = false;
    *file = state_now(cfg->path, true);
    if (stat(cfg->path, &st)) return refuse_file(t, strerror(errno));
    if (!S_ISREG(st.st_mode)) return refuse_file(t, "it is no regular file");
    return lookup_sqlite_fill(ctx, t, &from, wait_ms, locked);
}

static const char *line_of(const struct lookup_table *t, char text[40])
{
    if (t->line)
        snprintf(text, 40, ", line %llu", (unsigned long long)t->line);
    else
        *text = '\0';
    return text;
}

/* What is no UTF-8 looks wrong wherever it is shown, and as a key it is not that of other text. */
static void warn_foreign_csv(struct leat_ctx *ctx, const struct lookup_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    const unsigned char *text = (const unsigned char *)t->text;
    unsigned long long lines = 1;
    size_t at = 0, n = 1;
    while (at < t->n_text && (n = utf8_length(text + at, t->n_text - at))) {
        lines += text[at] == '\n';
        at += n;
    }
    if (!n && !cfg->encoding)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s', line %llu: the text is not UTF-8 (byte 0x%02x): set encoding, "
                       "such as \"latin-1\" or \"windows-1252\"",
                       cfg->path, lines, text[at]);
}

static bool is_foreign(const struct lookup_table *t, struct leat_str s)
{
    size_t at = 0, n = 1;
    while (s.len != LEAT_NULL && at < s.len &&
           (n = utf8_length((const unsigned char *)t->text + s.off + at, s.len - at)))
        at += n;
    return !n;
}

static void warn_foreign_row(struct leat_ctx *ctx, const struct lookup_table *t)
{
    const struct leat_str *cell = t->row, *end = t->row + (size_t)t->rows * (1 + t->columns);
    while (cell < end && !is_foreign(t, *cell))
        cell++;
    if (cell == end) return;
    struct leat_str key = t->row[(cell - t->row) / (1 + t->columns) * (1 + t->columns)];
    ctx->host->log(
        ctx, LEAT_WARN,
        "path = '%s': in the row of key '%.*s' the text is not UTF-8: write the database "
        "anew with text that is",
        ((const struct cfg *)ctx->cfg)->path, (int)(key.len > SHOWN ? SHOWN : key.len),
        t->text + key.off);
}

/* What is strange in it, and no error. */
static void warn_of(struct leat_ctx *ctx, const struct lookup *st)
{
    const struct cfg *cfg = ctx->cfg;
    const struct lookup_table *t = &st->table;
    if (ctx->lane) return;
    if (st->is_database)
        warn_foreign_row(ctx, t);
    else
        warn_foreign_csv(ctx, t);
    struct leat_str twice =
        t->repeated ? lookup_table_cells(t, t->repeats)[-1] : (struct leat_str){0};
    if (t->repeated)
        ctx->host->log(
            ctx, LEAT_WARN,
            "path = '%s': rows that are not used, as an earlier one has their key: %llu, "
            "such as that of '%.*s'",
            cfg->path, (unsigned long long)t->repeated,
            (int)(twice.len > SHOWN ? SHOWN : twice.len), t->text + twice.off);
    if (t->keyless)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s': rows that are not used, as their key is NULL: %llu", cfg->path,
                       (unsigned long long)t->keyless);
}

/* ---- open and close ---- */

static void free_reading(struct leat_ctx *ctx, struct reading *r)
{
    ctx->host->free(ctx, r->raw);
    ctx->host->free(ctx, r->stream);
    ctx->host->free(ctx, r->coded);
    *r = (struct reading){NULL, NULL, NULL};
}

static void close_lookup(struct leat_ctx *ctx, void *self)
{
    struct lookup *st = self;
    free_reading(ctx, &st->reading);
    ctx->host->free(ctx, st->table.text);
    ctx->host->free(ctx, st->next.text);
}

static bool has_memory_to_read(struct leat_ctx *ctx, struct reading *r)
{
    bool coded = ((const struct cfg *)ctx->cfg)->encoding;
    r->raw = ctx->host->alloc(ctx, STREAM_RAW_BYTES);
    r->stream = ctx->host->alloc(ctx, sizeof *r->stream);
    r->coded = coded ? ctx->host->alloc(ctx, sizeof *r->coded) : NULL;
    return r->raw && r->stream && (r->coded || !coded);
}

static bool has_memory(struct leat_ctx *ctx, struct lookup *st)
{
    const struct cfg *cfg = ctx->cfg;
    st->table.bytes = st->next.bytes = (size_t)cfg->memory;
    st->table.text = ctx->host->alloc(ctx, st->table.bytes);
    st->next.text = cfg->reload ? ctx->host->alloc(ctx, st->next.bytes) : NULL;
    return st->table.text && (st->next.text || !cfg->reload) &&
           (st->is_database || has_memory_to_read(ctx, &st->reading));
}

static bool read_first(struct leat_ctx *ctx, struct lookup *st)
{
    bool locked;
    return st->is_database ? read_database(ctx, &st->table, LOCK_MS, &st->file, &locked)
                           : read_csv(ctx, &st->table, &st->reading, &st->file);
}

/* A database is known by itself, so these may have been meant for another file. */
static void warn_unused(struct leat_ctx *ctx, const struct lookup *st)
{
    const struct cfg *cfg = ctx->cfg;
    if (!st->is_database || ctx->lane) return;
    if (strcmp(cfg->delimiter, ",") != 0 || cfg->encoding)
        ctx->host->log(ctx, LEAT_WARN, "path = '%s' is a database: %s is not used", cfg->path,
                       cfg->encoding ? "encoding" : "delimiter");
}

static int open_lookup(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct lookup *st = self;
    char line[40];
    int status = LEAT_OK;
    st->key = columns_known(ctx, cfg->key, TAKES);
    st->first = ctx->in->n_columns;
    st->is_database = wants_database(cfg) || lookup_sqlite_is_one(cfg->path);
    if (!has_memory(ctx, st))
        status = ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the file");
    else if (!read_first(ctx, st))
        status = ctx->host->fail(ctx, LEAT_EDATA, "path = '%s'%s: %s", cfg->path,
                                 line_of(&st->table, line), st->table.why);
    if (status != LEAT_OK)
        close_lookup(ctx, st);
    else if (!cfg->reload)
        free_reading(ctx, &st->reading);
    if (status != LEAT_OK) return status;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_INFO, "path = '%s' was read: %u rows", cfg->path, st->table.rows);
    warn_unused(ctx, st);
    warn_of(ctx, st);
    return LEAT_OK;
}

/* ---- another file during the run ---- */

/* A file that is still being written has changed a moment ago. */
static bool is_settled(const struct file_state *file)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (now.tv_sec - file->modified.tv_sec) * (int64_t)1000 +
                  (now.tv_nsec - file->modified.tv_nsec) / 1000000;
    return age < 0 || age >= SETTLED_MS;
}

static void take_next(struct leat_ctx *ctx, struct lookup *st)
{
    struct lookup_table old = st->table;
    st->table = st->next;
    st->next = old;
    st->reloaded++;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_INFO, "path = '%s' has changed, and was read again: %u rows",
                       ((const struct cfg *)ctx->cfg)->path, st->table.rows);
    warn_of(ctx, st);
}

static void keep_table(struct leat_ctx *ctx, struct lookup *st)
{
    char line[40];
    st->unusable++;
    if (!ctx->lane)
        ctx->host->log(
            ctx, LEAT_WARN, "path = '%s'%s: %s; the table that was read before stays in use",
            ((const struct cfg *)ctx->cfg)->path, line_of(&st->next, line), st->next.why);
}

static void take_csv(struct leat_ctx *ctx, struct lookup *st, const struct file_state *file)
{
    if (!is_settled(file) && file->inode) return;
    bool good = read_csv(ctx, &st->next, &st->reading, &st->file);
    struct file_state now = state_now(((const struct cfg *)ctx->cfg)->path, false);
    if (good && !same_file(&now, &st->file)) return; /* changed while it was read */
    if (good)
        take_next(ctx, st);
    else if (!ctx->host->stopping(ctx))
        keep_table(ctx, st);
}

static void tell_locked(struct leat_ctx *ctx, struct lookup *st)
{
    if (!st->told_locked && !ctx->lane)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s' %s; it is tried again each second, and the table that was read "
                       "before stays in use",
                       ((const struct cfg *)ctx->cfg)->path, st->next.why);
    st->told_locked = true;
}

/* What is read is whole, so it need not have come to rest. */
static void take_database(struct leat_ctx *ctx, struct lookup *st)
{
    struct file_state file;
    bool locked;
    uint64_t from = clock_ns();
    if (from < st->rest_until_ns) return;
    bool good = read_database(ctx, &st->next, 0, &file, &locked);
    st->rest_until_ns = clock_ns() + REST * (clock_ns() - from);
    if (!good && ctx->host->stopping(ctx)) return;
    if (locked) {
        tell_locked(ctx, st);
        return;
    }
    st->file = file;
    st->told_locked = false;
    if (good)
        take_next(ctx, st);
    else
        keep_table(ctx, st);
}

/* Between two batches: each has the one table or the other. */
static int tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    const struct cfg *cfg = ctx->cfg;
    struct lookup *st = self;
    if (!cfg->reload) return LEAT_OK;
    struct file_state file = state_now(cfg->path, st->is_database);
    if (same_file(&file, &st->file)) return LEAT_OK;
    if (st->is_database)
        take_database(ctx, st);
    else
        take_csv(ctx, st, &file);
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    const struct lookup *st = self;
    if (!((const struct cfg *)ctx->cfg)->reload) return LEAT_OK;
    ctx->host->metric(ctx, "reloaded", (double)st->reloaded);
    ctx->host->metric(ctx, "unusable_files", (double)st->unusable);
    return LEAT_OK;
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
    if (ctx->in->column[st->key].type == LEAT_INT64) {
        *n = cells.int64[r] == LEAT_NO_INT64 ? 0 : text_format_int(digits, cells.int64[r]);
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
    lookup_misses_add(&st->misses, key, n);
    if (cfg->missing == FILTER)
        leat_filter(b, r);
    else if (cfg->missing == REJECT && !key)
        ctx->host->reject(ctx, b, r, LEAT_R_UNMATCHED, "column '%s' is empty", cfg->key);
    else if (cfg->missing == REJECT)
        ctx->host->reject(ctx, b, r, LEAT_R_UNMATCHED, "column '%s': '%.*s%s' is not in %s",
                          cfg->key, (int)(n > SHOWN ? SHOWN : n), key, n > SHOWN ? "…" : "",
                          cfg->path);
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

static const struct leat_figure figures[] = {
    {"reloaded", "1", "times that the table was read again", LEAT_COUNTER},
    {"unusable_files", "files", "changed files that could not be read, so the former table stayed",
     LEAT_COUNTER},
};

const struct leat_stage shape_lookup = {
    .name = "shape.lookup",
    .summary = "a join: adds columns of a CSV file or a database, by a key",
    .doc = lookup_doc,
    .example = "leat.shape.lookup { path = \"hosts.csv\", key = \"ip\", columns = { \"owner\", "
               "\"site\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct lookup, open_lookup, close_lookup),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .process = process,
    .tick = tick,
    .stop = stop,
    .finish = finish,
};
