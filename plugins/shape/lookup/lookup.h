/* lookup.h -- shared parts of the files of shape.lookup: parameters, state, reading the file. */
#ifndef LEAT_SHAPE_LOOKUP_H
#define LEAT_SHAPE_LOOKUP_H

#include <sys/stat.h>

#include <leat/plugin.h>

#include "lookup_misses.h"
#include "lookup_table.h"
#include "common/inputs/stream.h"

enum { LOOKUP_SHOWN = 40 }; /* bytes of a key in a message */

struct lookup_cfg {
    const char *path, *table, *query, *key, *file_key, *prefix, *delimiter;
    struct leat_strings columns;
    int32_t missing, reload, encoding, reserved;
    int64_t memory, text_bytes;
};

/* Identity of a file and of its version. */
struct lookup_file {
    dev_t device;
    ino_t inode;
    off_t bytes, log_bytes; /* log: write-ahead log next to a database */
    struct timespec modified, log_modified;
};

/* Memory for reading the file. With `reload` it is kept for the next time. */
struct lookup_reading {
    char *raw;
    struct stream *stream;
    struct stream_coded *coded; /* NULL: the file is UTF-8 */
};

struct lookup {
    uint32_t key, first; /* columns: key, and first new one */
    bool is_database;    /* SQLite; false: CSV */
    bool told_locked;    /* the log has said that the present file is locked */
    uint64_t rest_until_ns;
    struct lookup_table table;
    struct lookup_table next; /* with `reload`: is filled, and then exchanged with `table` */
    struct lookup_reading reading;
    struct lookup_file file;     /* file that was read last, well or not */
    uint64_t batch;              /* number of the batch, from 1 */
    uint64_t asked;              /* records looked up */
    struct lookup_misses misses; /* records without a row */
    uint64_t reloaded, unusable; /* files that changed during the run */
};

/* True if the parameters ask for a database of SQLite. */
static inline bool lookup_wants_database(const struct lookup_cfg *cfg)
{
    return cfg->table || cfg->query;
}

char lookup_delimiter(const struct lookup_cfg *cfg);

/* ---- lookup_file.c ---- */

/* Returns the bytes that reading the file takes, without the tables. */
uint64_t lookup_reading_bytes(const struct lookup_cfg *cfg);
/* Allocates a table, and with `reload` the next one. Free it by lookup_free, even after a
 * failure. */
bool lookup_alloc(struct leat_ctx *ctx, struct lookup *st);
void lookup_free(struct leat_ctx *ctx, struct lookup *st);
/* Frees the memory that is not needed if the file is not read again. */
void lookup_free_reading(struct leat_ctx *ctx, struct lookup_reading *r);

/* Fills t from the present CSV file. Returns false with the reason in t->why. */
bool lookup_read_csv(struct leat_ctx *ctx, struct lookup_table *t,
                     const struct lookup_reading *reading, struct lookup_file *file);
/* Fills t from the present database. Waits `wait_ms` for another process that writes to it;
 * *locked: waited in vain. */
bool lookup_read_database(struct leat_ctx *ctx, struct lookup_table *t, int wait_ms,
                          struct lookup_file *file, bool *locked);
struct lookup_file lookup_file_now(const char *path, bool is_database);
bool lookup_same_file(const struct lookup_file *a, const struct lookup_file *b);

/* Returns ", line 7" if t->why is about a line, else "". */
const char *lookup_line(const struct lookup_table *t, char text[40]);
/* Warns of strange contents of the table that are not errors. */
void lookup_warn(struct leat_ctx *ctx, const struct lookup *st);

#endif
