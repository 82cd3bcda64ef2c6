/* follow.h -- files that grow: which there are, which has text to read, what became of their names.
 *
 * A file is known by its inode, not by its name. What happens to a name, and what is read then:
 *
 *   access.log               A                      A is read to its end, and waited for
 *   renamed, made again      A -> access.log.1, B   A to its end, then B from its start; A for
 *                                                   another 5 s, for a writer that has it open;
 *                                                   then its last line, whole or not
 *   copied and truncated     A -> access.log.1, A   the copy from where A was, then A from its
 *                                                   start
 *   twice, unseen            A -> .2, B -> .1, C    A, B, C: B is found beside the name (beside.h)
 *   removed                  A                      A to its end, for another 5 s
 *   not there yet                                   waited for
 *
 * Several files are read in turn. Files of one name are read one after the other: `waits` until the
 * one before has come to its end for the first time.
 *
 * Who sleeps: follow_next, in poll(2), on inotify, the host's stop_fd and what wakes it. Names and
 * sizes are looked at twice a second besides, for file systems where inotify tells nothing; without
 * inotify, fifty times.
 *
 * Invariants: at >= offset; a place does not move while it is taken; `name` and `turn` order the
 * files of one name, and only the first of those that were not read to their end is not waiting. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_H
#define LEAT_SOURCES_FILE_FOLLOW_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "beside.h"

enum {
    READER_HEAD_BYTES = 256, /* kept of a record that is too long */
    FOLLOW_TOLD = 64,        /* names that are told as unfit      */
    FOLLOW_MAX = 65536       /* files at a time, of one source    */
};

/* A record that is too long, until its end is found. */
struct reader_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    uint32_t n; /* bytes in head */
    bool cut;   /* the run ended before its end was found */
    char last;
    char head[READER_HEAD_BYTES];
    uint64_t len, offset, line;
};

struct followed {
    const char *path; /* by which it was found; NULL: this place is free   */
    uint32_t input;   /* number of that name                               */
    int fd;
    uint64_t device;
    struct fingerprint is;      /* inode and first bytes, as far as they were read   */
    uint64_t offset, line;      /* of the first record that was not delivered        */
    uint64_t at, size;          /* read up to; size when it was last looked at       */
    struct beside_place unseen; /* nothing of it was read: other texts may have been in it, and
                                    have been copied after this one; of time 0: no         */
    uint32_t n_ahead;    /* nothing of it was read: bytes of its beginning that a snapshot has
                                    all the same, so that another text is not taken for it */
    uint64_t scanned_ns; /* when it had been written last as these were looked for */
    uint64_t turn;       /* files of one name are read in this order          */
    uint64_t grown_ns;   /* when it was last found longer, or lost its name   */
    struct reader_long too_long; /* the record that is being skipped                  */
    int watch;                   /* of inotify; -1: none                              */
    bool left;                   /* its name is another file's now, or nobody's       */
    bool waits;                  /* for the one before of this name                   */
    bool changed;                /* its size must be looked at                        */
    bool flushed;                /* it is idle, and what it has was delivered as it is */
    bool skipped;                /* it is compressed, or no text of UTF-8             */
    bool restarted;              /* it was truncated: what was read of it is void     */
};

struct follow {
    const struct leat_strings *paths;
    struct followed *file; /* `cap` places, of which n are taken                        */
    uint32_t n, cap;       /* the last place is for a rotated file: others wait for those */
    char **name;           /* of an input; 2 cap, so that a number is used again late, if at all  */
    uint32_t last_name;
    uint64_t turns;
    int wake_fd;        /* the caller's: ends a wait (wake_fd.h); -1: there is none       */
    int notify;         /* inotify; -1: there is none                                   */
    uint64_t looked_ns; /* when names were last looked at                               */
    bool look;          /* a folder has changed                                         */
    bool released;      /* a file waits no longer                                       */
    bool begun;         /* the first look is over: what comes now is new                */
    bool to_end;        /* nothing is waited for: what is there is read, and no more    */
    uint64_t idle_ns;   /* after which lines that may go on are delivered; 0: they never do      */
    bool told_full;
    uint64_t told[FOLLOW_TOLD]; /* hashes of names that were told as unfit (follow_unfit.h)     */
    uint32_t n_told;
    struct beside_list between; /* what the last look beside a name has found           */
};

/* Refuses standard input. */
void follow_validate(const struct leat_strings *paths, struct leat_diag *d);
uint64_t follow_bytes(int64_t max_files);
/* to_end: files are read as a run that followed them left them, to their ends. */
int follow_init(struct leat_ctx *ctx, struct follow *fs, const struct leat_strings *paths,
                int64_t max_files, bool to_end);
void follow_fini(struct leat_ctx *ctx, struct follow *fs);

/* The next file, in turn after `last` (NULL: any), with text after `at`, or that is over: then *f,
 * else NULL. With `wait` it sleeps for one up to a tenth of a second, or until it is woken.
 * LEAT_OK; LEAT_EOS: the run is being stopped; or a failure that the host was told. */
int follow_next(struct leat_ctx *ctx, struct follow *fs, const struct followed *last, bool wait,
                struct followed **f);
/* text[0, n) has been read after `at`. false: other texts were there unseen, or it was truncated
 * meanwhile; what was read is void, and follow_next says what comes instead. */
bool follow_accept(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *text,
                   size_t n);
/* Nothing has come for idle_ns, or it was rotated: for the first time since something came. */
bool follow_is_idle(const struct follow *fs, const struct followed *f);
/* It was read to its end and will never be longer: its rest is a record. */
bool follow_is_over(const struct follow *fs, const struct followed *f);
/* Is there one that waits, for another or for a place? */
bool follow_has_waiting(const struct follow *fs);
/* The next one after `last` that has a line without an end. */
struct followed *follow_unfinished(struct follow *fs, const struct followed *last);
/* The number of the input of this name; 0: there is none. */
uint32_t follow_input(const struct follow *fs, const char *path);
void follow_remove(struct leat_ctx *ctx, struct follow *fs, struct followed *f);

/* Bytes that are there and not delivered. */
uint64_t follow_behind(const struct follow *fs);

/* State. read: finds the files of the snapshot again, whatever their names are now. LEAT_OK,
 * LEAT_EDATA, or a failure that the host was told. */
int follow_write(struct follow *fs, struct leat_writer *w);
int follow_read(struct leat_ctx *ctx, struct follow *fs, struct leat_reader *from);
/* How many files are in this state? For follow_init, when their number must be known before. */
int follow_count(struct leat_reader *from, uint64_t *files);

/* Where a run that did not follow was: those before were read to their ends. */
struct follow_place {
    uint64_t input, offset, line; /* the input-th of the files that the names have */
    const uint8_t *head;          /* its first bytes */
    uint64_t n_head;
};
/* Before anything is read: continues from there. LEAT_OK; LEAT_EDATA: the files are others, which
 * was said; or a failure that the host was told. */
int follow_seek(struct leat_ctx *ctx, struct follow *fs, const struct follow_place *to,
                struct leat_reader *from);

#endif
