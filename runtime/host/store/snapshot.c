/* snapshot.c -- implementation of snapshot.h. */
#include "snapshot.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/status.h>

#include "core/le.h"
#include "crc32c.h"
#include "odirect_file.h"

static const char MAGIC[SNAPSHOT_MAGIC] = {'l', 'e', 'a', 't', 'S', 'N', 'A', 'P'};

enum { ALIGN = 64, HEADER = SNAPSHOT_HEADER, HEADER_CRC = 32, HEAD = 20, HEAD_CRC = 16 };

static size_t pad(size_t n) { return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

/* ---- writing a snapshot ---- */

/* Destination of a written snapshot: a file, or memory. */
struct snapshot_target {
    struct odirect_file *file;
    char *at; /* place in memory; NULL for a file */
};

static int put_bytes(struct snapshot_target *to, const void *bytes, size_t n)
{
    if (!to->at) return odirect_file_write(to->file, bytes, n);
    if (n) memcpy(to->at, bytes, n);
    to->at += n;
    return LEAT_OK;
}

static int put_padded(struct snapshot_target *to, const void *bytes, size_t n)
{
    static const char zeros[ALIGN];
    int status = put_bytes(to, bytes, n);
    return status == LEAT_OK ? put_bytes(to, zeros, pad(n) - n) : status;
}

static size_t head_bytes(const struct snapshot_section *s) { return HEAD + strlen(s->name); }

static int put_section(struct snapshot_target *to, const struct snapshot_section *s)
{
    unsigned char head[HEAD + SNAPSHOT_NAME] = {0};
    size_t len = strlen(s->name);
    assert(len < SNAPSHOT_NAME);
    le_put(head, len, 4);
    le_put(head + 4, crc32c(0, s->bytes, s->n), 4);
    le_put(head + 8, s->n, 8);
    memcpy(head + HEAD, s->name, len);
    le_put(head + HEAD_CRC, crc32c(crc32c(0, head, HEAD_CRC), s->name, len), 4);
    int status = put_padded(to, head, head_bytes(s));
    return status == LEAT_OK ? put_padded(to, s->bytes, s->n) : status;
}

size_t snapshot_bytes(const struct snapshot_section *section, uint32_t n)
{
    size_t total = HEADER;
    for (uint32_t i = 0; i < n; i++)
        total += pad(head_bytes(&section[i])) + pad(section[i].n);
    return total;
}

static int put_snapshot(struct snapshot_target *to, uint64_t checkpoint,
                        const struct snapshot_section *section, uint32_t n)
{
    unsigned char header[HEADER] = {0};
    memcpy(header, MAGIC, sizeof MAGIC);
    le_put(header + 8, SNAPSHOT_FORMAT, 4);
    le_put(header + 12, n, 4);
    le_put(header + 16, checkpoint, 8);
    le_put(header + 24, snapshot_bytes(section, n), 8);
    le_put(header + HEADER_CRC, crc32c(0, header, HEADER_CRC), 4);
    int status = put_padded(to, header, HEADER);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++)
        status = put_section(to, &section[i]);
    return status;
}

int snapshot_write(int fd, uint64_t checkpoint, const struct snapshot_section *section, uint32_t n)
{
    struct odirect_file file;
    int status = odirect_file_begin(&file, fd);
    if (status == LEAT_OK)
        status = put_snapshot(&(struct snapshot_target){.file = &file}, checkpoint, section, n);
    return odirect_file_end(&file, status);
}

void snapshot_put(void *to, uint64_t checkpoint, const struct snapshot_section *section, uint32_t n)
{
    put_snapshot(&(struct snapshot_target){.at = to}, checkpoint, section, n);
}

/* ---- reading a snapshot ---- */

static int snapshot_refuse(struct snapshot *s, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int snapshot_refuse(struct snapshot *s, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->error, sizeof s->error, format, args);
    va_end(args);
    return status;
}

