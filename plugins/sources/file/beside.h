/* beside.h -- files beside a log: where has a rotated one gone, which came between? */
#ifndef LEAT_SOURCES_FILE_BESIDE_H
#define LEAT_SOURCES_FILE_BESIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_HEAD = 1024, BESIDE_PATH = 4096, BESIDE_MAX = 64 };

/* What a file is known by: its inode, as long as it lives, and its first bytes, also those of a
 * copy. */
struct fingerprint {
    uint64_t inode;
    uint32_t n_head;
    uint8_t head[FINGERPRINT_HEAD];
};

/* text[0, n) is at byte `at` of the file. */
void fingerprint_add(struct fingerprint *is, uint64_t at, const void *text, size_t n);
/* Does the file begin with these bytes? Nothing is like every file. */
bool fingerprint_fits(const struct fingerprint *is, int fd);

/* "gzip" when the file is compressed, else NULL. */
const char *beside_coding(int fd);

/* When it was last written: unix ns. */
struct stat;
uint64_t beside_written(const struct stat *st);

struct beside {
    int fd;         /* the caller closes it     */
    char name[256]; /* in the folder of the log */
    uint32_t n_log; /* bytes of it that are the log's own name */
    uint64_t inode, written_ns;
};
struct beside_list {
    struct beside v[BESIDE_MAX];
    uint32_t n;
    bool more; /* there are others, which come after these */
};

/* Opens the file in the folder of `path` that has this inode and these first bytes; if there is
 * none, a copy: other inode, a name as rotation gives, `size` bytes at least, the same first bytes.
 * `found` gets its path. -1: it is not there. */
int beside_find(const char *path, const struct fingerprint *is, uint64_t size,
                char found[BESIDE_PATH]);

/* A rotated file, in the order of rotation: by the time of its last writing (unix ns), then by
 * the dates or numbers in its name. Times of files alone are compared: the clock of a file system
 * lags behind the machine's. */
struct beside_place {
    uint64_t written_ns, inode;
};

/* The plain files beside `path` that are named as rotated ones of it are (access.log.1,
 * access.log-20261123) and come after that one, the oldest first, and of many the oldest. Several
 * may be written within one tick of the clock: if that one is gone, those of its time are taken for
 * earlier ones. */
void beside_rotated(const char *path, struct beside_place after, struct beside_list *list);
void beside_close(struct beside_list *list);

/* Has `one` nothing but the first bytes of `is`? A copy that is being made may be short. */
bool beside_is_copy(const struct beside *one, const struct fingerprint *is);

/* The path of a name in the folder of `path`. false: it is too long. */
bool beside_path(const char *path, const char *name, char to[BESIDE_PATH]);

#endif
