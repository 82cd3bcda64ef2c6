/* lookup_sqlite.c -- implementation of lookup_sqlite.h: opens a database without writing, reads
 * rows.
 *
 * The options for opening a database depend on its journal and on the files next to it. With the
 * usual options, SQLite would create files next to a database with a write-ahead log (WAL), and
 * leave them there:
 *
 *     rollback journal              ro                      shared lock during the reading
 *     WAL, no other process         ro immutable            no lock; reads again if it changed
 *     WAL, -wal and -shm exist      ro readonly_shm         like other readers; writes no read mark
 *     WAL, only -wal exists (copy)  ro unix-none exclusive  index of the log in memory
 *
 * In the block, text grows from the beginning and rows grow from the end, because their sizes are
 * not known in advance:
 *
 *     text ->             <- row 2, row 1, row 0 */
#include "lookup_sqlite.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char lookup_sqlite_magic[16] = "SQLite format 3";

bool lookup_sqlite_begins(const char *text, size_t n)
{
    return n >= sizeof lookup_sqlite_magic &&
           !memcmp(text, lookup_sqlite_magic, sizeof lookup_sqlite_magic);
}

bool lookup_sqlite_is_one(const char *path)
{
    char first[sizeof lookup_sqlite_magic];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : pread(fd, first, sizeof first, 0);
    if (fd >= 0) close(fd);
    return n > 0 && lookup_sqlite_begins(first, (size_t)n);
}

#ifndef LEAT_SQLITE

const char *lookup_sqlite_library(void) { return NULL; }

bool lookup_sqlite_fill(struct leat_ctx *ctx, struct lookup_table *t,
                        const struct lookup_source *from, int wait_ms, bool *locked)
{
    *locked = false;
    t->line = 0;
    return lookup_table_fail(
        t, "is a SQLite database, and this leat was built without SQLite: install libsqlite3-dev "
           "and build it again, or write the table to a CSV file with sqlite3 -csv -header");
}

#else

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "core/time/clock.h"
#include "core/report/text_out.h"

enum {
    STEPS = 20000,         /* steps of SQLite's virtual machine between checks for a stop */
    VALUE_BYTES = 4 << 20, /* largest number of bytes of a value */
    PAUSE_NS = 5000000,
    TRIES = 3,
    HEADER_BYTES = 20, /* bytes of the database header; bytes 18 and 19: kind of journal */
    WAL = 2
};

struct lookup_sqlite_database {
    struct leat_ctx *ctx;
    struct lookup_table *t;
    const struct lookup_source *from;
    sqlite3 *db;
    sqlite3_stmt *rows;
    int column[1 + LOOKUP_NAMES_MAX]; /* columns in `rows`: the key, then the requested columns */
    uint64_t until_ns;                /* end of the wait for locks, clock_ns */
    bool immutable;                   /* true if the database is read without locks */
    bool locked;
};

const char *lookup_sqlite_library(void) { return sqlite3_libversion(); }

/* ---- errors ---- */

static bool lookup_sqlite_fail_read_only(struct lookup_sqlite_database *d)
{
    if (sqlite3_extended_errcode(d->db) == SQLITE_READONLY_ROLLBACK)
        return lookup_table_fail(d->t,
                                 "has an unfinished transaction: open it once for writing, for "
                                 "example with sqlite3, which rolls the transaction back");
    return lookup_table_fail(d->t, "cannot be read without writing to it: SQLite says \"%s\"",
                             sqlite3_errmsg(d->db));
}

/* Writes the error of SQLite's last call to t->why. Returns false. */
static bool lookup_sqlite_fail_call(struct lookup_sqlite_database *d)
{
    int code = d->db ? sqlite3_errcode(d->db) : SQLITE_NOMEM;
    switch (code) {
    case SQLITE_BUSY:
        d->locked = true;
        return lookup_table_fail(d->t, "is locked by another process, which writes to it");
    case SQLITE_CORRUPT:
        return lookup_table_fail(d->t, "is damaged: SQLite says \"%s\"", sqlite3_errmsg(d->db));
    case SQLITE_NOTADB:
        return lookup_table_fail(d->t, "is not a SQLite database, or is encrypted");
    case SQLITE_INTERRUPT:
        return lookup_table_fail(d->t, "the run was stopped while the file was read");
    case SQLITE_NOMEM:
        return lookup_table_fail(d->t, "there is not enough memory for SQLite");
    case SQLITE_READONLY:
        return lookup_sqlite_fail_read_only(d);
    case SQLITE_TOOBIG:
        return lookup_table_fail(d->t, "has a value of more than %d bytes", VALUE_BYTES);
    default:
        return lookup_table_fail(d->t, "SQLite says \"%s\"", sqlite3_errmsg(d->db));
    }
}

