/* follow.h -- files that grow: which there are, which has text to read, and how names rotate.
 *
 * A file is known by its inode, not by its name. What happens to a name, and what is read then:
 *
 *   access.log               A                      A is read to its end, and waited for
 *   renamed, made again      A -> access.log.1, B   A to its end, then B from its start; A for
 *                                                   another 5 s, for a writer that has it open;
 *                                                   then its last line, whole or not
 *   copied and truncated     A -> access.log.1, A   the copy from where A was, then A from its
 *                                                   start
 *   twice, unseen            A -> .2, B -> .1, C    A, B, C: B is found beside the name (rotate.h)
 *   removed                  A                      A to its end, for another 5 s
 *   not there yet                                   waited for
 *
 * Several files are read in turn. Files of one name are read one after the other: the next `waits`
 * until the one before has come to its end for the first time.
 *
 * follow_next sleeps, in poll(2), on inotify, the host's stop_fd and wake_fd. Names and sizes are
 * also looked at twice a second, for file systems where inotify reports nothing; without inotify,
 * fifty times.
 *
 * scan.c: the names. follow.c: text, turns, waiting. follow_positions.c: snapshots.
 *
 * Invariants: at >= offset; a place does not move while it is taken; `name` and `turn` order the
 * files of one name, and only the first of those that were not read to their end is not waiting. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_H
#define LEAT_SOURCES_FILE_FOLLOW_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "rotate.h"

enum {
    READER_HEAD_BYTES = 256, /* kept of a record that is too long                  */
    FOLLOW_REPORTED = 64,    /* names that are reported as unfit                   */
    FOLLOW_MAX = 65536       /* files at a time, of one source                     */
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
    struct fingerprint is; /* inode and first bytes, as far as they were read   */
    uint64_t offset, line; /* of the first record that was not delivered        */
    uint64_t at, size;     /* read up to; size when it was last looked at       */
    /* While nothing of it was read: other texts may have been in it, and have been copied after
     * this place; time 0: no. And how many bytes of its beginning a snapshot has nevertheless, so
     * that another text is not taken for it. */
    struct rotate_place unseen;
    uint32_t n_ahead;
    uint64_t scanned_ns;         /* its time of writing when unseen texts were last looked for */
    uint64_t turn;               /* files of one name are read in this order          */
    uint64_t grown_ns;           /* when it was last found longer, or lost its name   */
    struct reader_long too_long; /* the record that is being skipped                  */
    int watch;                   /* of inotify; -1: none                              */
    bool rotated;                /* its name is another file's now, or nobody's       */
    bool waits;                  /* for the one before of this name                   */
    bool changed;                /* its size must be looked at                        */
    bool flushed;                /* it is idle, and its lines were delivered          */
    bool skipped;                /* it is compressed, or in another encoding          */
    bool restarted;              /* it was truncated: the text that was read is void  */
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
    bool begun;         /* the first look is over: files that come now are new          */
    bool to_end;        /* files are read to their ends, and nothing is waited for      */
    uint64_t idle_ns;   /* after which lines that may go on are delivered; 0: they never do      */
    bool full_reported;
    uint64_t reported[FOLLOW_REPORTED]; /* hashes of names that were reported as unfit          */
    uint32_t n_reported;
    struct rotate_list between; /* the rotated files of the last look beside a name       */
};

/* Refuses standard input. */
void follow_validate(const struct leat_strings *paths, struct leat_diag *d);
uint64_t follow_bytes(int64_t max_files);
/* to_end: reads files on to their ends, from where a run that followed them has left them. */
int follow_init(struct leat_ctx *ctx, struct follow *fs, const struct leat_strings *paths,
                int64_t max_files, bool to_end);
void follow_fini(struct leat_ctx *ctx, struct follow *fs);

/* Finds the next file, in turn after `last` (NULL: any), that has text after `at`, or is over; *f
 * is NULL if there is none. With `wait` it sleeps for one up to a tenth of a second, or until it is
 * woken. Returns LEAT_OK; LEAT_EOS if the run is being stopped; or a failure reported to the
 * host. */
