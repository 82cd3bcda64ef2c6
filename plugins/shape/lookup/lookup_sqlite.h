/* lookup_sqlite.h -- fills a lookup_table from a SQLite database: a table, a view or a query.
 *
 * Nothing is written to the database, nor next to it, and no writer waits for longer than the
 * reading takes. A rollback journal gets a shared lock meanwhile; a write-ahead log (WAL) gets no
 * lock that blocks a writer. All rows come from one state of the database, between two
 * transactions. */
#ifndef LEAT_SHAPE_LOOKUP_SQLITE_H
#define LEAT_SHAPE_LOOKUP_SQLITE_H

#include "lookup_table.h"

/* Most memory of SQLite itself: cached pages, and values on their way. */
enum { LOOKUP_SQLITE_BYTES = 16 << 20 };

struct lookup_source {
    const char *path;
    const char *table; /* NULL: the only one */
    const char *query; /* NULL: the table */
    struct lookup_names names;
};

/* Returns SQLite's version; NULL if this leat was built without it. */
const char *lookup_sqlite_library(void);

/* True if a text begins as a database does. */
bool lookup_sqlite_begins(const char *text, size_t n);

/* True if the file's first bytes are those of a database. Call it only before the run: a process
 * that closes a file loses its locks on it, even those of an instance that is reading it
 * (fcntl(2)). */
bool lookup_sqlite_is_one(const char *path);

/* Reads all rows into t. Returns false with the reason, and a cure, in t->why. *locked: others are
 * writing, so another try may succeed. Waits up to `wait_ms` for them. */
bool lookup_sqlite_fill(struct leat_ctx *ctx, struct lookup_table *t,
                        const struct lookup_source *from, int wait_ms, bool *locked);

#endif