bool snapshot_begins(const void *bytes, size_t n)
{
    return n >= sizeof MAGIC && !memcmp(bytes, MAGIC, sizeof MAGIC);
}

size_t snapshot_length(const unsigned char header[SNAPSHOT_HEADER])
{
    uint64_t bytes = le_get(header + 24, 8);
    bool good = snapshot_begins(header, HEADER) &&
                le_get(header + HEADER_CRC, 4) == crc32c(0, header, HEADER_CRC);
    return good && bytes >= HEADER && bytes % ALIGN == 0 ? bytes : 0;
}

/* Checks the header. `have` bytes of the file, which has n bytes, are available at p. */
static int check_header(struct snapshot *s, const unsigned char *p, size_t have, size_t n)
{
    if (memcmp(p, MAGIC, have < sizeof MAGIC ? have : sizeof MAGIC))
        return snapshot_refuse(s, LEAT_EDATA,
                               "is not a snapshot (it does not begin with leatSNAP)");
    if (have < HEADER)
        return snapshot_refuse(s, LEAT_EDATA, "is truncated at byte %zu, within its header", have);
    if (le_get(p + HEADER_CRC, 4) != crc32c(0, p, HEADER_CRC))
        return snapshot_refuse(s, LEAT_EDATA, "has a damaged header");
    if (le_get(p + 8, 4) != SNAPSHOT_FORMAT)
        return snapshot_refuse(s, LEAT_EDATA, "has format %llu; this program reads format %d",
                               (unsigned long long)le_get(p + 8, 4), SNAPSHOT_FORMAT);
    uint64_t bytes = le_get(p + 24, 8);
    if (bytes > n)
        return snapshot_refuse(s, LEAT_EDATA, "is truncated at byte %zu of %llu", n,
                               (unsigned long long)bytes);
    if (bytes != n)
        return snapshot_refuse(s, LEAT_EDATA, "has %zu bytes instead of %llu", n,
                               (unsigned long long)bytes);
    if (bytes % ALIGN)
        return snapshot_refuse(s, LEAT_EDATA, "has a length of %zu bytes, not a multiple of %d", n,
                               ALIGN);
    for (size_t i = HEADER_CRC + 4; i < HEADER; i++)
        if (p[i]) return snapshot_refuse(s, LEAT_EDATA, "has a damaged header");
    return LEAT_OK;
}

