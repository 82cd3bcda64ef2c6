/* rotate.h -- rotated files: where the file of a name has gone, and which came between.
 *
 * Nothing here changes a file. A file that cannot be read counts as one that is not there. */
#ifndef LEAT_SOURCES_FILE_ROTATE_H
#define LEAT_SOURCES_FILE_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_HEAD = 1024, ROTATE_PATH = 4096, ROTATE_MAX = 64 };

/* Identifies a file: by its inode, as long as it lives, and by its first bytes, which a copy has,
 * too. */
struct fingerprint {
    uint64_t inode;
    uint32_t n_head;
    uint8_t head[FINGERPRINT_HEAD];
};

/* Adds text[0, n), which is at byte `at` of the file. */
void fingerprint_add(struct fingerprint *is, uint64_t at, const void *text, size_t n);
/* True if the file begins with these bytes. Every file begins with no bytes. */
bool fingerprint_fits(const struct fingerprint *is, int fd);

/* Returns the coding of a compressed file, as "gzip"; NULL if it is not compressed. */
const char *rotate_coding(int fd);

/* Returns when the file was last written: unix ns. */
struct stat;
uint64_t rotate_written(const struct stat *st);

struct rotated_file {
    int fd;         /* the caller closes it     */
    char name[256]; /* in the folder of the log */
    uint32_t n_log; /* bytes of it that are the log's own name */
    uint64_t inode, written_ns;
};
struct rotate_list {
    struct rotated_file v[ROTATE_MAX];
    uint32_t n;
    bool more; /* there are others, which come after these */
};

/* Opens the file in the folder of `path` that has this inode and these first bytes. If there is
 * none: a copy, which has another inode, a name as rotation gives, `size` bytes at least, and the
 * same first bytes. `found` gets its path. Returns -1 if neither is there. */
int rotate_find(const char *path, const struct fingerprint *is, uint64_t size,
                char found[ROTATE_PATH]);

/* A rotated file's place in the order of rotation: by the time of its last writing (unix ns), then
 * by the dates or numbers in its name. Only times of files are compared: the clock of a file system
 * lags behind the machine's. */
struct rotate_place {
    uint64_t written_ns, inode;
};

/* Lists the plain files beside `path` that are named as its rotated ones (access.log.1,
 * access.log-20261123) and come after that place: the oldest first, and the oldest of many. Several
 * may be written within one tick of the clock: if the file at that place is gone, files of its time
 * are taken for earlier ones. */
void rotate_since(const char *path, struct rotate_place after, struct rotate_list *list);
void rotate_close(struct rotate_list *list);

/* True if `one` begins with the first bytes of `is`, as far as it goes. A copy that is being made
 * may be short. */
bool rotate_is_copy(const struct rotated_file *one, const struct fingerprint *is);

/* Writes the path of a name in the folder of `path`. Returns false if it is too long. */
bool rotate_path(const char *path, const char *name, char to[ROTATE_PATH]);

#endif
