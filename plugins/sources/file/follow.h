/* follow.h -- files that grow: finds the files and their new text, and follows rotated names.
 *
 * A file is identified by its inode and its text (fingerprint.h), not by its name. The table shows
 * what happens to the name access.log, which inodes (A, B, C) the names then have, and what is
 * read:
 *
 *   created                  A                      A to its end, then waits for more
 *   renamed, created again   A -> access.log.1, B   A to its end, then B from its start; A for
 *                                                   another 5 s, for a writer that has it open;
 *                                                   then the last line of A, whole or not
 *   copied and truncated     A -> access.log.1, A   the copy from where reading of A stopped, then
 *                                                   A from its start
 *   renamed twice between    A -> .2, B -> .1, C    A, B, C: B is found next to the name (rotate.h)
 *   two looks at the name
 *   removed                  A                      A to its end, for another 5 s
 *   does not exist yet                              waits for the file
 *
 * Files with different names take turns. Files of one name are read one after the other: a file
 * `waits` until the reader first reaches the end of the previous file of the same name.
 *
 * follow_next() sleeps, in poll(2), on inotify, the host's stop_fd and wake_fd. It also checks
 * names and sizes twice a second, for file systems where inotify reports nothing. Without inotify,
 * it checks sizes fifty times a second.
 *
 * scan.c finds files by name. follow.c has their text, turns and waiting. follow_positions.c has
 * snapshots.
 *
 * Invariants: at >= offset. An entry of `file` does not move while it is used. `turn` is the order
 * in which the files of one name are read; of the unread files of a name, only the first does not
 * wait. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_H
#define LEAT_SOURCES_FILE_FOLLOW_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "rotate.h"

enum {
    READER_HEAD_BYTES = 256, /* number of first bytes kept of a record that is too long */
    FOLLOW_REPORTED = 64,    /* most names of unfit files that are remembered */
    FOLLOW_MAX = 65536       /* most files of a source at a time */
};

/* A record that is too long. Its text is skipped until the reader finds its end. */
struct reader_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    uint32_t n; /* bytes in `head` */
    bool cut;   /* the run ended before the end of the record */
    char last;
    char head[READER_HEAD_BYTES];
    uint64_t len, offset, line;
};

struct followed {
    const char *path; /* name under which the file was found; NULL if this entry is free */
    uint32_t input;   /* number of the name (follow_input) */
    int fd;
    uint64_t device;
    uint64_t row;          /* row of the snapshot that this file continues, from 1; 0 if none */
    struct fingerprint is; /* inode, and text as far as it has been read */
    uint64_t offset, line; /* position of the first record that is not delivered */
    uint64_t at, size;     /* end of the text that was read; size when last checked */
    /* Time of last writing when the size was last checked; and before the last text was read, from
     * which on copies may have text that was not read. */
    uint64_t written_ns, read_ns;
    /* unseen: rotated files of the same name that come after this place may be unread, and are read
     * before this file. Its time is 0 if there are none, and once text of this file is read.
     * since: what it was then. A snapshot stores it as long as no record of the text is delivered,
     * because meanwhile the file may be copied and truncated once more.
     * n_ahead: number of first bytes that a snapshot stores of this file if it is unread. A restart
     * then does not mistake another file for it. */
    struct rotate_place unseen, since;
    uint32_t n_ahead;
    uint64_t scanned_ns; /* time of last writing, when unread rotated files were last searched */
    uint64_t turn;       /* order of reading among the files of one name */
    uint64_t grown_ns;   /* time when the file last grew, or lost its name */
    struct reader_long too_long; /* the record that is being skipped */
    int watch;                   /* descriptor of inotify; -1 if there is none */
    bool rotated;                /* another file has its name now, or the name is gone */
    bool waits;                  /* waits until the previous file of its name is read */
    bool changed;                /* the size must be checked */
    bool flushed;                /* idle, and its lines were delivered */
    bool skipped;                /* compressed or in another encoding */
    bool restarted;              /* truncated, so the reader must drop the text in the window */
};

struct follow {
    const struct leat_strings *paths;
    struct followed *file; /* `cap` entries, n of them used */
    uint32_t n, cap;       /* the last entry is reserved for a rotated file */
    char **name;           /* 2 * cap names: many, so that a number is not reused soon */
    uint32_t last_name;
    uint64_t turns;
    int wake_fd;        /* set by the caller, to end a wait (wake_fd.h); -1 if unused */
    int notify;         /* descriptor of inotify; -1 if unavailable */
    uint64_t looked_ns; /* time of the last look at all names */
    bool look;          /* a folder has changed: look at all names */
    bool released;      /* a file has stopped waiting for another one */
    bool begun;         /* the first look is over: files found from now on are new */
    bool to_end;        /* read files to their ends, and do not wait for more text */
    uint64_t idle_ns;   /* silence after which incomplete records are delivered; 0 for never */
    uint64_t quiet_ns;  /* silence after which a name does not hold event time back */
    uint8_t *open;      /* of each name: it holds event time back */
    uint64_t opened_ns; /* time of the last follow_open_inputs() */
    bool full_reported;
    uint64_t reported[FOLLOW_REPORTED]; /* hashes of the names of unfit files */
    uint32_t n_reported;
    struct rotate_list between; /* result of the last search for rotated files */
};

/* Reports standard input as an error: it cannot be followed. */
void follow_validate(const struct leat_strings *paths, struct leat_diag *d);
uint64_t follow_bytes(int64_t max_files);
/* Begins to follow the files. If `to_end`, only reads to their present ends the files that an
 * earlier run followed. */
int follow_init(struct leat_ctx *ctx, struct follow *fs, const struct leat_strings *paths,
                int64_t max_files, bool to_end);
