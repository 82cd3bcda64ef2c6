/* lookup_sqlite.h -- fills a lookup_table from a database of SQLite: from a table or view of it, or
 * from what a query gives.
 *
 * Nothing is written, neither to the database nor beside it, and no writer waits for longer than
 * the reading takes: with a rollback journal there is a shared lock meanwhile, with a write-ahead
 * log (WAL) none that a writer meets. What is read is the database between two transactions. */
#ifndef LEAT_SHAPE_LOOKUP_SQLITE_H
#define LEAT_SHAPE_LOOKUP_SQLITE_H

#include "lookup_table.h"

/* Memory of SQLite itself, at most: pages that it keeps, and values on their way. */
enum { LOOKUP_SQLITE_BYTES = 16 << 20 };

struct lookup_source {
    const char *path;
    const char *table; /* NULL: the only one */
    const char *query; /* NULL: the table    */
    struct lookup_names names;
};

/* NULL: this leat was built without SQLite; else its version. */
const char *lookup_sqlite_library(void);

/* Does a text begin as a database does? */
bool lookup_sqlite_begins(const char *text, size_t n);

/* Do the file's first bytes say so? To be asked before the run only: a process that closes a file
 * loses its locks on it, also those of an instance that reads it just then (fcntl(2)). */
bool lookup_sqlite_is_one(const char *path);

/* Reads all rows into t. false: `why` says why, and what to do; *locked: others write just now, and
 * it may be tried again. For `wait_ms` it waits until they have finished. */
bool lookup_sqlite_fill(struct leat_ctx *ctx, struct lookup_table *t,
                        const struct lookup_source *from, int wait_ms, bool *locked);

#endif