/* ---- open ---- */

static int lookup_sqlite_is_stopping(void *arg)
{
    const struct lookup_sqlite_database *d = arg;
    return d->ctx->host->stopping(d->ctx);
}

/* Callback of SQLite when another process has a lock. Returns 1 to try again. */
static int lookup_sqlite_wait_for_lock(void *arg, int times)
{
    const struct lookup_sqlite_database *d = arg;
    if (clock_ns() >= d->until_ns || lookup_sqlite_is_stopping(arg)) return 0;
    nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    return 1;
}

/* Returns the path as a URI with the parameters `how`. Escapes ?, # and %. The caller frees it. */
static char *lookup_sqlite_address_of(const char *path, const char *how)
{
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_str_appendall(s, *path == '/' ? "file://" : "file:");
    for (const char *p = path; *p; p++)
        if (strchr("?#%", *p))
            sqlite3_str_appendf(s, "%%%02X", (unsigned char)*p);
        else
            sqlite3_str_append(s, p, 1);
    sqlite3_str_appendf(s, "?mode=ro%s", how);
    return sqlite3_str_finish(s);
}

static bool lookup_sqlite_connect_as(struct lookup_sqlite_database *d, const char *how)
{
    char *address = lookup_sqlite_address_of(d->from->path, how);
    sqlite3_close(d->db);
    d->db = NULL;
    int status =
        !address
            ? SQLITE_NOMEM
            : sqlite3_open_v2(address, &d->db,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_free(address);
    return status == SQLITE_OK || lookup_sqlite_fail_call(d);
}

/* Reads the kind of journal from the header. Uses SQLite's own file, because closing another one
 * would drop SQLite's locks (lookup_sqlite_is_one). */
static bool lookup_sqlite_read_header(struct lookup_sqlite_database *d, bool *wal)
{
    unsigned char header[HEADER_BYTES] = "";
    sqlite3_file *file = NULL;
    sqlite3_file_control(d->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    int status = file && file->pMethods ? file->pMethods->xRead(file, header, sizeof header, 0)
                                        : SQLITE_IOERR;
    if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ)
        return lookup_table_fail(d->t, "cannot be read");
    *wal = header[18] == WAL || header[19] == WAL;
    return !memcmp(header, lookup_sqlite_magic, sizeof lookup_sqlite_magic) ||
           lookup_table_fail(d->t, "does not begin like a SQLite database: it is another file, or "
                                   "encrypted, or compressed");
}

/* Returns the size of the file whose name is the database's name plus `ending`; -1 if it does not
 * exist. */
static off_t lookup_sqlite_beside(const struct lookup_sqlite_database *d, const char *ending)
{
    struct stat st;
    const char *name = d->db ? sqlite3_db_filename(d->db, "main") : NULL;
    char *path = name ? sqlite3_mprintf("%s%s", name, ending) : NULL;
    bool there = path && !stat(path, &st);
    sqlite3_free(path);
    return there ? st.st_size : -1;
}

static bool lookup_sqlite_connect_to(struct lookup_sqlite_database *d)
{
    bool wal = false;
    d->immutable = false;
    if (!lookup_sqlite_connect_as(d, "") || !lookup_sqlite_read_header(d, &wal)) return false;
    if (!wal) return true;
    if (lookup_sqlite_beside(d, "-wal") >= 0 && lookup_sqlite_beside(d, "-shm") >= 0)
        return lookup_sqlite_connect_as(d, "&readonly_shm=1");
    d->immutable = lookup_sqlite_beside(d, "-wal") <= 0;
    return lookup_sqlite_connect_as(d, d->immutable ? "&immutable=1" : "&vfs=unix-none");
}

/* Begins a transaction, so that all reads see the same state of the database. */
static bool lookup_sqlite_begin(struct lookup_sqlite_database *d)
{
    sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* a name in double quotes is never a text */
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_busy_handler(d->db, lookup_sqlite_wait_for_lock, d);
    sqlite3_progress_handler(d->db, STEPS, lookup_sqlite_is_stopping, d);
    /* Must come before all other statements, because these may read the database. */
    const char *vfs = sqlite3_uri_parameter(sqlite3_db_filename(d->db, "main"), "vfs");
    int status =
        sqlite3_exec(d->db, vfs ? "PRAGMA locking_mode = exclusive" : "", NULL, NULL, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_exec(d->db, "PRAGMA cache_size = -1024; PRAGMA cell_size_check = 1", NULL,
                              NULL, NULL);
    if (status == SQLITE_OK) status = sqlite3_exec(d->db, "BEGIN", NULL, NULL, NULL);
    return status == SQLITE_OK || lookup_sqlite_fail_call(d);
}

/* ---- text ---- */

static size_t lookup_sqlite_room(const struct lookup_table *t) { return t->bytes & ~(size_t)63; }

/* True if n more bytes of text, and one more row, fit into the block. */
static bool lookup_sqlite_has_room(const struct lookup_table *t, size_t n)
{
    size_t rows = (t->rows + (size_t)1) * lookup_table_row_bytes(t);
    return n <= t->bytes && lookup_table_align(t->n_text + n) + rows <= lookup_sqlite_room(t);
}

static bool lookup_sqlite_put_text(struct lookup_table *t, const void *text, size_t n,
                                   struct leat_str *to)
{
    if (!lookup_sqlite_has_room(t, n)) return lookup_table_full(t);
    *to = (struct leat_str){(uint32_t)t->n_text, (uint32_t)n};
    if (n) memcpy(t->text + t->n_text, text, n);
    t->n_text += n;
    return true;
}

static bool lookup_sqlite_put_name(struct lookup_sqlite_database *d, struct lookup_list *list,
                                   const char *name)
{
    if (!name) return lookup_sqlite_fail_call(d);
    if (list->n == LOOKUP_NAMES_MAX)
        return lookup_table_fail(d->t, "has more than %d %ss: write a query", LOOKUP_NAMES_MAX,
                                 list->what);
    return lookup_sqlite_put_text(d->t, name, strlen(name), &list->name[list->n++]);
}

/* ---- choice of the table ---- */

static bool lookup_sqlite_prepare(struct lookup_sqlite_database *d, const char *sql,
                                  const char **rest)
{
    sqlite3_finalize(d->rows);
    d->rows = NULL;
    if (!sql) return lookup_table_fail(d->t, "there is not enough memory for SQLite");
    return sqlite3_prepare_v2(d->db, sql, -1, &d->rows, rest) == SQLITE_OK ||
           lookup_sqlite_fail_call(d);
}

/* Lists the names of tables and views. Sets *only to the index of the only table. If the database
 * has one view and no table, sets it to the view. Otherwise sets it to list->n. */
static bool lookup_sqlite_list_tables(struct lookup_sqlite_database *d, struct lookup_list *list,
                                      uint32_t *only)
{
    uint32_t tables = 0, at = 0;
    int status;
    if (!lookup_sqlite_prepare(
            d,
            "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name "
            "NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
            NULL))
        return false;
    while ((status = sqlite3_step(d->rows)) == SQLITE_ROW) {
        if (!lookup_sqlite_put_name(d, list, (const char *)sqlite3_column_text(d->rows, 0)))
            return false;
        if (strcmp((const char *)sqlite3_column_text(d->rows, 1), "table") != 0) continue;
        at = list->n - 1;
        tables++;
    }
    *only = tables == 1 ? at : list->n == 1 ? 0 : list->n;
    return status == SQLITE_DONE || lookup_sqlite_fail_call(d);
}

/* Returns the name of the table, which the caller frees. On failure, returns NULL with the reason
 * in t->why. */
static char *lookup_sqlite_table_name(struct lookup_sqlite_database *d)
{
    struct lookup_list list = {.what = "table", .any_case = true};
    uint32_t at;
    d->t->n_text = 0;
    if (!lookup_sqlite_list_tables(d, &list, &at)) return NULL;
    bool found = !list.n          ? lookup_table_fail(d->t, "has no tables")
                 : d->from->table ? lookup_table_named(d->t, &list, d->from->table, &at)
                                  : at < list.n || lookup_table_unclear(d->t, &list);
    if (!found) return NULL;
    char *name = sqlite3_mprintf("%.*s", (int)list.name[at].len, d->t->text + list.name[at].off);
    if (!name) lookup_table_fail(d->t, "there is not enough memory for SQLite");
    return name;
}

/* ---- choice of columns ---- */

static const char *lookup_sqlite_wanted(const struct lookup_sqlite_database *d, uint32_t i)
{
    return i ? d->from->names.columns->v[i - 1] : d->from->names.key;
}

/* Finds the key and the requested columns in the result d->rows. Returns false with the reason in
 * t->why. */
static bool lookup_sqlite_find_columns(struct lookup_sqlite_database *d)
{
    struct lookup_list list = {.what = "column", .any_case = true};
    uint32_t at;
    d->t->n_text = 0;
    for (int i = 0; i < sqlite3_column_count(d->rows); i++)
        if (!lookup_sqlite_put_name(d, &list, sqlite3_column_name(d->rows, i))) return false;
    for (uint32_t i = 0; i <= d->t->columns; i++) {
        if (!lookup_table_named(d->t, &list, lookup_sqlite_wanted(d, i), &at)) return false;
        d->column[i] = (int)at;
    }
    return true;
}

/* Returns a statement that selects only the requested columns. The statement keeps SQLite from
 * using an index, because the rows must come in the order of the table. */
static char *lookup_sqlite_statement_of(const struct lookup_sqlite_database *d, const char *table)
{
    sqlite3_str *s = sqlite3_str_new(d->db);
    for (uint32_t i = 0; i <= d->t->columns; i++)
        sqlite3_str_appendf(s, "%s \"%w\"", i ? "," : "SELECT",
                            sqlite3_column_name(d->rows, d->column[i]));
    sqlite3_str_appendf(s, " FROM \"%w\" NOT INDEXED", table);
    return sqlite3_str_finish(s);
}

static bool lookup_sqlite_select_table(struct lookup_sqlite_database *d)
{
    char *table = lookup_sqlite_table_name(d), *all = NULL, *some = NULL;
    if (!table) return false;
    all = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
    bool found = lookup_sqlite_prepare(d, all, NULL) && lookup_sqlite_find_columns(d);
    if (found) some = lookup_sqlite_statement_of(d, table);
    found = found && lookup_sqlite_prepare(d, some, NULL);
    for (int i = 0; i <= (int)d->t->columns; i++)
        d->column[i] = i;
    sqlite3_free(some);
    sqlite3_free(all);
    sqlite3_free(table);
    return found;
}

/* True if only blanks and comments remain in `sql`. */
static bool lookup_sqlite_is_end(struct lookup_sqlite_database *d, const char *sql)
{
    sqlite3_stmt *more = NULL;
    int status = SQLITE_OK;
    while (status == SQLITE_OK && !more && *sql)
        status = sqlite3_prepare_v2(d->db, sql, -1, &more, &sql);
    bool end = status == SQLITE_OK && !more;
    sqlite3_finalize(more);
    return end;
}

static bool lookup_sqlite_select_query(struct lookup_sqlite_database *d)
{
    const char *rest = "";
    if (sqlite3_prepare_v2(d->db, d->from->query, -1, &d->rows, &rest) != SQLITE_OK)
        return sqlite3_errcode(d->db) == SQLITE_ERROR
                   ? lookup_table_fail(d->t, "query: SQLite says \"%s\"", sqlite3_errmsg(d->db))
                   : lookup_sqlite_fail_call(d);
    if (!d->rows || !sqlite3_column_count(d->rows) || !sqlite3_stmt_readonly(d->rows))
        return lookup_table_fail(d->t, "query: this statement gives no rows: write a SELECT");
    if (sqlite3_bind_parameter_count(d->rows))
        return lookup_table_fail(d->t, "query: '%s' has no value: write it into the query",
                                 sqlite3_bind_parameter_name(d->rows, 1)
                                     ? sqlite3_bind_parameter_name(d->rows, 1)
                                     : "?");
    if (!lookup_sqlite_is_end(d, rest))
        return lookup_table_fail(d->t, "query: there is more than one statement: write one SELECT");
    return lookup_sqlite_find_columns(d);
}

/* ---- rows ---- */

static bool lookup_sqlite_fail_blob(struct lookup_sqlite_database *d, int column, uint64_t row)
{
    return lookup_table_fail(d->t,
                             "row %" PRIu64 ": column '%.60s' is a blob, not a text: leave it out, "
                             "or write a query with hex(…) or cast(… as text)",
                             row, sqlite3_column_name(d->rows, column));
}

/* Writes a value as text. A number is written like a number of a record, so that both match as
 * keys. */
static bool lookup_sqlite_put_value(struct lookup_sqlite_database *d, int column, uint64_t row,
                                    struct leat_str *to)
{
    char digits[TEXT_NUMBER];
    const unsigned char *text;
    switch (sqlite3_column_type(d->rows, column)) {
    case SQLITE_NULL:
        *to = (struct leat_str){0, LEAT_NULL};
        return true;
    case SQLITE_INTEGER:
        return lookup_sqlite_put_text(
            d->t, digits,
            (size_t)snprintf(digits, sizeof digits, "%" PRId64,
                             (int64_t)sqlite3_column_int64(d->rows, column)),
            to);
    case SQLITE_FLOAT:
        return lookup_sqlite_put_text(
            d->t, digits, text_format_double(digits, sqlite3_column_double(d->rows, column)), to);
    case SQLITE_TEXT:
        text = sqlite3_column_text(d->rows, column);
        return text ? lookup_sqlite_put_text(d->t, text,
                                             (size_t)sqlite3_column_bytes(d->rows, column), to)
                    : lookup_sqlite_fail_call(d);
    default:
        return lookup_sqlite_fail_blob(d, column, row);
    }
}

/* Writes a row in front of the previous rows. */
static bool lookup_sqlite_put_row(struct lookup_sqlite_database *d, uint64_t row)
{
    struct lookup_table *t = d->t;
    if (sqlite3_column_type(d->rows, d->column[0]) == SQLITE_NULL) {
        t->keyless++;
        return true;
    }
    if (!lookup_sqlite_has_room(t, 0)) return lookup_table_full(t);
    struct leat_str *to = (struct leat_str *)(t->text + lookup_sqlite_room(t) -
                                              (t->rows + (size_t)1) * lookup_table_row_bytes(t));
    for (uint32_t i = 0; i <= t->columns; i++)
        if (!lookup_sqlite_put_value(d, d->column[i], row, &to[i])) return false;
    t->rows++;
    return true;
}

static void lookup_sqlite_swap_rows(struct lookup_table *t, struct leat_str *a, struct leat_str *b)
{
    for (uint32_t i = 0; i <= t->columns; i++) {
        struct leat_str cell = a[i];
        a[i] = b[i];
        b[i] = cell;
    }
}

/* Moves the rows behind the text, and reverses them so that the first row comes first. */
static void lookup_sqlite_order_rows(struct lookup_table *t)
{
    size_t width = 1 + (size_t)t->columns, bytes = t->rows * lookup_table_row_bytes(t);
    t->row = (struct leat_str *)(t->text + lookup_table_align(t->n_text));
    memmove(t->row, t->text + lookup_sqlite_room(t) - bytes, bytes);
    for (uint32_t i = 0; i < t->rows / 2; i++)
        lookup_sqlite_swap_rows(t, t->row + i * width, t->row + (t->rows - 1 - i) * width);
}

static bool lookup_sqlite_read_rows(struct lookup_sqlite_database *d)
{
    int status;
    d->t->n_text = 0;
    for (uint64_t row = 1; (status = sqlite3_step(d->rows)) == SQLITE_ROW; row++)
        if (!lookup_sqlite_put_row(d, row)) return false;
    if (status != SQLITE_DONE) return lookup_sqlite_fail_call(d);
    lookup_sqlite_order_rows(d->t);
    return true;
}

/* ---- the whole database ---- */

static bool lookup_sqlite_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads the database once. Sets *changed if it was read without locks and changed meanwhile, so
 * that it must be read again. */
static bool lookup_sqlite_read_once(struct lookup_sqlite_database *d, bool *changed)
{
    struct stat before, after;
    struct lookup_table *t = d->t;
    t->n_text = t->rows = 0;
    t->line = t->keyless = 0;
    t->columns = d->from->names.columns->n;
    bool there = !stat(d->from->path, &before);
    bool good = lookup_sqlite_connect_to(d) && lookup_sqlite_begin(d) &&
                (d->from->query ? lookup_sqlite_select_query(d) : lookup_sqlite_select_table(d)) &&
                lookup_sqlite_read_rows(d);
    *changed = d->immutable &&
               (!there || stat(d->from->path, &after) || !lookup_sqlite_is_same(&before, &after) ||
                lookup_sqlite_beside(d, "-wal") > 0);
    sqlite3_finalize(d->rows);
    sqlite3_close(d->db);
    d->rows = NULL;
    d->db = NULL;
    return good;
}

bool lookup_sqlite_fill(struct leat_ctx *ctx, struct lookup_table *t,
                        const struct lookup_source *from, int wait_ms, bool *locked)
{
    struct lookup_sqlite_database d = {.ctx = ctx, .t = t, .from = from};
    bool changed = true, good = false;
    d.until_ns = clock_ns() + (uint64_t)wait_ms * 1000000u;
    for (int i = 0; i < TRIES && changed; i++)
        good = lookup_sqlite_read_once(&d, &changed);
    if (changed) {
        d.locked = true;
        good = lookup_table_fail(t, "changed while it was read");
    }
    *locked = d.locked;
    return good && lookup_table_place(t);
}

#endif
