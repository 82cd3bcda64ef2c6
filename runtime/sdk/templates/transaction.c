/* mystage.c -- sink.mystage: writes records to a table of a SQLite database, each exactly once.
 *
 * Rows, the number of the checkpoint and the host's positions form one transaction. To make it
 * yours, replace the statements. After any end of a run, even if its snapshots are lost, the next
 * run into this database continues after the last commit. Compiles as C and as C++20. */
#include <sqlite3.h>
#include <stdlib.h>

#include <leat/plugin.h>

struct cfg {
    const char *path;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_WRITES_FILE,
               .doc = "the database; one run at a time writes to it"),
};

struct sink {
    sqlite3 *db;
    sqlite3_stmt *insert, *put, *get;
    sqlite3_int64 owner;
    int begun; /* a transaction is open */
    struct leat_position position;
};

static int fail(struct leat_ctx *ctx, const struct sink *s)
{
    return ctx->host->fail(ctx, LEAT_EIO, "%s: %s", ((const struct cfg *)ctx->cfg)->path,
                           sqlite3_errmsg(s->db));
}

static int run(struct leat_ctx *ctx, struct sink *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) ? fail(ctx, s) : LEAT_OK;
}

static int step(struct leat_ctx *ctx, struct sink *s, sqlite3_stmt *statement)
{
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? LEAT_OK : fail(ctx, s);
}

static int see(void *number, int n, char **value, char **names)
{
    (void)n, (void)names;
    *(sqlite3_int64 *)number = value[0] ? strtoll(value[0], NULL, 10) : 0;
    return 0;
}

static sqlite3_int64 number(struct sink *s, const char *sql)
{
    sqlite3_int64 found = 0;
    return sqlite3_exec(s->db, sql, see, &found, NULL) ? -1 : found;
}

static int open_sink(struct leat_ctx *ctx, void *self)
{
    static const char tables[] =
        "pragma journal_mode = wal; create table if not exists rows (record text);"
        "create table if not exists run (id integer primary key, owner int, checkpoint int);"
        "insert or ignore into run values (1, 0, 0);"
        "create table if not exists place (source text primary key, format text, bytes blob)";
    struct sink *s = (struct sink *)self;
    if (sqlite3_open(((const struct cfg *)ctx->cfg)->path, &s->db) ||
        sqlite3_busy_timeout(s->db, 20000) || sqlite3_exec(s->db, tables, NULL, NULL, NULL) ||
        sqlite3_prepare_v2(s->db, "insert into rows values (?)", -1, &s->insert, NULL) ||
        sqlite3_prepare_v2(s->db, "replace into place values (?, ?, ?)", -1, &s->put, NULL) ||
        sqlite3_prepare_v2(s->db, "select * from place", -1, &s->get, NULL)) {
        const int status = fail(ctx, s);
        sqlite3_close_v2(s->db);
        return status;
    }
    return LEAT_OK;
}

static void close_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *s = (struct sink *)self;
    (void)ctx;
    sqlite3_finalize(s->insert);
    sqlite3_finalize(s->put);
    sqlite3_finalize(s->get);
    sqlite3_close(s->db); /* rolls uncommitted rows back */
}

/* Fences earlier runs: they cannot commit any more, because they find another owner. */
static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    struct sink *s = (struct sink *)self;
    int status = run(ctx, s, "update run set owner = owner + 1");
    s->owner = number(s, "select owner from run");
    *checkpoint = (uint64_t)number(s, "select checkpoint from run");
    return status;
}

static int begin(struct leat_ctx *ctx, struct sink *s)
{
    int status = s->begun ? LEAT_OK : run(ctx, s, "begin immediate");
    if (status < 0 || s->begun) return status;
    s->begun = 1;
    if (number(s, "select owner from run") == s->owner) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EFENCED, "another run writes to this database now");
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *s = (struct sink *)self;
    int status = begin(ctx, s);
    for (LEAT_EACH_RECORD(b, r)) {
        if (status < 0) break;
        sqlite3_bind_text(s->insert, 1, leat_text(b, b->raw[r]), (int)b->raw[r].len, SQLITE_STATIC);
        status = step(ctx, s, s->insert);
    }
    return status;
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *p, uint32_t n)
{
    struct sink *s = (struct sink *)self;
    char sql[64];
    int status = begin(ctx, s);
    for (uint32_t i = 0; i < n && status >= 0; i++) {
        if (!p[i].n) continue; /* unchanged */
        sqlite3_bind_text(s->put, 1, p[i].source, -1, SQLITE_STATIC);
        sqlite3_bind_text(s->put, 2, p[i].format, -1, SQLITE_STATIC);
        sqlite3_bind_blob(s->put, 3, p[i].bytes, (int)p[i].n, SQLITE_STATIC);
        status = step(ctx, s, s->put);
    }
    sqlite3_snprintf(sizeof sql, sql, "update run set checkpoint = %lld; commit", checkpoint);
    s->begun = 0;
    return status < 0 ? status : run(ctx, s, sql);
}

/* Lends the positions of the last commit, from the query. */
static int positions(struct leat_ctx *ctx, void *self, const struct leat_position **list,
                     uint32_t *n)
{
    struct sink *s = (struct sink *)self;
    (void)ctx;
    sqlite3_reset(s->get);
    *n = sqlite3_step(s->get) == SQLITE_ROW;
    if (*n) {
        s->position.source = (const char *)sqlite3_column_text(s->get, 0);
        s->position.format = (const char *)sqlite3_column_text(s->get, 1);
        s->position.bytes = sqlite3_column_blob(s->get, 2);
        s->position.n = (size_t)sqlite3_column_bytes(s->get, 2);
    }
    *list = &s->position;
    return LEAT_OK;
}

static const char *name_of(const void *cfg) { return ((const struct cfg *)cfg)->path; }
static const struct leat_transaction transaction = {.size = sizeof(struct leat_transaction),
                                                    .name = name_of,
                                                    .fence = fence,
                                                    .commit = commit,
                                                    .positions = positions};

static const struct leat_stage sink_mystage = {
    .name = "sink.mystage",
    .summary = "records into a SQLite database, exactly once",
    .doc = "Each record is a row of the table rows. One run at a time writes to a database.",
    .example = "leat.sink.mystage { \"out.db\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct sink),
    .open = open_sink,
    .close = close_sink,
    .process = process,
    .transaction = &transaction,
};

LEAT_PLUGIN("mystage", "0.1", "Apache-2.0", "records into SQLite, exactly once", &sink_mystage);
