/* odirect_file.h -- writing a file from its beginning, past the page cache where the file system
 * lets us.
 *
 * Snapshots are large and are not read soon: copying them into the page cache would take processor
 * time that the stages lack. A last piece that is less than a page goes through the cache, and so
 * does everything on file systems without O_DIRECT (tmpfs, some network and overlay file systems).
 * The caller syncs the file in both cases.
 */
#ifndef LEAT_HOST_STORE_ODIRECT_FILE_H
#define LEAT_HOST_STORE_ODIRECT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct odirect_file {
    int fd;
    bool past_cache; /* so far */
    char *block;     /* bytes that are not written yet */
    size_t filled;
};

/* fd: open for writing, empty, the caller's. LEAT_OK or LEAT_ENOMEM; afterwards always end it. */
int odirect_file_begin(struct odirect_file *d, int fd);
/* LEAT_OK, or LEAT_EIO with errno. */
int odirect_file_write(struct odirect_file *d, const void *bytes, size_t n);
/* Writes the rest, unless `status` is a failure of an earlier write, and frees the block. Returns
 * the first failure, with its errno. */
int odirect_file_end(struct odirect_file *d, int status);

#endif
