/* stream.c -- see stream.h.
 *
 * The first bytes say what an input is, not its name. Plain text goes from read(2) to the caller.
 * Compressed data passes through libarchive: its raw format with the one filter that the magic
 * bytes ask for. Only that one, because libarchive removes filter after filter as long as one fits,
 * and a text may begin like a uuencoded file.
 *
 * Magic bytes are read one read(2) at a time, and only as long as they could still become a magic:
 * a pipe with "a\n" is known to be text at once. They are returned before all else, so nothing is
 * ever sought, and a pipe works like a file.
 *
 * When compressed data ends early, libarchive keeps back the block that it was decoding: the last
 * text before the end does not come out, up to 64 KiB of gzip, 4 MiB of lz4. It does not check the
 * CRC of gzip either.
 *
 * A pipe is never read before poll(2) reports data, with the host's stop_fd in the same call, so
 * that a request to stop is noticed while no data come. */
#include "stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>

enum { MARK_EVERY = 48 << 10 }; /* bytes of text: all marks, 96 MiB */
enum { WAIT_MS = 500 };         /* how long to wait for an idle pipe */

struct coding {
    const char *name;
    size_t n;
    unsigned char magic[STREAM_MAGIC_BYTES];
    size_t level; /* index of a byte that may be any digit, 1 to 9; 0: none */
    int filter;
    int (*support)(struct archive *);
};

// clang-format off
static const struct coding codings[] = {
    {"gzip", 3, {0x1f, 0x8b, 8}, 0, ARCHIVE_FILTER_GZIP, archive_read_support_filter_gzip},
    /* a text may begin with "BZh9", but not with the magic of a block, or of the end, after it */
    {"bzip2", 6, {'B', 'Z', 'h', 0, '1', 'A'}, 3, ARCHIVE_FILTER_BZIP2,
     archive_read_support_filter_bzip2},
    {"bzip2", 6, {'B', 'Z', 'h', 0, 0x17, 'r'}, 3, ARCHIVE_FILTER_BZIP2,
     archive_read_support_filter_bzip2},
    {"xz", 6, {0xfd, '7', 'z', 'X', 'Z', 0}, 0, ARCHIVE_FILTER_XZ, archive_read_support_filter_xz},
    {"zstd", 4, {0x28, 0xb5, 0x2f, 0xfd}, 0, ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd},
    {"lz4", 4, {0x04, 0x22, 0x4d, 0x18}, 0, ARCHIVE_FILTER_LZ4, archive_read_support_filter_lz4},
};
// clang-format on

__attribute__((format(printf, 2, 3))) static enum stream_status failed(struct stream *st,
                                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(st->why, sizeof st->why, format, args);
    va_end(args);
    return STREAM_FAILED;
}

/* Small files are read in small pieces, because progress is estimated from the bytes read. */
static size_t raw_piece(uint64_t bytes)
{
    uint64_t piece = bytes / 256;
    return piece < 512 ? 512 : piece < STREAM_RAW_BYTES ? (size_t)piece : STREAM_RAW_BYTES;
}

