/* lookup_file.c -- reads the file of shape.lookup, see lookup_inside.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/utf8.h"
#include "lookup_csv.h"
#include "lookup_inside.h"
#include "lookup_sqlite.h"
#include "common/inputs/decoder.h"

enum { LEAST_READ = 8 /* bytes that stream_read wants */ };

char lookup_delimiter(const struct lookup_cfg *cfg)
{
    return !strcmp(cfg->delimiter, "\\t") ? '\t' : *cfg->delimiter;
}

uint64_t lookup_reading_bytes(const struct lookup_cfg *cfg)
{
    if (lookup_wants_database(cfg) || lookup_sqlite_is_one(cfg->path)) return LOOKUP_SQLITE_BYTES;
    return STREAM_RAW_BYTES + sizeof(struct stream) + decoder_plan_bytes(cfg->path, 0) +
           (cfg->encoding ? sizeof(struct stream_coded) : 0);
}

void lookup_free_reading(struct leat_ctx *ctx, struct lookup_reading *r)
{
    ctx->host->free(ctx, r->raw);
    ctx->host->free(ctx, r->stream);
    ctx->host->free(ctx, r->coded);
    *r = (struct lookup_reading){NULL, NULL, NULL};
}

void lookup_free(struct leat_ctx *ctx, struct lookup *st)
{
    lookup_free_reading(ctx, &st->reading);
    ctx->host->free(ctx, st->table.text);
    ctx->host->free(ctx, st->next.text);
}

static bool lookup_file_has_memory_to_read(struct leat_ctx *ctx, struct lookup_reading *r)
{
    bool coded = ((const struct lookup_cfg *)ctx->cfg)->encoding;
    r->raw = ctx->host->alloc(ctx, STREAM_RAW_BYTES);
    r->stream = ctx->host->alloc(ctx, sizeof *r->stream);
    r->coded = coded ? ctx->host->alloc(ctx, sizeof *r->coded) : NULL;
    return r->raw && r->stream && (r->coded || !coded);
}

bool lookup_alloc(struct leat_ctx *ctx, struct lookup *st)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    st->table.bytes = st->next.bytes = (size_t)cfg->memory;
    st->table.text = ctx->host->alloc(ctx, st->table.bytes);
    st->next.text = cfg->reload ? ctx->host->alloc(ctx, st->next.bytes) : NULL;
    return st->table.text && (st->next.text || !cfg->reload) &&
           (st->is_database || lookup_file_has_memory_to_read(ctx, &st->reading));
}

static bool lookup_file_read_all(struct leat_ctx *ctx, struct stream *s, struct lookup_table *t)
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

static bool lookup_file_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool lookup_same_file(const struct lookup_file *a, const struct lookup_file *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->log_bytes == b->log_bytes && lookup_file_same_time(&a->modified, &b->modified) &&
           lookup_file_same_time(&a->log_modified, &b->log_modified);
}

/* Of none: all zero. */
static struct lookup_file lookup_file_state_of(const struct stat *st)
{
    return (struct lookup_file){
        .device = st->st_dev, .inode = st->st_ino, .bytes = st->st_size, .modified = st->st_mtim};
}

/* Changes of a database may lie in its write-ahead log for long. */
static void lookup_file_add_log(const char *path, struct lookup_file *file)
{
    struct stat st;
    char log[PATH_MAX + 8];
    if (!realpath(path, log) || stat(strcat(log, "-wal"), &st)) return;
    file->log_bytes = st.st_size;
    file->log_modified = st.st_mtim;
}

struct lookup_file lookup_file_now(const char *path, bool is_database)
{
    struct stat st;
    struct lookup_file file = {.bytes = 0};
    if (stat(path, &st)) return file;
    file = lookup_file_state_of(&st);
    if (is_database) lookup_file_add_log(path, &file);
    return file;
}

static bool lookup_file_refuse_file(struct lookup_table *t, const char *why)
{
    t->line = 0;
    snprintf(t->why, sizeof t->why, "%.380s", why);
    return false;
}

/* Opens the file, which is no pipe, as that would wait for its writer. */
static bool lookup_file_open_file(const char *path, struct lookup_table *t, struct stream *s,
                                  char *raw, struct input *input, struct lookup_file *file)
{
    struct stat st;
    *file = (struct lookup_file){.bytes = 0};
    if (stat(path, &st)) return lookup_file_refuse_file(t, strerror(errno));
    *file = lookup_file_state_of(&st);
    if (!S_ISREG(st.st_mode)) return lookup_file_refuse_file(t, "it is no regular file");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *input = (struct input){.path = path, .name = path, .window = decoder_plan_window(fd, 0)};
    if (fd >= 0) close(fd);
    return stream_open(s, input, raw) != STREAM_FAILED || lookup_file_refuse_file(t, s->why);
}

