/* odirect_file.c -- implementation of odirect_file.h. */
#include "odirect_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/status.h>

enum {
    PAGE = 4096,    /* alignment that all known devices accept; others answer EINVAL */
    BLOCK = 1 << 20 /* a multiple of PAGE                                            */
};

#ifdef O_DIRECT
static bool set_past_cache(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}
#else
static bool set_past_cache(int fd, bool on) { return (void)fd, !on; }
#endif

int odirect_file_begin(struct odirect_file *d, int fd)
{
    *d = (struct odirect_file){.fd = fd, .block = aligned_alloc(PAGE, BLOCK)};
    if (!d->block) return LEAT_ENOMEM;
    d->past_cache = set_past_cache(fd, true);
    return LEAT_OK;
}

static void through_cache(struct odirect_file *d)
{
    if (d->past_cache) set_past_cache(d->fd, false);
    d->past_cache = false;
}

/* Writes the first n bytes of the block. After a short write, the file offset is not a multiple of
 * a page, so the rest goes through the cache. */
static int write_block(struct odirect_file *d, size_t n)
{
    for (const char *p = d->block; n;) {
        ssize_t done = write(d->fd, p, n);
        if (done < 0 && errno == EINVAL && d->past_cache) {
            through_cache(d);
            continue;
        }
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return LEAT_EIO;
        p += done;
        n -= (size_t)done;
    }
    return LEAT_OK;
}

int odirect_file_write(struct odirect_file *d, const void *bytes, size_t n)
{
    assert(d->block);
    for (const char *p = bytes; n;) {
        size_t fits = BLOCK - d->filled < n ? BLOCK - d->filled : n;
        memcpy(d->block + d->filled, p, fits);
        d->filled += fits;
        p += fits;
        n -= fits;
        if (d->filled < BLOCK) break;
        if (write_block(d, BLOCK) != LEAT_OK) return LEAT_EIO;
        d->filled = 0;
    }
    return LEAT_OK;
}

int odirect_file_end(struct odirect_file *d, int status)
{
    int why = errno;
    if (status == LEAT_OK) {
        through_cache(d);
        status = write_block(d, d->filled);
        why = errno;
    }
    free(d->block);
    *d = (struct odirect_file){.fd = -1};
    errno = why;
    return status;
}