enum stream_status stream_open(struct stream *st, const struct input *input, char *raw)
{
    assert(raw);
    *st = (struct stream){.input = input, .raw = raw, .raw_piece = STREAM_RAW_BYTES};
    /* Non-blocking, because opening a named pipe would wait for its writer; poll() does that. */
    st->fd =
        input->standard_input ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (st->fd < 0 || fstat(st->fd, &about))
        return failed(st, "cannot read %s: %s", input->name, strerror(errno));
    st->waits = !S_ISREG(about.st_mode);
    if (!st->waits) st->raw_piece = raw_piece((uint64_t)about.st_size);
    if (!st->waits) (void)posix_fadvise(st->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return STREAM_TEXT;
}

void stream_close(struct stream *st)
{
    if (st->archive) archive_read_free(st->archive);
    if (st->input && !st->input->standard_input && st->fd >= 0) close(st->fd);
    *st = (struct stream){.fd = -1};
}

/* STREAM_TEXT: there are bytes to read, or the end. */
static enum stream_status wait_for_data(const struct stream *st, int milliseconds)
{
    if (!st->waits) return STREAM_TEXT;
    const struct leat_host *host = st->ctx->host;
    struct pollfd fds[2] = {{.fd = st->fd, .events = POLLIN},
                            {.fd = host->stop_fd(st->ctx), .events = POLLIN}};
    int n = poll(fds, 2, milliseconds);
    if (host->stopping(st->ctx) || (n > 0 && fds[1].revents)) return STREAM_STOPPED;
    return n > 0 ? STREAM_TEXT : STREAM_IDLE;
}

/* read(2) into to[0, cap). */
static enum stream_status read_raw(struct stream *st, void *to, size_t cap, int milliseconds,
                                   size_t *n)
{
    *n = 0;
    while (!st->raw_ended) {
        enum stream_status s = wait_for_data(st, milliseconds);
        if (s != STREAM_TEXT) return s;
        ssize_t got = read(st->fd, to, cap);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return STREAM_IDLE;
        if (got < 0) {
            st->error = errno;
            return STREAM_FAILED;
        }
        st->raw_ended = got == 0;
        *n = (size_t)got;
        st->raw_read += *n;
        return got ? STREAM_TEXT : STREAM_END;
    }
    return STREAM_END;
}

static enum stream_status read_failed(struct stream *st)
{
    return failed(st, "cannot read %s: %s, after %llu bytes of text", st->input->name,
                  strerror(st->error), (unsigned long long)st->text);
}

/* libarchive asks for compressed bytes: 0 is the end, -1 a failure. */
static la_ssize_t feed(struct archive *a, void *arg, const void **bytes)
{
    struct stream *st = arg;
    if (st->magic_used < st->n_magic) {
        *bytes = st->magic + st->magic_used;
        size_t n = st->n_magic - st->magic_used;
        st->magic_used = st->n_magic;
        return (la_ssize_t)n;
    }
    size_t n;
    do
        st->raw_status = read_raw(st, st->raw, st->raw_piece, WAIT_MS, &n);
    while (st->raw_status == STREAM_IDLE);
    *bytes = st->raw;
    if (st->raw_status == STREAM_TEXT || st->raw_status == STREAM_END) return (la_ssize_t)n;
    archive_set_error(a, st->error, "nothing to read");
    return -1;
}

/* Why libarchive could not continue. */
static enum stream_status decode_failed(struct stream *st)
{
    const char *name = st->input->name;
    unsigned long long text = st->text;
    if (st->raw_status == STREAM_STOPPED) return STREAM_STOPPED;
    if (st->raw_status == STREAM_FAILED) return read_failed(st);
    if (st->raw_ended)
        return failed(st, "%s: compressed data (%s) ends early after %llu bytes of text", name,
                      st->coding, text);
    const char *what = archive_error_string(st->archive);
    return failed(st, "%s: compressed data (%s) is damaged after %llu bytes of text: %s", name,
                  st->coding, text, what ? what : "no reason given");
}

static enum stream_status open_archive(struct stream *st, const struct coding *c)
{
    struct archive *a = st->archive = archive_read_new();
    st->coding = c->name;
    if (!a || archive_read_support_format_raw(a) || archive_read_support_format_empty(a))
        return failed(st, "cannot read %s: out of memory", st->input->name);
    if (c->support(a)) /* a warning: it would start a program */
        return failed(st, "cannot read %s: libarchive was built without %s", st->input->name,
                      c->name);
    struct archive_entry *entry;
    if (archive_read_open2(a, st, NULL, feed, NULL, NULL) || archive_filter_code(a, 0) != c->filter)
        return decode_failed(st);
    int result = archive_read_next_header(a, &entry);
    /* Data that end in the first block look empty, except for the message. */
    if (result == ARCHIVE_EOF && !archive_error_string(a)) return STREAM_END;
    return result == ARCHIVE_OK ? STREAM_TEXT : decode_failed(st);
}

/* The coding whose magic the first bytes are, or NULL; *maybe: more bytes may decide it. */
static const struct coding *coding_of(const struct stream *st, bool *maybe)
{
    *maybe = false;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        const struct coding *c = &codings[i];
        bool fits = true;
        for (size_t k = 0; k < c->n && k < st->n_magic; k++) {
            bool digit = st->magic[k] >= '1' && st->magic[k] <= '9';
            fits &= c->level && k == c->level ? digit : st->magic[k] == c->magic[k];
        }
        if (fits && st->n_magic >= c->n) return c;
        *maybe |= fits;
    }
    return NULL;
}

