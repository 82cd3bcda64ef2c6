/* odirect_file.h -- writes a file from its beginning, past the page cache if possible.
 *
 * Snapshots are large and are not read soon. Copying them into the page cache would take processor
 * time that the stages need. A last piece that is shorter than a page goes through the cache. So
 * does the whole file on file systems without O_DIRECT (tmpfs, some network and overlay file
 * systems). The caller syncs the file in both cases. */
#ifndef LEAT_HOST_STORE_ODIRECT_FILE_H
#define LEAT_HOST_STORE_ODIRECT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct odirect_file {
    int fd;
    bool past_cache; /* true while writing past the cache; false after falling back to it */
    char *block;     /* bytes that are not written yet */
    size_t filled;
};

/* Starts writing to fd, an empty file that is open for writing and that the caller will close.
 * Returns LEAT_OK or LEAT_ENOMEM. Always call odirect_file_end() afterwards. */
int odirect_file_begin(struct odirect_file *d, int fd);
/* Writes n bytes. Returns LEAT_OK; or LEAT_EIO with errno. */
int odirect_file_write(struct odirect_file *d, const void *bytes, size_t n);
/* Writes the bytes that are left in d->block, unless an earlier write has failed with `status`.
 * Frees the block. Returns `status` or the failure of the last write, with its errno. */
int odirect_file_end(struct odirect_file *d, int status);

#endif
