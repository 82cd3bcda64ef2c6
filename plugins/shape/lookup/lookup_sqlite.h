/* lookup_sqlite.h -- fills a lookup_table from a SQLite database: a table, a view or a query.
 *
 * Writes nothing to the database and creates no files next to it. A writer never waits for longer
 * than the reading takes. With a rollback journal, the database has a shared lock meanwhile. With a
 * write-ahead log (WAL), there is no lock that blocks a writer. All rows come from the same state
 * of the database, between two transactions. */
#ifndef LEAT_SHAPE_LOOKUP_SQLITE_H
#define LEAT_SHAPE_LOOKUP_SQLITE_H

#include "lookup_table.h"

/* Limit on SQLite's own memory: cached pages and values being read. */
enum { LOOKUP_SQLITE_BYTES = 16 << 20 };

struct lookup_source {
    const char *path;
    const char *table; /* NULL: the database's only table */
    const char *query; /* NULL: all rows of the table */
    struct lookup_names names;
};

/* Returns SQLite's version; NULL if leat was built without SQLite. */
const char *lookup_sqlite_library(void);

/* True if the text begins like an SQLite database. */
bool lookup_sqlite_begins(const char *text, size_t n);

/* True if the file begins like an SQLite database. Call it only before the run: when a process
 * closes a file, it loses all its locks on the file (fcntl(2)), including locks of a lane that is
 * reading. */
bool lookup_sqlite_is_one(const char *path);

/* Reads all rows into t. Waits at most `wait_ms` for writers. On failure, returns false with the
 * reason and a remedy in t->why. Sets *locked if the database was still locked; the caller may then
 * try again. */
bool lookup_sqlite_fill(struct leat_ctx *ctx, struct lookup_table *t,
                        const struct lookup_source *from, int wait_ms, bool *locked);

#endif
