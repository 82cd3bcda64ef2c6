/* rows.c -- sinks that commit to a table of SQLite.
 *
 * One transaction has the rows of a checkpoint, its number, and the positions.
 *
 *   sink.rows        stores the positions
 *   sink.rows_alone  does not store the positions
 *
 * Tables of PATH, with a line for each transaction's name except in `rows`:
 *
 *   rows       n, text                       in order of arrival
 *   committed  name, checkpoint, owner       owner: changed by a run that fences off the others
 *   positions  name, source, format, bytes   positions of that checkpoint */
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

struct cfg {
    const char *path, *name, *column;
};

struct sink {
    sqlite3 *db;
    sqlite3_stmt *insert, *kept;
    bool open; /* a transaction is open */
    int64_t owner;
    struct leat_position position; /* stored position */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING, .flags = LEAT_REQUIRED, .doc = "the database"),
    LEAT_PARAM(struct cfg, name, LEAT_STRING, .def = "rows", .doc = "under which it commits"),
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .doc = "instead of what arrived"),
};

static int failed(struct leat_ctx *ctx, const struct sink *st)
{
    return ctx->host->fail(ctx, LEAT_EIO, "%s", sqlite3_errmsg(st->db));
}

static int run(struct leat_ctx *ctx, struct sink *st, const char *sql)
{
    return sqlite3_exec(st->db, sql, NULL, NULL, NULL) ? failed(ctx, st) : LEAT_OK;
}

/* Opens the tables; makes missing ones. */
static int open_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    if (sqlite3_open(((const struct cfg *)ctx->cfg)->path, &st->db)) return failed(ctx, st);
    sqlite3_busy_timeout(st->db, 10000);
    int status = run(ctx, st,
                     "PRAGMA synchronous = OFF;"
                     "CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, text);"
                     "CREATE TABLE IF NOT EXISTS committed (name PRIMARY KEY, checkpoint, owner);"
                     "CREATE TABLE IF NOT EXISTS positions (name, source, format, bytes);");
    if (status == LEAT_OK &&
        sqlite3_prepare_v2(st->db, "INSERT INTO rows (text) VALUES (?)", -1, &st->insert, NULL))
        return failed(ctx, st);
    return status;
}

static void close_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    sqlite3_finalize(st->insert);
    sqlite3_finalize(st->kept);
    sqlite3_close(st->db);
}

static int begin(struct leat_ctx *ctx, struct sink *st)
{
    if (st->open) return LEAT_OK;
    st->open = true;
    return run(ctx, st, "BEGIN IMMEDIATE");
}

static struct leat_str text_of(const struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r)
{
    const char *column = ((const struct cfg *)ctx->cfg)->column;
    for (uint32_t i = 0; column && i < b->n_columns; i++)
        if (!strcmp(ctx->in->column[i].name, column)) return b->column[i].text[r];
    return b->raw[r];
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *st = self;
    int status = begin(ctx, st);
    for (LEAT_EACH_RECORD(b, r)) {
        if (status != LEAT_OK) return status;
        struct leat_str text = text_of(ctx, b, r);
        sqlite3_bind_text(st->insert, 1, leat_text(b, text), (int)text.len, SQLITE_STATIC);
        if (sqlite3_step(st->insert) != SQLITE_DONE) status = failed(ctx, st);
        sqlite3_reset(st->insert);
    }
    return status;
}

/* ---- exactly once ---- */

static const char *name(const void *cfg) { return ((const struct cfg *)cfg)->name; }

/* Prepares a statement whose parameter ?1 is the name. Returns NULL if it fails. */
static sqlite3_stmt *prepare(struct leat_ctx *ctx, struct sink *st, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(st->db, sql, -1, &s, NULL)) failed(ctx, st);
    if (s) sqlite3_bind_text(s, 1, name(ctx->cfg), -1, SQLITE_STATIC);
    return s;
}

/* Runs it to its first row, and takes its first column. */
static int finish(struct leat_ctx *ctx, struct sink *st, sqlite3_stmt *s, int64_t *column)
{
    int result = sqlite3_step(s);
    if (result == SQLITE_ROW && column) *column = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return result == SQLITE_ROW || result == SQLITE_DONE ? LEAT_OK : failed(ctx, st);
}