static enum stream_status find_coding(struct stream *st, int milliseconds)
{
    bool maybe;
    const struct coding *c;
    while (!(c = coding_of(st, &maybe)) && maybe) {
        size_t n;
        enum stream_status s = read_raw(st, st->magic + st->n_magic,
                                        STREAM_MAGIC_BYTES - st->n_magic, milliseconds, &n);
        st->n_magic += n;
        if (s == STREAM_END) break;
        if (s != STREAM_TEXT) return s == STREAM_FAILED ? read_failed(st) : s;
    }
    st->known = true;
    return c ? open_archive(st, c) : STREAM_TEXT;
}

static enum stream_status read_plain(struct stream *st, char *text, size_t cap, int milliseconds,
                                     size_t *n)
{
    if (st->magic_used < st->n_magic) {
        *n = st->n_magic - st->magic_used;
        *n = *n < cap ? *n : cap;
        memcpy(text, st->magic + st->magic_used, *n);
        st->magic_used += *n;
        return STREAM_TEXT;
    }
    enum stream_status s = read_raw(st, text, cap, milliseconds, n);
    return s == STREAM_FAILED ? read_failed(st) : s;
}

static struct stream_mark mark(const struct stream *st, uint64_t k)
{
    return st->mark[k % STREAM_MARKS];
}

/* Marks are some distance apart, so that the last of them cover all text that the caller may hold.
 * They depend on the input alone. */
static void note_mark(struct stream *st)
{
    uint64_t decoded = st->text + st->n_block, last = 0;
    if (st->n_marks) last = mark(st, st->n_marks - 1).text;
    if (!st->n_block || (st->n_marks && decoded - last < MARK_EVERY)) return;
    st->mark[st->n_marks++ % STREAM_MARKS] =
        (struct stream_mark){decoded, st->raw_read, last == st->text};
}

static enum stream_status read_decoded(struct stream *st, char *text, size_t cap, size_t *n)
{
    while (!st->n_block) {
        const void *block;
        la_int64_t offset;
        int result = archive_read_data_block(st->archive, &block, &st->n_block, &offset);
        if (result == ARCHIVE_EOF) return STREAM_END;
        if (result != ARCHIVE_OK) return decode_failed(st);
        st->block = block;
        note_mark(st);
    }
    *n = st->n_block < cap ? st->n_block : cap;
    memcpy(text, st->block, *n);
    st->block += *n;
    st->n_block -= *n;
    return STREAM_TEXT;
}

enum stream_status stream_read(struct leat_ctx *ctx, struct stream *st, char *text, size_t cap,
                               bool wait, size_t *n)
{
    int milliseconds = wait ? WAIT_MS : 0;
    enum stream_status s = STREAM_TEXT;
    assert(st->fd >= 0);
    *n = 0;
    st->ctx = ctx;
    if (!st->known) s = find_coding(st, milliseconds);
    if (s != STREAM_TEXT) return s;
    s = st->archive ? read_decoded(st, text, cap, n) : read_plain(st, text, cap, milliseconds, n);
    st->text += *n;
    return s;
}

/* In a block that came whole: in proportion; otherwise by the rate since the mark before. So the
 * answer does not depend on how much was decoded since. */
uint64_t stream_at(const struct stream *st, uint64_t offset)
{
    assert(offset <= st->text);
    if (!st->archive) return offset;
    uint64_t k = st->n_marks, oldest = k > STREAM_MARKS ? k - STREAM_MARKS + 2 : 0;
    while (k > oldest && mark(st, k - 1).text > offset)
        k--;
    struct stream_mark from = k ? mark(st, k - 1) : (struct stream_mark){0}, a = from, b = from;
    if (k < st->n_marks && mark(st, k).whole)
        b = mark(st, k);
    else if (k)
        a = k > 1 ? mark(st, k - 2) : (struct stream_mark){0};
    if (b.text == a.text) return 0;
    double slope = (double)(b.raw - a.raw) / (double)(b.text - a.text);
    return (uint64_t)((double)from.raw + slope * (double)(offset - from.text));
}
