/* decoder_plan.c -- see decoder_plan.h. */
#include "decoder_plan.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder.h"

/* zstd --ultra -22 and xz -9 ask for no more; zstd -19 and xz -6 for no more. */
#define FILE_WINDOW ((uint64_t)128 << 20)
#define PIPE_WINDOW ((uint64_t)8 << 20)

struct first_bytes {
    unsigned char v[DECODER_HEAD];
    size_t n;
};

/* The coding that a file's first bytes say; NULL: text. */
static const struct coding *coding_of(int fd, struct first_bytes *first)
{
    bool maybe;
    ssize_t n = pread(fd, first->v, sizeof first->v, 0);
    first->n = n < 0 ? 0 : (size_t)n;
    return decoder_coding(first->v, first->n, &maybe);
}

static uint64_t window_of(const struct coding *c, const struct first_bytes *first, uint64_t set)
{
    if (set) return set;
    uint64_t asked = c ? decoder_window(c, first->v, first->n) : 0;
    if (asked < PIPE_WINDOW) return PIPE_WINDOW;
    return asked < FILE_WINDOW ? asked : FILE_WINDOW;
}

uint64_t decoder_plan_window(int fd, uint64_t set)
{
    struct first_bytes first;
    const struct coding *c = fd < 0 ? NULL : coding_of(fd, &first);
    return window_of(c, &first, set);
}

static uint64_t bytes_of_file(int fd, uint64_t set)
{
    struct first_bytes first;
    const struct coding *c = coding_of(fd, &first);
    return c ? decoder_bytes(c, window_of(c, &first, set)) : 0;
}

/* A pipe may hold any coding. */
uint64_t decoder_plan_bytes(const char *path, uint64_t set)
{
    struct stat st = {.st_mode = S_IFIFO};
    if (strcmp(path, "-") && stat(path, &st)) return 0;
    if (!S_ISREG(st.st_mode)) return decoder_bytes(NULL, decoder_plan_window(-1, set));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t bytes = fd < 0 ? 0 : bytes_of_file(fd, set);
    if (fd >= 0) close(fd);
    return bytes;
}
