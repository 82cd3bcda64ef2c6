/* lookup.h -- shape.lookup: its parameters, its state, and functions that its files share. */
#ifndef LEAT_SHAPE_LOOKUP_H
#define LEAT_SHAPE_LOOKUP_H

#include <sys/stat.h>

#include <leat/plugin.h>

#include "lookup_misses.h"
#include "lookup_table.h"
#include "common/inputs/stream.h"

enum { LOOKUP_SHOWN = 40 }; /* largest number of bytes of a key in a message */

struct lookup_cfg {
    const char *path, *table, *query, *key, *file_key, *prefix, *delimiter;
    struct leat_strings columns;
    int32_t missing, reload, encoding, reserved;
    int64_t memory, text_bytes;
};

/* Identifies a file and its version. */
struct lookup_file {
    dev_t device;
    ino_t inode;
    off_t bytes, log_bytes; /* log: the write-ahead log of a database */
    struct timespec modified, log_modified;
};

/* Buffers for reading the file. With `reload`, they stay allocated for the next reading. */
struct lookup_reading {
    char *raw;
    struct stream *stream;
    struct stream_coded *coded; /* decoder of the file; NULL: the file is UTF-8 */
};

struct lookup {
    uint32_t key, first; /* column of the record's key, and first new column (indexes) */
    bool is_database;    /* true if the file is a SQLite database; false: CSV */
    bool told_locked;    /* true if a message has told that this version of the file is locked */
    uint64_t rest_until_ns;
    struct lookup_table table;
    struct lookup_table next; /* with `reload`: table that is filled, then exchanged with `table` */
    struct lookup_reading reading;
    struct lookup_file file; /* version of the file that was read last, with or without success */
    uint64_t batch;          /* number of the current batch, from 1 */
    uint64_t asked;          /* number of records looked up */
    struct lookup_misses misses; /* records whose key is not in the table */
    uint64_t reloaded, unusable; /* numbers of changed files: read again, and unreadable */
};

/* True if the parameters require an SQLite database. */
static inline bool lookup_wants_database(const struct lookup_cfg *cfg)
{
    return cfg->table || cfg->query;
}

char lookup_delimiter(const struct lookup_cfg *cfg);

/* ---- lookup_file.c ---- */

/* Returns the bytes of the buffers for reading the file (struct lookup_reading). */
uint64_t lookup_reading_bytes(const struct lookup_cfg *cfg);
/* Allocates a table, and a second one with `reload`. Call lookup_free() even if it fails. */
bool lookup_alloc(struct leat_ctx *ctx, struct lookup *st);
void lookup_free(struct leat_ctx *ctx, struct lookup *st);
/* Frees the buffers for reading, unless `reload` needs them again. */
void lookup_free_reading(struct leat_ctx *ctx, struct lookup_reading *r);

/* Fills t from the CSV file as it is now. On failure, returns false with the reason in t->why. */
bool lookup_read_csv(struct leat_ctx *ctx, struct lookup_table *t,
                     const struct lookup_reading *reading, struct lookup_file *file);
/* Fills t from the database as it is now. Waits at most `wait_ms` for a process that writes to it.
 * Sets *locked if the database was still locked. On failure, returns false with the reason in
 * t->why. */
bool lookup_read_database(struct leat_ctx *ctx, struct lookup_table *t, int wait_ms,
                          struct lookup_file *file, bool *locked);
struct lookup_file lookup_file_now(const char *path, bool is_database);
bool lookup_same_file(const struct lookup_file *a, const struct lookup_file *b);

/* Returns ", line 7" if t->why refers to a line, otherwise "". */
const char *lookup_line(const struct lookup_table *t, char text[40]);
/* Warns of contents that are probably not intended: text that is not UTF-8, repeated keys, rows
 * without a key. */
void lookup_warn(struct leat_ctx *ctx, const struct lookup *st);

#endif
