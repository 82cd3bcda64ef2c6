/* lookup.h -- what the files of shape.lookup share: its parameters, its state, and how the
 * file is read. */
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

/* Tells a file from another, and from what it was before. */
struct lookup_file {
    dev_t device;
    ino_t inode;
    off_t bytes, log_bytes; /* log: of a database, what it holds beside it */
    struct timespec modified, log_modified;
};

/* What reading the file takes, and with `reload` is kept for the next time. */
struct lookup_reading {
    char *raw;
    struct stream *stream;
    struct stream_coded *coded; /* NULL: the file is UTF-8 */
};

struct lookup {
    uint32_t key, first; /* columns: of the key, and the first that is made */
    bool is_database;    /* of SQLite; else CSV */
    bool told_locked;    /* of the file as it is now */
    uint64_t rest_until_ns;
    struct lookup_table table;
    struct lookup_table next; /* with `reload`: is filled, and takes the place of the other */
    struct lookup_reading reading;
    struct lookup_file file;     /* that was read last, well or not */
    uint64_t batch;              /* number of the batch, from 1 */
    uint64_t asked;              /* records */
    struct lookup_misses misses; /* of them */
    uint64_t reloaded, unusable; /* files that came during the run */
};

/* Is it a database of SQLite that the parameters ask for? */
static inline bool lookup_wants_database(const struct lookup_cfg *cfg)
{
    return cfg->table || cfg->query;
}

char lookup_delimiter(const struct lookup_cfg *cfg);

/* ---- lookup_file.c ---- */

/* Bytes that reading the file takes beside the tables. */
uint64_t lookup_reading_bytes(const struct lookup_cfg *cfg);
/* Memory for a table, and with `reload` for the next one. Freed by lookup_free, also after a
 * failure. */
bool lookup_alloc(struct leat_ctx *ctx, struct lookup *st);
void lookup_free(struct leat_ctx *ctx, struct lookup *st);
/* What is not needed once the file will not be read again. */
void lookup_free_reading(struct leat_ctx *ctx, struct lookup_reading *r);

/* Fills t from the CSV file as it is now. False: t->why. */
bool lookup_read_csv(struct leat_ctx *ctx, struct lookup_table *t,
                     const struct lookup_reading *reading, struct lookup_file *file);
/* The same of a database, waiting `wait_ms` for one that another process writes to; *locked: it was
 * waited for in vain. */
bool lookup_read_database(struct leat_ctx *ctx, struct lookup_table *t, int wait_ms,
                          struct lookup_file *file, bool *locked);
struct lookup_file lookup_file_now(const char *path, bool is_database);
bool lookup_same_file(const struct lookup_file *a, const struct lookup_file *b);

/* ", line 7" where t->why is of a line, else "". */
const char *lookup_line(const struct lookup_table *t, char text[40]);
/* What is strange in the table, and no error. */
void lookup_warn(struct leat_ctx *ctx, const struct lookup *st);

#endif
