/* fingerprint.c -- implementation of fingerprint.h. */
#include "fingerprint.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t fingerprint_born(int fd)
{
    struct statx st;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME)) return 0;
    return (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
}

void fingerprint_reset(struct fingerprint *is) { is->tail_at = is->n_head = is->n_tail = 0; }

void fingerprint_take_text(struct fingerprint *is, const struct fingerprint *of, uint64_t offset)
{
    fingerprint_reset(is);
    is->n_head = of->n_head < offset ? of->n_head : (uint32_t)offset;
    memcpy(is->head, of->head, is->n_head);
    if (of->tail_at > offset) return;
    is->tail_at = of->tail_at;
    is->n_tail = of->n_tail;
    memcpy(is->tail, of->tail, is->n_tail);
}

void fingerprint_add(struct fingerprint *is, uint64_t at, const void *text, size_t n)
{
    if (at != is->n_head) return;
    size_t free = FINGERPRINT_BYTES - at;
    n = n < free ? n : free;
    memcpy(is->head + at, text, n);
    is->n_head += (uint32_t)n;
}

void fingerprint_move(struct fingerprint *is, uint64_t at, const char *end, size_t n)
{
    bool follows = at >= is->tail_at && at - is->tail_at <= n;
    uint64_t new = follows ? at - is->tail_at : at < n ? at : n;
    size_t add = new < FINGERPRINT_BYTES ? (size_t) new : FINGERPRINT_BYTES;
    size_t keep = FINGERPRINT_BYTES - add;
    if (!follows) is->n_tail = 0;
    keep = keep < is->n_tail ? keep : is->n_tail;
    memmove(is->tail, is->tail + is->n_tail - keep, keep);
    if (add) memcpy(is->tail + keep, end - add, add);
    is->n_tail = (uint32_t)(keep + add);
    is->tail_at = at;
}

void fingerprint_read_tail(struct fingerprint *is, int fd, uint64_t at)
{
    uint32_t n = at < FINGERPRINT_BYTES ? (uint32_t)at : FINGERPRINT_BYTES;
    is->tail_at = at;
    is->n_tail = pread(fd, is->tail, n, (off_t)(at - n)) == (ssize_t)n ? n : 0;
}

static bool has_bytes(int fd, uint64_t at, const uint8_t *wanted, size_t n)
{
    uint8_t found[FINGERPRINT_BYTES];
    return !n || (pread(fd, found, n, (off_t)at) == (ssize_t)n && !memcmp(found, wanted, n));
}

bool fingerprint_fits(const struct fingerprint *is, int fd)
{
    return has_bytes(fd, 0, is->head, is->n_head) &&
           has_bytes(fd, is->tail_at - is->n_tail, is->tail, is->n_tail);
}

bool fingerprint_same_tail(const struct fingerprint *is, const struct fingerprint *other)
{
    size_t common = other->n_tail < is->n_tail ? other->n_tail : is->n_tail;
    return !memcmp(is->tail + is->n_tail - common, other->tail + other->n_tail - common, common);
}

bool fingerprint_is_file(const struct fingerprint *is, int fd)
{
    struct stat st;
    if (fstat(fd, &st) || (uint64_t)st.st_ino != is->inode) return false;
    uint64_t born = is->born ? fingerprint_born(fd) : 0;
    return !born || born == is->born;
}

/* Finds the smallest period with the failure function of Knuth, Morris and Pratt: border[i] is the
 * length of the longest proper beginning of tail[0, i] that is also its end. */
bool fingerprint_repeats(const struct fingerprint *is)
{
    uint16_t border[FINGERPRINT_BYTES] = {0};
    uint32_t n = is->n_tail, k = 0;
    for (uint32_t i = 1; i < n; i++) {
        while (k && is->tail[i] != is->tail[k])
            k = border[k - 1];
        k += is->tail[i] == is->tail[k];
        border[i] = (uint16_t)k;
    }
    return n && n - k <= n / 2;
}