int follow_next(struct leat_ctx *ctx, struct follow *fs, const struct followed *last, bool wait,
                struct followed **f);
/* Accepts text[0, n), which was read after `at`. Returns false if other texts were there unseen, or
 * the file was truncated meanwhile: then the text is void, and follow_next gives the next file. */
bool follow_accept(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *text,
                   size_t n);
/* True if it was rotated, or nothing has come for idle_ns, for the first time since text came. */
bool follow_is_idle(const struct follow *fs, const struct followed *f);
/* True if it was read to its end and will never be longer: its rest is a record. */
bool follow_is_over(const struct follow *fs, const struct followed *f);
/* True if a file waits, for another or for a place. */
bool follow_has_waiting(const struct follow *fs);
/* Returns the next file after `last` that has a line without an end; NULL if there is none. */
struct followed *follow_unfinished(struct follow *fs, const struct followed *last);
/* Returns the number of the input of this name; 0 if there is none. */
uint32_t follow_input(const struct follow *fs, const char *path);
void follow_remove(struct leat_ctx *ctx, struct follow *fs, struct followed *f);

/* Returns how many bytes are there and not delivered. */
uint64_t follow_backlog(const struct follow *fs);

/* ---- names: scan.c ----
 *
 * A name may have a file that cannot be followed: a folder, a pipe, a device, a file that may not
 * be read, compressed text, text in UTF-16. At the start this ends the run, as it is a mistake
 * then. Later anybody may make one while a pattern is followed: it is reported once by its name,
 * left alone, and looked at again with all names. */

/* Looks at all names again. */
int scan_names(struct leat_ctx *ctx, struct follow *fs);
/* Adds the open file fd as the last of its name, at its beginning; `rotated`: without that name.
 * Returns LEAT_AGAIN if there is no place for it, which is reported. Closes fd if it is not added.
 */
int scan_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd, bool rotated,
             struct followed **added);
/* Adds files that had the name `path`, or copies of its texts, after `last`, and lost it again
 * before they were seen; `last` becomes the last of them. A copy of the present text of `now`,
 * which has the name, is not added. Returns false if there are more than there are places for: they
 * come later. */
bool scan_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                      struct rotate_place *last, const struct followed *now);
/* Notes that its name is another file's, or nobody's. */
void scan_rotated(struct followed *f);
struct followed *scan_by_inode(const struct follow *fs, uint64_t device, uint64_t inode);
/* True if another file of this name is read before. */
bool scan_has_earlier(const struct follow *fs, const struct followed *f);
/* Lets files read on that have no earlier one of their name. */
void scan_release(struct follow *fs);
/* Before anything is read of it: sets f->skipped if it is compressed, or in another encoding. */
int scan_check(struct leat_ctx *ctx, struct follow *fs, struct followed *f);
/* Skips it: its first bytes, which had not all been there, say that it is in another encoding. */
void scan_skip(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *encoding);

/* ---- snapshots: follow_positions.c ---- */

int follow_write(struct follow *fs, struct leat_writer *w);
/* Finds the files of the snapshot again, whatever their names are now. Returns LEAT_OK, LEAT_EDATA,
 * or a failure reported to the host. */
int follow_read(struct leat_ctx *ctx, struct follow *fs, struct leat_reader *from);
/* Reads how many files a snapshot has, for follow_init. */
int follow_count(struct leat_reader *from, uint64_t *files);

/* Where a run that did not follow was: earlier files were read to their ends. */
struct follow_place {
    uint64_t input, offset, line; /* the input-th of the files that the names have */
    const uint8_t *head;          /* its first bytes */
    uint64_t n_head;
};
/* Before anything is read: continues from there. Returns LEAT_OK; LEAT_EDATA if the files are
 * others, which is reported; or a failure reported to the host. */
int follow_seek(struct leat_ctx *ctx, struct follow *fs, const struct follow_place *to,
                struct leat_reader *from);

#endif
