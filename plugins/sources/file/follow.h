/* follow.h -- files that grow: finds the files and their new text, and follows rotated names.
 *
 * A file is known by its inode, not by its name. The table shows what happens to a
 * name, which inodes it has then (A, B, C), and what is read:
 *
 *   access.log               A                      A to its end, then waits for more
 *   renamed, made again      A -> access.log.1, B   A to its end, then B from its start; A for
 *                                                   another 5 s, for a writer that has it open;
 *                                                   then its last line, whole or not
 *   copied and truncated     A -> access.log.1, A   the copy from where A was, then A from its
 *                                                   start
 *   twice, unseen            A -> .2, B -> .1, C    A, B, C: B is found next to the name (rotate.h)
 *   removed                  A                      A to its end, for another 5 s
 *   not there yet                                   waits for the file
 *
 * Several names are read in turn. Files of one name are read one after the other: each `waits`
 * until the reader first reaches the end of the one before.
 *
 * follow_next() sleeps, in poll(2), on inotify, the host's stop_fd and wake_fd. It also checks
 * names and sizes twice a second, for file systems where inotify reports nothing; without inotify,
 * it checks sizes fifty times a second.
 *
 * scan.c: names. follow.c: text, turns, waiting. follow_positions.c: snapshots.
 *
 * Invariants: at >= offset. An entry does not move while it is taken. `input` and `turn` order the
 * files of one name; of the unread ones, only the first does not wait. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_H
#define LEAT_SOURCES_FILE_FOLLOW_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "rotate.h"

enum {
    READER_HEAD_BYTES = 256, /* first bytes of a record that is too long */
    FOLLOW_REPORTED = 64,    /* names to report as unfit */
    FOLLOW_MAX = 65536       /* files of one source at a time */
};

/* A record that is too long, until the reader finds its end. */
struct reader_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    uint32_t n; /* bytes in head */
    bool cut;   /* the run ended before the record's end */
    char last;
    char head[READER_HEAD_BYTES];
    uint64_t len, offset, line;
};

struct followed {
    const char *path; /* name by which it was found; NULL if this entry is free */
    uint32_t input;   /* number of the name */
    int fd;
    uint64_t device;
    struct fingerprint is; /* inode and first bytes, as far as they are read */
    uint64_t offset, line; /* of the first record that is not delivered */
    uint64_t at, size;     /* end of the read text; size at the last look */
    /* Place after which copies of earlier, unseen texts of this file may lie; time 0 if there can
     * be none. It matters while nothing of the file is read. n_ahead: first bytes that a snapshot
     * stores of an unread file, so that a restart mistakes no other text for it. */
    struct rotate_place unseen;
    uint32_t n_ahead;
    uint64_t scanned_ns;         /* time of writing at the last search for unseen texts */
    uint64_t turn;               /* order of reading among files of one name */
    uint64_t grown_ns;           /* when it was last found longer, or lost its name */
    struct reader_long too_long; /* the record that is being skipped */
    int watch;                   /* inotify's descriptor; -1 if it has none */
    bool rotated;                /* its name belongs to another file now, or to none */
    bool waits;                  /* for the file before it of this name */
    bool changed;                /* its size must be checked */
    bool flushed;                /* it is idle, and its lines were delivered */
    bool skipped;                /* it is compressed, or in another encoding */
    bool restarted;              /* it was truncated, so text read before is void */
};

struct follow {
    const struct leat_strings *paths;
    struct followed *file; /* `cap` entries, n of them taken */
    uint32_t n, cap;       /* the last entry is for a rotated file that others wait for */
    char **name;           /* of an input; 2 * cap of them, so a number is reused late */
    uint32_t last_name;
    uint64_t turns;
    int wake_fd;        /* the caller's; ends a wait (wake_fd.h); -1 if there is none */
    int notify;         /* inotify; -1 if there is none */
    uint64_t looked_ns; /* time of the last look at names */
    bool look;          /* a folder has changed */
    bool released;      /* a file has stopped waiting */
    bool begun;         /* the first look is over, so files found now are new */
    bool to_end;        /* reads files to their ends, and waits for no more text */
    uint64_t idle_ns;   /* silence after which unfinished records are delivered; 0 for never */
    bool full_reported;
    uint64_t reported[FOLLOW_REPORTED]; /* hashes of names reported as unfit */
    uint32_t n_reported;
    struct rotate_list between; /* rotated files found by the last look next to a name */
};