static struct lookup_names lookup_file_names_of(const struct lookup_cfg *cfg)
{
    return (struct lookup_names){cfg->file_key ? cfg->file_key : cfg->key, &cfg->columns};
}

/* The table of a CSV file as it is now; false: t->why. */
bool lookup_read_csv(struct leat_ctx *ctx, struct lookup_table *t,
                     const struct lookup_reading *reading, struct lookup_file *file)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    const struct lookup_names names = lookup_file_names_of(cfg);
    struct input input;
    t->n_text = 0;
    t->line = 0;
    if (!lookup_file_open_file(cfg->path, t, reading->stream, reading->raw, &input, file))
        return false;
    if (cfg->encoding)
        stream_is_coded(reading->stream, reading->coded, (enum recode_from)cfg->encoding);
    bool whole = lookup_file_read_all(ctx, reading->stream, t);
    stream_close(reading->stream);
    if (whole && lookup_sqlite_begins(t->text, t->n_text))
        return lookup_file_refuse_file(
            t, lookup_sqlite_is_one(cfg->path)
                   ? "is a database of SQLite now, and was a CSV file when the run "
                     "began: start again"
                   : "is a compressed database of SQLite: decompress it first");
    return whole && lookup_csv_fill(t, &names, lookup_delimiter(cfg));
}

/* The same of a database. */
bool lookup_read_database(struct leat_ctx *ctx, struct lookup_table *t, int wait_ms,
                          struct lookup_file *file, bool *locked)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    const struct lookup_source from = {cfg->path, cfg->table, cfg->query,
                                       lookup_file_names_of(cfg)};
    struct stat st;
    *locked = false;
    *file = lookup_file_now(cfg->path, true);
    if (stat(cfg->path, &st)) return lookup_file_refuse_file(t, strerror(errno));
    if (!S_ISREG(st.st_mode)) return lookup_file_refuse_file(t, "it is no regular file");
    return lookup_sqlite_fill(ctx, t, &from, wait_ms, locked);
}

const char *lookup_line(const struct lookup_table *t, char text[40])
{
    if (t->line)
        snprintf(text, 40, ", line %llu", (unsigned long long)t->line);
    else
        *text = '\0';
    return text;
}

/* What is no UTF-8 looks wrong wherever it is shown, and as a key it is not that of other text. */
static void lookup_file_warn_foreign_csv(struct leat_ctx *ctx, const struct lookup_table *t)
{
    const struct lookup_cfg *cfg = ctx->cfg;
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

static bool lookup_file_is_foreign(const struct lookup_table *t, struct leat_str s)
{
    size_t at = 0, n = 1;
    while (s.len != LEAT_NULL && at < s.len &&
           (n = utf8_length((const unsigned char *)t->text + s.off + at, s.len - at)))
        at += n;
    return !n;
}

static void lookup_file_warn_foreign_row(struct leat_ctx *ctx, const struct lookup_table *t)
{
    const struct leat_str *cell = t->row, *end = t->row + (size_t)t->rows * (1 + t->columns);
    while (cell < end && !lookup_file_is_foreign(t, *cell))
        cell++;
    if (cell == end) return;
    struct leat_str key = t->row[(cell - t->row) / (1 + t->columns) * (1 + t->columns)];
    ctx->host->log(
        ctx, LEAT_WARN,
        "path = '%s': in the row of key '%.*s' the text is not UTF-8: write the database "
        "anew with text that is",
        ((const struct lookup_cfg *)ctx->cfg)->path,
        (int)(key.len > LOOKUP_SHOWN ? LOOKUP_SHOWN : key.len), t->text + key.off);
}

/* What is strange in it, and no error. */
void lookup_warn(struct leat_ctx *ctx, const struct lookup *st)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    const struct lookup_table *t = &st->table;
    if (ctx->lane) return;
    if (st->is_database)
        lookup_file_warn_foreign_row(ctx, t);
    else
        lookup_file_warn_foreign_csv(ctx, t);
    struct leat_str twice =
        t->repeated ? lookup_table_cells(t, t->repeats)[-1] : (struct leat_str){0};
    if (t->repeated)
        ctx->host->log(
            ctx, LEAT_WARN,
            "path = '%s': rows that are not used, as an earlier one has their key: %llu, "
            "such as that of '%.*s'",
            cfg->path, (unsigned long long)t->repeated,
            (int)(twice.len > LOOKUP_SHOWN ? LOOKUP_SHOWN : twice.len), t->text + twice.off);
    if (t->keyless)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s': rows that are not used, as their key is NULL: %llu", cfg->path,
                       (unsigned long long)t->keyless);
}