static int ask(struct leat_ctx *ctx, struct sink *st, const char *sql, int64_t *column)
{
    sqlite3_stmt *s = prepare(ctx, st, sql);
    return s ? finish(ctx, st, s, column) : LEAT_EIO;
}

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    struct sink *st = self;
    int64_t last = 0;
    int status = ask(ctx, st,
                     "INSERT INTO committed VALUES (?1, 0, 1) ON CONFLICT (name) DO UPDATE SET "
                     "owner = owner + 1",
                     NULL);
    if (status == LEAT_OK)
        status = ask(ctx, st, "SELECT owner FROM committed WHERE name = ?1", &st->owner);
    if (status == LEAT_OK)
        status = ask(ctx, st, "SELECT checkpoint FROM committed WHERE name = ?1", &last);
    *checkpoint = (uint64_t)last;
    return status;
}

static int positions(struct leat_ctx *ctx, void *self, const struct leat_position **list,
                     uint32_t *n)
{
    struct sink *st = self;
    *n = 0;
    *list = &st->position;
    sqlite3_finalize(st->kept);
    st->kept =
        prepare(ctx, st, "SELECT source, format, bytes FROM positions WHERE name = ?1 LIMIT 1");
    if (!st->kept) return LEAT_EIO;
    if (sqlite3_step(st->kept) != SQLITE_ROW) return LEAT_OK;
    st->position = (struct leat_position){.source = (const char *)sqlite3_column_text(st->kept, 0),
                                          .format = (const char *)sqlite3_column_text(st->kept, 1),
                                          .bytes = sqlite3_column_blob(st->kept, 2),
                                          .n = (size_t)sqlite3_column_bytes(st->kept, 2)};
    *n = 1;
    return LEAT_OK;
}

static int keep(struct leat_ctx *ctx, struct sink *st, const struct leat_position *p)
{
    sqlite3_stmt *s = prepare(ctx, st, "INSERT INTO positions VALUES (?1, ?2, ?3, ?4)");
    if (!s) return LEAT_EIO;
    sqlite3_bind_text(s, 2, p->source, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, p->format, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(s, 4, p->bytes, p->n, SQLITE_STATIC);
    return finish(ctx, st, s, NULL);
}

static int put_checkpoint(struct leat_ctx *ctx, struct sink *st, uint64_t checkpoint)
{
    sqlite3_stmt *s = prepare(ctx, st, "UPDATE committed SET checkpoint = ?2 WHERE name = ?1");
    if (!s) return LEAT_EIO;
    sqlite3_bind_int64(s, 2, (int64_t)checkpoint);
    return finish(ctx, st, s, NULL);
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *list, uint32_t n)
{
    struct sink *st = self;
    int64_t owner = 0;
    int status = begin(ctx, st);
    if (status == LEAT_OK)
        status = ask(ctx, st, "SELECT owner FROM committed WHERE name = ?1", &owner);
    if (status == LEAT_OK && owner != st->owner)
        return ctx->host->fail(ctx, LEAT_EFENCED, "the table is another's");
    if (status == LEAT_OK) status = ask(ctx, st, "DELETE FROM positions WHERE name = ?1", NULL);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++)
        status = keep(ctx, st, &list[i]);
    if (status == LEAT_OK) status = put_checkpoint(ctx, st, checkpoint);
    ctx->host->fault(ctx, "transaction_offsets_sent");
    if (status == LEAT_OK) status = run(ctx, st, "COMMIT");
    st->open = false;
    return status;
}

#define ROWS                                                                                       \
    .summary = "for tests", .doc = "For tests.",                                                   \
    .example = "leat.sink.rows { path = \"out.db\" }", .kind = LEAT_SINK,                          \
    .needs = LEAT_HAS_RECORDS, LEAT_PARAMS(params, struct cfg),                                    \
    LEAT_INSTANCE(struct sink, open_sink, close_sink), .process = process

static const struct leat_stage stage[] = {
    {.name = "sink.rows",
     ROWS,
     .transaction = LEAT_ROLE(leat_transaction, .name = name, .fence = fence, .commit = commit,
                              .positions = positions)},
    {.name = "sink.rows_alone",
     ROWS,
     .transaction = LEAT_ROLE(leat_transaction, .name = name, .fence = fence, .commit = commit)}};

LEAT_PLUGIN("rows", "1.0", "Apache-2.0", "for tests", &stage[0], &stage[1]);
