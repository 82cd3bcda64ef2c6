/* rotate.h -- finds rotated files: the file that lost a name, and files that had the name between.
 *
 * It changes no file. A file that cannot be read counts as missing. */
#ifndef LEAT_SOURCES_FILE_ROTATE_H
#define LEAT_SOURCES_FILE_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_HEAD = 1024, ROTATE_PATH = 4096, ROTATE_MAX = 64 };

/* Identifies a file by its inode while it lives, and by its first bytes, which a copy shares. */
struct fingerprint {
    uint64_t inode;
    uint32_t n_head;
    uint8_t head[FINGERPRINT_HEAD];
};

/* Adds text[0, n), which is at byte `at` of the file. Ignores text that does not extend the
 * head. */
void fingerprint_add(struct fingerprint *is, uint64_t at, const void *text, size_t n);
/* True if the file begins with these bytes, or if there are none. */
bool fingerprint_fits(const struct fingerprint *is, int fd);

/* Returns the coding of a compressed file, such as "gzip"; NULL if it is not compressed. */
const char *rotate_coding(int fd);

/* Returns when the file was last written, in unix ns. */
struct stat;
uint64_t rotate_written(const struct stat *st);

struct rotated_file {
    int fd;         /* the caller closes it */
    char name[256]; /* in the folder of the log */
    uint32_t n_log; /* bytes of `name` that are the log's own name */
    uint64_t inode, written_ns;
};
struct rotate_list {
    struct rotated_file v[ROTATE_MAX];
    uint32_t n;
    bool more; /* there are more files, newer than these */
};

/* Opens the file in the folder of `path` that has this inode and these first bytes. If it is gone,
 * opens a copy: another inode, a rotated name, at least `size` bytes, and the same first bytes.
 * `found` gets the path. Returns -1 if neither exists. */
int rotate_find(const char *path, const struct fingerprint *is, uint64_t size,
                char found[ROTATE_PATH]);

/* Place of a rotated file in the order of rotation. The order is by time of last writing (unix ns),
 * then by dates or numbers in the name. It compares only times of files, because the clock of a
 * file system lags behind the machine's. */
struct rotate_place {
    uint64_t written_ns, inode;
};

/* Lists the plain files next to `path` with a rotated name (access.log.1, access.log-20261123) that
 * come after that place, oldest first. If there are too many, it lists the oldest. Several files
 * may be written within one tick of the clock. If the file at that place is gone, files of the same
 * time count as earlier. */
void rotate_since(const char *path, struct rotate_place after, struct rotate_list *list);
void rotate_close(struct rotate_list *list);

/* True if `one` begins with the first bytes of `is`, as far as `one` goes: a copy in the making may
 * be short. */
bool rotate_is_copy(const struct rotated_file *one, const struct fingerprint *is);

/* Writes the path of `name` in the folder of `path`. Returns false if it is too long. */
bool rotate_path(const char *path, const char *name, char to[ROTATE_PATH]);

#endif
