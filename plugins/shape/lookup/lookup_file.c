/* lookup_file.c -- implementation of lookup.h: reads CSV files, and detects changed files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/utf8.h"
#include "lookup.h"
#include "lookup_sqlite.h"
#include "common/inputs/decoder.h"
#include "kernels/text/csv.h"
#include "kernels/text/tsv.h"
#include "core/text/framing.h"

enum { LEAST_READ = 8 /* smallest buffer that stream_read accepts */ };

/* ---- CSV ---- */

/* The CSV kernels find the fields. Rows are written behind the text while the text is parsed. When
 * all rows are known, marks and slots are placed behind the rows. */

enum { FIELDS_MAX = LOOKUP_NAMES_MAX };

/* ---- the header line ---- */

struct lookup_csv_reader {
    struct framing framing;
    struct csv_dialect dialect;
    size_t at;
    struct csv_field field[FIELDS_MAX];
    uint32_t lines;  /* number of lines of the last record */
    uint32_t fields; /* number of fields of the header */
    uint32_t key;    /* index of the key's field */
    uint32_t column[FIELDS_MAX];
};

/* Reads the next record that is not empty. Returns false at the end. After an error, sets *wrong
 * and returns false. */
static bool lookup_csv_next_record(struct lookup_table *t, struct lookup_csv_reader *r,
                                   char **record, uint32_t *fields, bool *wrong)
{
    struct framing_cut cut;
    uint32_t at;
    *wrong = false;
    do {
        t->line += r->lines;
        enum framing_result got =
            framing_next(&r->framing, t->text + r->at, t->n_text - r->at, true, &cut);
        if (got == FRAMING_MORE) return false;
        *wrong = got != FRAMING_RECORD;
        if (*wrong) return lookup_table_fail(t, "a quote is never closed");
        *record = t->text + r->at;
        r->at += cut.used;
        r->lines = cut.lines;
    } while (!cut.len);
    *wrong = csv_split(&r->dialect, *record, (uint32_t)cut.len, r->field, FIELDS_MAX, fields,
                       &at) != CSV_OK;
    if (*wrong) return lookup_table_fail(t, "a quote is wrong at byte %u", at + 1);
    return true;
}

/* Unescapes a field in place; unescaping never lengthens a text. */
static struct leat_str lookup_csv_unescape(struct lookup_table *t,
                                           const struct lookup_csv_reader *r, char *record,
                                           const struct csv_field *f)
{
    char *p = record + f->off;
    uint32_t len = f->len, put = 0;
    int64_t other;
    if (!r->dialect.quote) {
        len = tsv_is_null(p, len) ? 0 : tsv_undo(p, len, p, &other);
        return (struct leat_str){(uint32_t)(p - t->text), len};
    }
    for (uint32_t i = 0; f->doubled && i < len; i++) {
        p[put++] = p[i];
        i += p[i] == '"' && i + 1 < len;
    }
    return (struct leat_str){(uint32_t)(p - t->text), f->doubled ? put : len};
}

/* Appends to t->why a probable reason why the header lacks the key. Returns false. */
static bool advise(struct lookup_table *t, const struct lookup_list *heading)
{
    size_t n = strlen(t->why), room = sizeof t->why - n;
    const char *name = t->text + heading->name[0].off, *c = NULL;
    for (const char *d = ";\t|"; heading->n == 1 && *d && !c; d++)
        c = memchr(name, *d, heading->name[0].len);
    if (c)
        snprintf(t->why + n, room, ": if '%s' separates them, set delimiter = \"%s\"",
                 *c == '\t' ? "\\t" : (char[]){*c, 0}, *c == '\t' ? "\\t" : (char[]){*c, 0});
    else if (!strstr(t->why, "did you mean"))
        snprintf(t->why + n, room, ": set file_key to the column of the file that holds the keys");
    return false;
}

