/* odirect_file.h -- writing a file from its beginning, past the page cache where the file system
 * lets us.
 *
 * Snapshots are large, and nobody reads them soon: copying them into the page cache would take
 * processor time that the stages lack. What is not a whole page at the end goes through the cache,
 * and so does everything where O_DIRECT cannot be had (tmpfs, some network and overlay file
 * systems). Syncing is left to the caller: it is needed in both cases.
 */
#ifndef LEAT_STORE_ODIRECT_FILE_H
#define LEAT_STORE_ODIRECT_FILE_H

#include <stddef.h>

struct odirect_file {
    int fd;
    int past_cache; /* still */
    char *block;    /* what is not written yet */
    size_t filled;
};

/* fd: open for writing, empty, the caller's. LEAT_OK or LEAT_ENOMEM; afterwards always end it. */
int odirect_file_begin(struct odirect_file *d, int fd);
/* LEAT_OK, or LEAT_EIO with errno. */
int odirect_file_write(struct odirect_file *d, const void *bytes, size_t n);
/* Writes the rest, unless `status` says that it went wrong before, and frees. The first failure of
 * both, with its errno. */
int odirect_file_end(struct odirect_file *d, int status);

#endif
