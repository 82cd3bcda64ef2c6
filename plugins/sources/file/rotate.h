/* rotate.h -- finds rotated files: the file that has lost a name, and files that had the name
 * since.
 *
 * Changes no file. A file that cannot be read counts as missing. */
#ifndef LEAT_SOURCES_FILE_ROTATE_H
#define LEAT_SOURCES_FILE_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fingerprint.h"

enum { ROTATE_PATH = 4096, ROTATE_MAX = 64 };

/* Returns the coding of a compressed file, such as "gzip"; NULL if the file is not compressed. */
const char *rotate_coding(int fd, const char *path);

/* Returns when the file was last written, in ns since 1970. */
struct stat;
uint64_t rotate_written(const struct stat *st);

struct rotated_file {
    int fd;         /* closed by the caller */
    char name[256]; /* name in the folder of the log */
    uint32_t n_log; /* length of the log's own name, with which `name` begins */
    uint64_t inode, born, written_ns;
};
struct rotate_list {
    struct rotated_file v[ROTATE_MAX];
    uint32_t n;
    bool more;         /* there are more files, which are newer                               */
    char coded[256];   /* name of the oldest compressed file after the place; "" if there is none */
    uint64_t coded_ns; /* its time of last writing */
};

/* Opens the file with this inode and fingerprint, and at least `size` bytes, in the folder of
 * `path`. Text that repeats itself, with no time of birth, counts only under a rotated name. Writes
 * the path of the file to `found`. Returns -1 if there is no such file. */
int rotate_find(const char *path, const struct fingerprint *is, uint64_t size,
                char found[ROTATE_PATH]);

/* Place of a file in the order of rotation: by time of last writing (ns since 1970), then by the
 * dates or numbers in the names. Only times of files are compared with each other, because the
 * clock of a file system lags behind the machine's. */
struct rotate_place {
    uint64_t written_ns, inode, born;
};
/* Returns the place of an open file; its time is 0 if the file cannot be read. */
struct rotate_place rotate_place_of(int fd);

/* Lists the files next to `path` with a rotated name (access.log.1, access.log-20261123) that come
 * after a place in the order of rotation, oldest first. If there are too many, lists the oldest.
 * Several files may have the same time. If the file at that place is gone, files of the same time
 * count as earlier. Compressed files are not listed; the list names the oldest one. */
void rotate_since(const char *path, struct rotate_place after, struct rotate_list *list);
void rotate_close(struct rotate_list *list);

/* True if the text of `now` begins with the whole text of the file, which is not older than `now`.
 * The copy may still be being written. False if `now` is empty. */
bool rotate_is_copy(const struct rotated_file *one, int now);

/* Writes the path of `name` in the folder of `path`. Returns false if the path is too long. */
bool rotate_path(const char *path, const char *name, char to[ROTATE_PATH]);

#endif