static bool lookup_csv_read_heading(struct lookup_table *t, struct lookup_csv_reader *r,
                                    const struct lookup_names *names)
{
    struct lookup_list heading = {.what = "column"};
    char *record;
    bool wrong;
    if (t->n_text >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3)) r->at = 3;
    t->line = 1;
    if (!lookup_csv_next_record(t, r, &record, &r->fields, &wrong))
        return wrong ? false
                     : lookup_table_fail(t, "is empty, and its first line must name the columns");
    if (r->fields > FIELDS_MAX) return lookup_table_fail(t, "has more than %d columns", FIELDS_MAX);
    for (; heading.n < r->fields; heading.n++)
        heading.name[heading.n] = lookup_csv_unescape(t, r, record, &r->field[heading.n]);
    if (!lookup_table_named(t, &heading, names->key, &r->key)) return advise(t, &heading);
    for (uint32_t i = 0; i < names->columns->n; i++)
        if (!lookup_table_named(t, &heading, names->columns->v[i], &r->column[i])) return false;
    return true;
}

/* ---- rows ---- */

static void lookup_csv_add_row(struct lookup_table *t, const struct lookup_csv_reader *r,
                               char *record)
{
    struct leat_str *row = t->row + (size_t)t->rows++ * (1 + t->columns);
    row[0] = lookup_csv_unescape(t, r, record, &r->field[r->key]);
    for (uint32_t i = 0; i < t->columns; i++) {
        const struct csv_field *f = &r->field[r->column[i]];
        row[1 + i] = r->column[i] == r->key ? row[0] : lookup_csv_unescape(t, r, record, f);
        if (!row[1 + i].len) row[1 + i].len = LEAT_NULL;
    }
}

static bool lookup_csv_read_rows(struct lookup_table *t, struct lookup_csv_reader *r)
{
    char *record;
    uint32_t fields;
    bool wrong;
    while (lookup_csv_next_record(t, r, &record, &fields, &wrong)) {
        if (fields != r->fields)
            return lookup_table_fail(t, "has %u field%s, and the heading has %u", fields,
                                     fields == 1 ? "" : "s", r->fields);
        if (lookup_table_align(t->n_text) + (t->rows + 1) * lookup_table_row_bytes(t) > t->bytes)
            return lookup_table_full(t);
        lookup_csv_add_row(t, r, record);
    }
    return !wrong;
}

/* Fills t from the text t->text[0 .. n_text) in a block of t->bytes. An empty cell becomes missing.
 * On failure, returns false with the reason and a remedy in t->why. */
static bool lookup_csv_fill(struct lookup_table *t, const struct lookup_names *names,
                            char delimiter)
{
    const char quote = delimiter == '\t' ? '\0' : '"';
    struct lookup_csv_reader r = {.dialect = {delimiter, quote, NULL, false}};
    framing_init(&r.framing, FRAMING_CSV, delimiter, quote, false, UINT32_MAX - 2);
    t->columns = names->columns->n;
    t->rows = 0;
    if (lookup_table_align(t->n_text) > t->bytes) return lookup_table_full(t);
    t->row = (struct leat_str *)(t->text + lookup_table_align(t->n_text));
    if (!lookup_csv_read_heading(t, &r, names) || !lookup_csv_read_rows(t, &r)) return false;
    t->line = 0;
    return lookup_table_place(t);
}

/* ---- the file and its version ---- */

char lookup_delimiter(const struct lookup_cfg *cfg)
{
    return !strcmp(cfg->delimiter, "\\t") ? '\t' : *cfg->delimiter;
}