static bool are_zeros(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

static int check_section(struct snapshot *s, const unsigned char *p, size_t n, size_t *at,
                         struct snapshot_section *out)
{
    const unsigned char *head = p + *at;
    size_t left = n - *at;
    if (left < ALIGN) return snapshot_refuse(s, LEAT_EDATA, "is truncated at byte %zu", *at);
    uint64_t len = le_get(head, 4), bytes = le_get(head + 8, 8);
    if (len >= SNAPSHOT_NAME || pad(HEAD + len) > left ||
        le_get(head + HEAD_CRC, 4) != crc32c(crc32c(0, head, HEAD_CRC), head + HEAD, len))
        return snapshot_refuse(s, LEAT_EDATA, "has a damaged section head at byte %zu", *at);
    size_t head_n = pad(HEAD + len);
    memcpy(out->name, head + HEAD, len);
    out->name[len] = 0;
    /* pad(bytes) fits, too, because left and head_n are multiples of ALIGN */
    if (bytes > left - head_n)
        return snapshot_refuse(s, LEAT_EDATA, "is truncated in section %s", out->name);
    out->bytes = head + head_n;
    out->n = bytes;
    if (le_get(head + 4, 4) != crc32c(0, out->bytes, bytes) ||
        !are_zeros(head + HEAD + len, head_n - HEAD - len) ||
        !are_zeros(head + head_n + bytes, pad(bytes) - bytes))
        return snapshot_refuse(s, LEAT_EDATA, "is damaged in section %s (bytes %zu to %zu)",
                               out->name, *at, *at + head_n + bytes);
    *at += head_n + pad(bytes);
    return LEAT_OK;
}

int snapshot_parse(struct snapshot *s, void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    *s = (struct snapshot){.bytes = bytes, .n_bytes = n};
    int status = check_header(s, p, n < HEADER ? n : HEADER, n);
    if (status != LEAT_OK) return status;
    uint64_t sections = le_get(p + 12, 4);
    if (sections > n / ALIGN) return snapshot_refuse(s, LEAT_EDATA, "has a damaged header");
    s->checkpoint = le_get(p + 16, 8);
    s->section = calloc(sections + 1, sizeof *s->section);
    if (!s->section)
        return snapshot_refuse(s, LEAT_ENOMEM, "cannot be read: there is not enough memory");
    size_t at = HEADER;
    for (; s->n < sections && status == LEAT_OK; s->n += status == LEAT_OK)
        status = check_section(s, p, n, &at, &s->section[s->n]);
    if (status == LEAT_OK && at != n)
        status = snapshot_refuse(s, LEAT_EDATA, "has %zu bytes after its last section", n - at);
    return status;
}

/* Reads the n bytes of the file. Returns NULL with errno if this fails; errno is 0 if the file is
 * shorter. */
static void *read_all(int fd, size_t n)
{
    char *bytes = aligned_alloc(ALIGN, pad(n + 1));
    size_t have = 0;
    while (bytes && have < n) {
        ssize_t got = read(fd, bytes + have, n - have);
        if (got < 0 && errno == EINTR) continue;
        if (got > 0) {
            have += (size_t)got;
            continue;
        }
        int why = got ? errno : 0;
        free(bytes);
        bytes = NULL;
        errno = why;
    }
    return bytes;
}

/* Checks the header before memory is allocated for the whole file, because the file may not be a
 * snapshot. */
static int check_file(struct snapshot *s, int fd, const struct stat *st)
{
    unsigned char header[HEADER];
    if (!S_ISREG(st->st_mode)) return snapshot_refuse(s, LEAT_EIO, "is not a regular file");
    ssize_t have = pread(fd, header, HEADER, 0);
    if (have < 0) return snapshot_refuse(s, LEAT_EIO, "cannot be read: %s", strerror(errno));
    return check_header(s, header, (size_t)have, (size_t)st->st_size);
}

/* Reports a read that failed. This does not mean that the snapshot is damaged. */
static int snapshot_cannot_read(struct snapshot *s, int why)
{
    bool lacking = why == ENOMEM || why == EMFILE || why == ENFILE;
    if (why == ENOMEM)
        return snapshot_refuse(
            s, LEAT_ENOMEM,
            "cannot be read: there is not enough memory for its %zu bytes: free memory, "
            "or raise the limit (ulimit -v)",
            s->n_bytes);
    return snapshot_refuse(s, lacking ? LEAT_ENOMEM : LEAT_EIO, "cannot be read: %s",
                           why ? strerror(why) : "it became shorter");
}

int snapshot_read(struct snapshot *s, const char *path)
{
    struct stat st;
    *s = (struct snapshot){0};
    /* without O_NONBLOCK, opening a pipe would wait for its writer */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) {
        int why = errno;
        if (fd >= 0) close(fd);
        return snapshot_cannot_read(s, why);
    }
    int status = check_file(s, fd, &st);
    if (status != LEAT_OK) {
        close(fd);
        return status;
    }
    s->n_bytes = (size_t)st.st_size;
    void *bytes = read_all(fd, s->n_bytes);
    int why = errno;
    close(fd);
    if (!bytes) return snapshot_cannot_read(s, why);
    return snapshot_parse(s, bytes, s->n_bytes);
}

void snapshot_free(struct snapshot *s)
{
    free(s->section);
    free(s->bytes);
    s->section = NULL;
    s->bytes = NULL;
}

const struct snapshot_section *snapshot_find(const struct snapshot *s, const char *name)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!strcmp(s->section[i].name, name)) return &s->section[i];
    return NULL;
}