/* Refuses standard input. */
void follow_validate(const struct leat_strings *paths, struct leat_diag *d);
uint64_t follow_bytes(int64_t max_files);
/* With to_end it reads files to their ends, from where a run that followed them stopped. */
int follow_init(struct leat_ctx *ctx, struct follow *fs, const struct leat_strings *paths,
                int64_t max_files, bool to_end);
void follow_fini(struct leat_ctx *ctx, struct follow *fs);

/* Finds the next file after `last` (NULL for any) that has text after `at`, or is over. *f is NULL
 * if there is none. With `wait` it sleeps up to a tenth of a second, or until it is woken. Returns
 * LEAT_OK; LEAT_EOS if the run is stopping; or a failure reported to the host. */
int follow_next(struct leat_ctx *ctx, struct follow *fs, const struct followed *last, bool wait,
                struct followed **f);
/* Accepts text[0, n), which the caller read after `at`. Returns false if the file held other texts
 * unseen, or was truncated meanwhile. Then the text is void, and follow_next gives the next
 * file. */
bool follow_accept(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *text,
                   size_t n);
/* True if text of the file is not delivered, and the file was rotated or silent for idle_ns. It is
 * true only once after each new text. */
bool follow_is_idle(const struct follow *fs, const struct followed *f);
/* True if the file is read to its end and cannot grow: its rest is a record. */
bool follow_is_over(const struct follow *fs, const struct followed *f);
/* True if a file waits for another file or for a free entry. */
bool follow_has_waiting(const struct follow *fs);
/* Returns the next file after `last` that has a line without an end; NULL if there is none. */
struct followed *follow_unfinished(struct follow *fs, const struct followed *last);
/* Returns the number of the name `path`; 0 if it has none. */
uint32_t follow_input(const struct follow *fs, const char *path);
void follow_remove(struct leat_ctx *ctx, struct follow *fs, struct followed *f);

/* Returns how many bytes are written and not delivered. */
uint64_t follow_backlog(const struct follow *fs);

/* ---- names: scan.c ----
 *
 * A name may belong to a file that cannot be followed: a folder, a pipe, a device, an unreadable
 * file, compressed text, text in UTF-16. At the start this is a mistake, and ends the run. Later
 * anybody may make such a file while the run follows a pattern. It is reported once by its name,
 * skipped, and checked again with all names. */

/* Looks at all names again. */
int scan_names(struct leat_ctx *ctx, struct follow *fs);
/* Adds the open file `fd` at its beginning, as the last of its name. `rotated` if it has lost that
 * name. Returns LEAT_AGAIN, with a report, if no entry is free. Closes fd if it does not add it. */
int scan_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd, bool rotated,
             struct followed **added);
/* Adds files that had the name `path`, or copies of its texts, after `last`, but lost it before
 * they were seen. `last` becomes the last of them. It adds no copy of the present text of `now`,
 * which has the name. Returns false if entries run out: the rest come later. */
bool scan_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                      struct rotate_place *last, const struct followed *now);
/* Notes that the file has lost its name. */
void scan_rotated(struct followed *f);
struct followed *scan_by_inode(const struct follow *fs, uint64_t device, uint64_t inode);
/* True if an earlier file of this name is still being read. */
bool scan_has_earlier(const struct follow *fs, const struct followed *f);
/* Ends the wait of each file that has no earlier one of its name. */
void scan_release(struct follow *fs);
/* Sets f->skipped if the file is compressed, or in another encoding. Call it before reading the
 * file. */
int scan_check(struct leat_ctx *ctx, struct follow *fs, struct followed *f);
/* Skips a file whose first bytes, now complete, show another encoding. */
void scan_skip(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *encoding);

/* ---- snapshots: follow_positions.c ---- */

int follow_write(struct follow *fs, struct leat_writer *w);
/* Finds the files of the snapshot again, whatever their names are now. Returns LEAT_OK, LEAT_EDATA,
 * or a failure reported to the host. */
int follow_read(struct leat_ctx *ctx, struct follow *fs, struct leat_reader *from);
/* Reads how many files a snapshot has, for follow_init. */
int follow_count(struct leat_reader *from, uint64_t *files);

/* Place of a run that did not follow. It had read earlier files to their ends. */
struct follow_place {
    uint64_t input, offset, line; /* input: index among the files that the names have now */
    const uint8_t *head;          /* first bytes of the file */
    uint64_t n_head;
};
/* Continues from the place, before anything is read. Returns LEAT_OK; LEAT_EDATA, with a report, if
 * the files are others; or a failure reported to the host. */
int follow_seek(struct leat_ctx *ctx, struct follow *fs, const struct follow_place *to,
                struct leat_reader *from);

#endif
