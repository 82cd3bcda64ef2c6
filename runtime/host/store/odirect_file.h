/* odirect_file.h -- writes a file from its beginning, past the page cache if possible.
 *
 * Snapshots are large and are not read soon: copying them into the page cache would take processor
 * time that the stages need. A last piece that is less than a page goes through the cache. So does
 * everything on file systems without O_DIRECT (tmpfs, some network and overlay file systems). The
 * caller syncs the file in both cases.
 */
#ifndef LEAT_HOST_STORE_ODIRECT_FILE_H
#define LEAT_HOST_STORE_ODIRECT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct odirect_file {
    int fd;
    bool past_cache; /* false once it falls back to the cache */
    char *block;     /* bytes that are not written yet */
    size_t filled;
};

/* Begins. fd: open for writing, empty; the caller keeps it. Returns LEAT_OK or LEAT_ENOMEM;
 * afterwards always call odirect_file_end. */
int odirect_file_begin(struct odirect_file *d, int fd);
/* Returns LEAT_OK, or LEAT_EIO with errno. */
int odirect_file_write(struct odirect_file *d, const void *bytes, size_t n);
/* Writes the rest, unless `status` is a failure of an earlier write, and frees the block. Returns
 * the first failure, with its errno. */
int odirect_file_end(struct odirect_file *d, int status);

#endif