uint64_t lookup_reading_bytes(const struct lookup_cfg *cfg)
{
    if (lookup_wants_database(cfg) || lookup_sqlite_is_one(cfg->path)) return LOOKUP_SQLITE_BYTES;
    return STREAM_RAW_BYTES + sizeof(struct stream) + decoder_plan_bytes(cfg->path, NULL, 0) +
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

/* Returns the identity and version of the file with the status st. */
static struct lookup_file lookup_file_state_of(const struct stat *st)
{
    return (struct lookup_file){
        .device = st->st_dev, .inode = st->st_ino, .bytes = st->st_size, .modified = st->st_mtim};
}

/* Adds the write-ahead log to a file's version, because changes may stay in the log for long. */
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

/* Opens the file. Refuses a pipe, because opening it would wait for a writer. */
static bool lookup_file_open_file(const char *path, struct lookup_table *t, struct stream *s,
                                  char *raw, struct input *input, struct lookup_file *file)
{
    struct stat st;
    *file = (struct lookup_file){.bytes = 0};
    if (stat(path, &st)) return lookup_file_refuse_file(t, strerror(errno));
    *file = lookup_file_state_of(&st);
    if (!S_ISREG(st.st_mode)) return lookup_file_refuse_file(t, "it is not a regular file");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *input = (struct input){.path = path, .name = path, .window = decoder_plan_window(fd, 0)};
    if (fd >= 0) close(fd);
    return stream_open(s, input, raw) != STREAM_FAILED || lookup_file_refuse_file(t, s->why);
}

static struct lookup_names lookup_file_names_of(const struct lookup_cfg *cfg)
{
    return (struct lookup_names){cfg->file_key ? cfg->file_key : cfg->key, &cfg->columns};
}

/* Notes the first byte that is not UTF-8, before lookup_csv_fill() changes the text. */
static void lookup_file_find_foreign(struct lookup_table *t)
{
    const unsigned char *text = (const unsigned char *)t->text;
    uint64_t line = 1;
    size_t at = 0, n = 1;
    for (; at < t->n_text && (n = utf8_length(text + at, t->n_text - at)); at += n)
        line += text[at] == '\n';
    t->foreign_line = n ? 0 : line;
    t->foreign_byte = n ? 0 : text[at];
}

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
    /* the stream refuses a database, with advice that is not for this stage */
    bool is_database =
        lookup_sqlite_begins((const char *)reading->stream->first, reading->stream->n_first);
    stream_close(reading->stream);
    if (is_database)
        return lookup_file_refuse_file(
            t, lookup_sqlite_is_one(cfg->path)
                   ? "is now a SQLite database, and was a CSV file when the run began: start again"
                   : "is a compressed SQLite database: decompress it first");
    if (whole) lookup_file_find_foreign(t);
    return whole && lookup_csv_fill(t, &names, lookup_delimiter(cfg));
}

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
    if (!S_ISREG(st.st_mode)) return lookup_file_refuse_file(t, "it is not a regular file");
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

/* Warns of text that is not UTF-8. It is displayed wrongly, and as a key it does not match UTF-8
 * text. */
static void lookup_file_warn_foreign_csv(struct leat_ctx *ctx, const struct lookup_table *t)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    if (t->foreign_line && !cfg->encoding)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s', line %llu: the text is not UTF-8 (byte 0x%02x): set encoding, "
                       "such as \"latin-1\" or \"windows-1252\"",
                       cfg->path, (unsigned long long)t->foreign_line, t->foreign_byte);
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
    ctx->host->log(ctx, LEAT_WARN,
                   "path = '%s': the text in the row of key '%.*s' is not UTF-8: write the "
                   "database again with UTF-8 text",
                   ((const struct lookup_cfg *)ctx->cfg)->path,
                   (int)(key.len > LOOKUP_SHOWN ? LOOKUP_SHOWN : key.len), t->text + key.off);
}

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
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s': rows that are not used because an earlier row has the same "
                       "key: %llu, for example that of '%.*s'",
                       cfg->path, (unsigned long long)t->repeated,
                       (int)(twice.len > LOOKUP_SHOWN ? LOOKUP_SHOWN : twice.len),
                       t->text + twice.off);
    if (t->keyless)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s': rows that are not used because their key is NULL: %llu",
                       cfg->path, (unsigned long long)t->keyless);
}