/* Tells the host, from time to time, which names hold event time back (leat_host.open_inputs):
 * those with files that have text to read, or have grown lately. */
void follow_open_inputs(struct leat_ctx *ctx, struct follow *fs);
void follow_fini(struct leat_ctx *ctx, struct follow *fs);

/* Finds a file that has unread text, or for which follow_is_over() is true. Looks first at the file
 * after `last`; at any file if `last` is NULL. Sets *f to NULL if it finds no file. With `wait`,
 * sleeps up to a tenth of a second, or until woken. Returns LEAT_OK; LEAT_EOS if the run is
 * stopping; or a failure reported to the host. */
int follow_next(struct leat_ctx *ctx, struct follow *fs, const struct followed *last, bool wait,
                struct followed **f);
/* Accepts text[0, n), which the caller has read at f->at. Returns false if the caller must not use
 * the text, because the file was truncated meanwhile or an unread rotated file must be read first.
 * The caller then calls follow_next(). */
bool follow_accept(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *text,
                   size_t n);
/* True if text of the file is not delivered, and the file was rotated or has not grown for idle_ns.
 * True only once after each new text. */
bool follow_is_idle(const struct follow *fs, const struct followed *f);
/* True if the file is read to its end and cannot grow any more. An incomplete last line is then a
 * record. */
bool follow_is_over(const struct follow *fs, const struct followed *f);
/* True if a file waits for another file or for a free entry. */
bool follow_has_waiting(const struct follow *fs);
/* Returns the next file after `last` with an incomplete last line; NULL if there is none. */
struct followed *follow_unfinished(struct follow *fs, const struct followed *last);
/* Returns the number of the name `path`; 0 if the name has no number. */
uint32_t follow_input(const struct follow *fs, const char *path);
void follow_remove(struct leat_ctx *ctx, struct follow *fs, struct followed *f);

/* Returns how many bytes of all files are written and not delivered. */
uint64_t follow_backlog(const struct follow *fs);

/* ---- names: scan.c ----
 *
 * A name may belong to a file that cannot be followed: a folder, a pipe, a device, an unreadable
 * file, compressed text, text in UTF-16. At the start of a run this is an error. Later, while the
 * run follows a pattern, anybody may create such a file. It is then reported once by its name,
 * skipped, and checked again whenever all names are looked at. */

/* Looks at all names and finds new, rotated and removed files. */
int scan_names(struct leat_ctx *ctx, struct follow *fs);
/* Adds the open file `fd`, to be read from its start as the last file of its name. `rotated`: the
 * file has lost the name. Returns LEAT_AGAIN, with a report, if no entry is free. Closes fd if the
 * file is not added. */
int scan_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd, bool rotated,
             struct followed **added);
/* Adds rotated files of the name `path` that come after the place *last and were not followed
 * before. Copies of the text of `now`, the file that has the name, are left out. Sets *last to the
 * place of the last file added. Returns false if there are not enough entries; the remaining files
 * can be added later. */
bool scan_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                      struct rotate_place *last, const struct followed *now);
/* Finds a file with this fingerprint, and at least `size` bytes, that is not followed, in the
 * folder of `path`: the same file under any name; or else the oldest copy with a rotated name that
 * was written since `since_ns`. Without such a copy an older one counts, if its text does not
 * repeat itself. Copies must have rotated names, because another file, such as the output of this
 * run, may begin like the log. Writes the path to `found`. Returns its descriptor, or -1. */
int scan_find(struct follow *fs, const char *path, const struct fingerprint *is, uint64_t size,
              uint64_t since_ns, char found[ROTATE_PATH]);
/* Finds the oldest copy that was made since `since_ns` of the file `now`, which was found by its
 * fingerprint, if `now` was truncated after that and begins again with the same text. Finds none if
 * the file system does not say when files were born. Writes and returns as scan_find() does. */
int scan_find_truncated(struct follow *fs, const char *path, const struct fingerprint *is,
                        uint64_t size, uint64_t since_ns, int now, char found[ROTATE_PATH]);
/* Notes that the file has lost its name to another file, or that the name is gone. */
void scan_rotated(struct followed *f);
struct followed *scan_by_inode(const struct follow *fs, uint64_t device, uint64_t inode);
/* True if an earlier file of the same name is still being read. */
bool scan_has_earlier(const struct follow *fs, const struct followed *f);
/* Ends the wait of every file that has no earlier file of its name. */
void scan_release(struct follow *fs);
/* Sets f->skipped if the file is compressed or in another encoding. Call this before the file is
 * read. */
int scan_check(struct leat_ctx *ctx, struct follow *fs, struct followed *f);
/* Skips a file after its first bytes have shown another encoding. */
void scan_skip(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *encoding);

/* ---- snapshots: follow_positions.c ---- */

int follow_write(struct follow *fs, struct leat_writer *w);
/* Finds the files of the snapshot again, even if they have other names now. Returns LEAT_OK,
 * LEAT_EDATA, or a failure reported to the host. */
int follow_read(struct leat_ctx *ctx, struct follow *fs, struct leat_reader *from);
/* Reads the number of files in a snapshot, for follow_init(). */
int follow_count(struct leat_reader *from, uint64_t *files);

/* Position of a run that did not follow. Earlier files were read to their ends. */
struct follow_place {
    uint64_t input, offset, line; /* input: index among the files that the names have now */
    const struct fingerprint *is; /* text of the file */
};
/* Continues from the position of a run that did not follow, before anything is read. Returns
 * LEAT_OK; LEAT_EDATA, with a report, if the files have changed; or a failure reported to the
 * host. */
int follow_seek(struct leat_ctx *ctx, struct follow *fs, const struct follow_place *to,
                struct leat_reader *from);

#endif
