/* stream.c -- implementation of stream.h.
 *
 * An input's first bytes decide its coding, not its name. Plain text goes from read(2) to the
 * caller. Compressed data pass through a decoder (decoder.h), block by block.
 *
 * The first bytes are read only while they could still become the magic of a coding: a pipe with "a
 * " is known to be text at once. These bytes are returned first, so nothing needs lseek(2), and a
 * pipe works like a file.
 *
 * If compressed data end early or are damaged, stream_read() first returns all text decoded before,
 * and then the failure.
 *
 * Text in another encoding is decompressed first and then converted, piece by piece.
 *
 * A pipe is never read before poll(2) reports data. The same call watches the host's stop_fd, so a
 * request to stop is noticed while no data arrive. */
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

#include "core/time/clock.h"
#include "wake_fd.h"

enum { MARK_EVERY = 48 << 10 }; /* bytes of text between marks; all marks span 96 MiB */
enum { WAIT_MS = 100 };         /* longest wait for a pipe, in one call of produce */
static const uint64_t PATIENCE_NS = UINT64_C(5000000000); /* silence that causes a warning */

__attribute__((format(printf, 2, 3))) static enum stream_status failed(struct stream *st,
                                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(st->why, sizeof st->why, format, args);
    va_end(args);
    return STREAM_FAILED;
}

/* Returns the bytes to read at a time. Small files are read in small pieces, because progress is
 * estimated from the bytes read. */
static size_t raw_piece(uint64_t bytes)
{
    uint64_t piece = bytes / 256;
    return piece < 512 ? 512 : piece < STREAM_RAW_BYTES ? (size_t)piece : STREAM_RAW_BYTES;
}

enum stream_status stream_open(struct stream *st, const struct input *input, char *raw)
{
    assert(raw);
    *st = (struct stream){.input = input,
                          .wake_fd = -1,
                          .raw = raw,
                          .after = STREAM_TEXT,
                          .raw_piece = STREAM_RAW_BYTES};
    st->opened_ns = clock_ns();
    /* Non-blocking, because open() of a named pipe would wait for a writer. poll() waits
     * instead. */
    st->fd =
        input->standard_input ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (st->fd < 0 || fstat(st->fd, &about))
        return failed(st, "cannot read %s: %s", input->name, strerror(errno));
    st->waits = !S_ISREG(about.st_mode);
    st->bytes = st->waits ? 0 : (uint64_t)about.st_size;
    if (!st->waits) st->raw_piece = raw_piece(st->bytes);
    if (!st->waits) (void)posix_fadvise(st->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return STREAM_TEXT;
}

void stream_close(struct stream *st)
{
    decoder_end(&st->decoder);
    if (st->input && !st->input->standard_input && st->fd >= 0) close(st->fd);
    *st = (struct stream){.fd = -1};
}

/* Warns once if a pipe has sent nothing for PATIENCE_NS. */
static void tell_patience(struct stream *st)
{
    if (st->idle_warned || st->raw_read || clock_ns() - st->opened_ns < PATIENCE_NS) return;
    st->idle_warned = true;
    st->ctx->host->log(st->ctx, LEAT_WARN,
                       "nothing has come from %s yet: waiting for a program to write to it",
                       st->input->name);
}

/* Waits for data. Returns STREAM_TEXT if there are bytes to read, or the input has ended. */
static enum stream_status wait_for_data(struct stream *st, int milliseconds)
{
    if (!st->waits) return STREAM_TEXT;
    const struct leat_host *host = st->ctx->host;
    struct pollfd fds[3] = {{.fd = st->fd, .events = POLLIN},
                            {.fd = host->stop_fd(st->ctx), .events = POLLIN},
                            {.fd = st->wake_fd, .events = POLLIN}};
    int n = poll(fds, 3, milliseconds);
    if (host->stopping(st->ctx) || (n > 0 && fds[1].revents)) return STREAM_STOPPED;
    if (n > 0 && fds[2].revents) wake_fd_clear(st->wake_fd);
    if (!n) tell_patience(st);
    return n > 0 && fds[0].revents ? STREAM_TEXT : STREAM_IDLE;
}

static enum stream_status read_failed(struct stream *st)
{
    st->may_pass = true;
    return failed(st, "cannot read %s: %s, after %llu bytes of text", st->input->name,
                  strerror(errno), (unsigned long long)st->text);
}

/* Ends the input. Fails if the file has become shorter than it was at the start, and the lost bytes
 * were not read. */
static enum stream_status end_of(struct stream *st)
{
    struct stat now;
    st->raw_ended = true;
    if (st->raw_read >= st->bytes || fstat(st->fd, &now) || (uint64_t)now.st_size >= st->bytes)
        return STREAM_END;
    st->may_pass = true;
    return failed(st,
                  "%s was cut short while it was read, from %llu to %llu bytes: get the whole file "
                  "again",
                  st->input->name, (unsigned long long)st->bytes, (unsigned long long)now.st_size);
}

/* Reads up to cap bytes of the input by read(2). */
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
        if (got < 0) return read_failed(st);
        if (!got) return end_of(st);
        *n = (size_t)got;
        st->raw_read += *n;
        return STREAM_TEXT;
    }
    return STREAM_END;
}

/* Gives the decoder more compressed bytes. Returns STREAM_TEXT even if there are no more. */
static enum stream_status feed(struct stream *st)
{
    struct decoder *d = &st->decoder;
    if (st->magic_used < st->n_magic) {
        d->in = st->magic + st->magic_used;
        d->n_in = st->n_magic - st->magic_used;
        st->magic_used = st->n_magic;
        return STREAM_TEXT;
    }
    enum stream_status s;
    do
        s = read_raw(st, st->raw, st->raw_piece, WAIT_MS, &d->n_in);
    while (s == STREAM_IDLE);
    d->in = (const unsigned char *)st->raw;
    d->last = s == STREAM_END;
    return s == STREAM_END ? STREAM_TEXT : s;
}

static unsigned long long megabytes(uint64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

/* Reports why the decoder cannot continue. */
static enum stream_status decode_failed(struct stream *st, enum decoder_status why)
{
    const struct decoder *d = &st->decoder;
    const char *name = st->input->name, *coding = decoder_name(d->failed);
    const char *kind = decoder_compresses(d->failed) ? "compressed data" : "data";
    unsigned long long text = st->text + st->n_block, at = st->raw_read - d->n_in - d->back;
    st->may_pass = why == DECODER_EARLY;
    if (why == DECODER_EARLY)
        return failed(st,
                      "%s: %s (%s) ends early after %llu bytes of text: get the whole file again",
                      name, kind, coding, text);
    if (why == DECODER_LARGE)
        return failed(
            st,
            "%s: %s (%s) needs a window of %lluMB and only %lluMB are allowed: set `window` of "
            "source.file to \"%lluMB\", in an application --decode-window %lluMB",
            name, kind, coding, megabytes(d->asked), megabytes(d->window), megabytes(d->asked),
            megabytes(d->asked));
    if (why == DECODER_REFUSED)
        return failed(st, "%s: %s (%s) cannot be read: %s", name, kind, coding, d->why);
    char test[32] = "";
    if (decoder_compresses(d->failed)) snprintf(test, sizeof test, " (%s -t tests it)", coding);
    return failed(
        st,
        "%s: %s (%s) is damaged after %llu bytes of text, at byte %llu: %s. Get the file again%s; "
        "records before the damage may also be wrong",
        name, kind, coding, text, at, d->why, test);
}

/* Returns the coding that the ending of the file name promises; NULL if none. Without this check a
 * file whose first bytes are damaged would be read as text. */
static const char *coding_in_name(const struct input *input)
{
    static const char *const names[][2] = {
        {".gz", "gzip"},     {".bz2", "bzip2"},    {".xz", "xz"},          {".zst", "zstd"},
        {".lz4", "lz4"},     {".lzma", "lzma"},    {".lz", "lzip"},        {".avro", "avro"},
        {".arrow", "arrow"}, {".arrows", "arrow"}, {".parquet", "parquet"}};
    const char *dot = input->standard_input ? NULL : strrchr(input->path, '.');
    for (size_t i = 0; dot && i < sizeof names / sizeof *names; i++)
        if (!strcmp(dot, names[i][0])) return names[i][1];
    return NULL;
}

const char *stream_lacks_header(const struct stream *st)
{
    return st->raw_read ? NULL : coding_in_name(st->input);
}

/* Fails if bytes that are no frame of zstd or lz4 follow a skippable frame. */
static enum stream_status check_after_skipped(struct stream *st, const struct coding *c)
{
    if (!st->skipped || (c ? decoder_has_skippable(c) : !st->n_magic)) return STREAM_TEXT;
    return failed(st,
                  "%s: compressed data (zstd or lz4) is damaged at byte %llu: no frame of zstd or "
                  "lz4 follows the skippable ones. Get the file again (zstd -t, lz4 -t test it)",
                  st->input->name, (unsigned long long)(st->raw_read - st->n_magic));
}

/* Begins the decoder of the coding that the first bytes have shown, and of items in it. */
static enum stream_status begin_decoder(struct stream *st, const struct coding *c)
{
    const char *named = coding_in_name(st->input);
    const struct coding *items = decoder_of_items(st->input->path, st->input->format);
    if (items && !named && c && !decoder_has_magic(c)) c = NULL;
    const char *said = c || st->skipped ? NULL : named;
    enum stream_status s = check_after_skipped(st, c);
    if (s != STREAM_TEXT) return s;
    if (!c && !said) c = items;
    if (c == items || (c && !decoder_compresses(c))) items = NULL;
    if (said && st->n_magic && !binary_kind(st->magic, st->n_magic))
        return failed(st,
                      "%s does not begin like %s data, though its name says so: rename it if it is "
                      "plain text, or get it again if it is damaged",
                      st->input->name, said);
    if (c && !decoder_begin(&st->decoder, c, items, st->input->window))
        return failed(st, "cannot read %s: there is not enough memory to decode it",
                      st->input->name);
    if (c && !st->waits) decoder_use_file(&st->decoder, st->fd);
    return STREAM_TEXT;
}

/* Drops bytes of a skippable frame: those in st->magic, then others. */
static enum stream_status skip_bytes(struct stream *st, int milliseconds)
{
    size_t n = st->n_magic < st->skip ? st->n_magic : (size_t)st->skip;
    memmove(st->magic, st->magic + n, st->n_magic - n);
    st->n_magic -= n;
    st->skip -= n;
    if (!st->skip) return STREAM_TEXT;
    size_t cap = st->skip < STREAM_RAW_BYTES ? (size_t)st->skip : STREAM_RAW_BYTES;
    enum stream_status s = read_raw(st, st->raw, cap, milliseconds, &n);
    st->skip -= n;
    if (s != STREAM_END) return s;
    st->may_pass = true;
    return failed(st,
                  "%s: compressed data (zstd or lz4) ends early within a skippable frame, at byte "
                  "%llu: get the whole file again",
                  st->input->name, (unsigned long long)st->raw_read);
}

/* Reads bytes into st->magic that may show the coding. */
static enum stream_status read_magic(struct stream *st, int milliseconds)
{
    size_t n;
    enum stream_status s =
        read_raw(st, st->magic + st->n_magic, DECODER_MAGIC - st->n_magic, milliseconds, &n);
    st->n_magic += n;
    return s;
}

static enum stream_status find_coding(struct stream *st, int milliseconds)
{
    bool maybe = true;
    const struct coding *c = NULL;
    enum stream_status s = STREAM_TEXT;
    while (st->skip || (!(c = decoder_coding(st->magic, st->n_magic, &maybe)) && maybe)) {
        s = st->skip ? skip_bytes(st, milliseconds) : read_magic(st, milliseconds);
        if (s == STREAM_END) break;
        if (s != STREAM_TEXT) return s;
        if (!st->skip) st->skip = decoder_skippable(st->magic, st->n_magic);
        st->skipped |= st->skip > 0;
    }
    s = begin_decoder(st, c);
    st->known = s == STREAM_TEXT;
    return s;
}

static enum stream_status stream_read_plain(struct stream *st, char *text, size_t cap,
                                            int milliseconds, size_t *n)
{
    if (st->magic_used < st->n_magic) {
        *n = st->n_magic - st->magic_used;
        *n = *n < cap ? *n : cap;
        memcpy(text, st->magic + st->magic_used, *n);
        st->magic_used += *n;
        return STREAM_TEXT;
    }
    return read_raw(st, text, cap, milliseconds, n);
}

static struct stream_mark mark(const struct stream *st, uint64_t k)
{
    return st->mark[k % STREAM_MARKS];
}

/* Adds a mark (struct stream_mark) if the text since the last mark has at least MARK_EVERY bytes.
 * So all marks together cover the text that the caller may hold. The marks depend only on the
 * input. */
static void note_mark(struct stream *st)
{
    uint64_t decoded = st->text + st->n_block, last = 0;
    if (st->n_marks) last = mark(st, st->n_marks - 1).text;
    if (!st->n_block || (st->n_marks && decoded - last < MARK_EVERY)) return;
    st->mark[st->n_marks++ % STREAM_MARKS] =
        (struct stream_mark){decoded, st->raw_read, last == st->text};
}

/* Fills the whole block, even if the compressed data arrive in pieces, so that marks depend only on
 * the input. */
static enum stream_status fill_block(struct stream *st)
{
    struct decoder *d = &st->decoder;
    enum decoder_status what;
    st->block_at = 0;
    while ((what = decoder_read(d, d->block, d->cap, &st->n_block)) == DECODER_MORE) {
        if (st->n_block && decoder_is_blocked(d->coding)) break;
        enum stream_status s = feed(st);
        if (s == STREAM_STOPPED) return s; /* the text so far stays */
        if (s == STREAM_FAILED) {
            st->after = s;
            break;
        }
    }
    if (decoder_reads_file(d->coding)) st->raw_read = decoder_file_at(d);
    if (what == DECODER_END) st->after = STREAM_END;
    if (what == DECODER_EARLY || what == DECODER_DAMAGED || what == DECODER_REFUSED ||
        what == DECODER_LARGE)
        st->after = decode_failed(st, what);
    note_mark(st);
    return STREAM_TEXT;
}

static enum stream_status read_decoded(struct stream *st, char *text, size_t cap, size_t *n)
{
    if (!st->n_block || !st->block_whole) {
        if (st->after != STREAM_TEXT) return st->after;
        enum stream_status s = fill_block(st);
        if (s != STREAM_TEXT) return s;
        st->block_whole = true;
        if (!st->n_block) return st->after;
    }
    *n = st->n_block < cap ? st->n_block : cap;
    memcpy(text, st->decoder.block + st->block_at, *n);
    st->block_at += *n;
    st->n_block -= *n;
    if (!st->n_block) st->block_whole = false;
    return STREAM_TEXT;
}

/* Keeps the first bytes of the text. Fails if they show that it is none (binary.h). */
static enum stream_status refuse_binary(struct stream *st, const char *text, size_t n)
{
    size_t free = BINARY_BYTES - st->n_first, add = n < free ? n : free;
    if (!add) return STREAM_TEXT;
    memcpy(st->first + st->n_first, text, add);
    st->n_first += add;
    const struct binary_kind *k = st->may_be_binary ? NULL : binary_kind(st->first, st->n_first);
    char what[BINARY_MESSAGE];
    if (!k) return STREAM_TEXT;
    return failed(st, "%s %s %s", st->input->name, st->decoder.coding ? "holds" : "is",
                  binary_message(k, st->input->name, what));
}

/* Reads text in the encoding of the input. */
static enum stream_status read_own(struct stream *st, char *text, size_t cap, int milliseconds,
                                   size_t *n)
{
    enum stream_status s = STREAM_TEXT;
    *n = 0;
    if (!st->known) s = find_coding(st, milliseconds);
    if (s != STREAM_TEXT) return s;
    s = st->decoder.coding ? read_decoded(st, text, cap, n)
                           : stream_read_plain(st, text, cap, milliseconds, n);
    if (refuse_binary(st, text, *n) == STREAM_FAILED) {
        *n = 0;
        return STREAM_FAILED;
    }
    st->text += *n;
    return s;
}

/* ---- other encodings ---- */

void stream_is_coded(struct stream *st, struct stream_coded *coded, enum recode_from from)
{
    st->coded = from == RECODE_NONE ? NULL : coded;
    if (!st->coded) return;
    coded->recode = (struct recode){.from = from};
    coded->at = coded->n = 0;
    coded->utf8 = coded->given = coded->n_marks = 0;
    coded->after = STREAM_TEXT;
}

static void mark_coded(struct stream_coded *c)
{
    uint64_t last = c->n_marks ? c->mark[(c->n_marks - 1) % STREAM_MARKS].text : 0;
    if (c->n_marks && c->utf8 - last < MARK_EVERY) return;
    c->mark[c->n_marks++ % STREAM_MARKS] = (struct stream_mark){c->utf8, c->given, false};
}

static enum stream_status fill_coded(struct stream *st, int milliseconds)
{
    struct stream_coded *c = st->coded;
    mark_coded(c);
    enum stream_status s = read_own(st, c->text, sizeof c->text, milliseconds, &c->n);
    c->at = 0;
    if (s == STREAM_END || s == STREAM_FAILED) c->after = s;
    return s;
}

/* Reads until a character is complete, which may need several pieces of the input. */
static enum stream_status read_coded(struct stream *st, char *text, size_t cap, int milliseconds,
                                     size_t *n)
{
    struct stream_coded *c = st->coded;
    for (*n = 0; !*n;) {
        if (c->at == c->n && c->after == STREAM_TEXT) {
            enum stream_status s = fill_coded(st, milliseconds);
            if (s != STREAM_TEXT && s != c->after) return s;
        }
        if (c->at == c->n) {
            *n = recode_end(&c->recode, text);
            c->utf8 += *n;
            return *n ? STREAM_TEXT : c->after;
        }
        size_t used;
        *n = recode_some(&c->recode, (const uint8_t *)c->text + c->at, c->n - c->at, &used, text,
                         cap);
        c->at += used;
        c->given += used;
        c->utf8 += *n;
    }
    return STREAM_TEXT;
}

enum stream_status stream_read(struct leat_ctx *ctx, struct stream *st, char *text, size_t cap,
                               bool wait, size_t *n)
{
    int milliseconds = wait ? WAIT_MS : 0;
    assert(st->fd >= 0);
    st->ctx = ctx;
    return st->coded ? read_coded(st, text, cap, milliseconds, n)
                     : read_own(st, text, cap, milliseconds, n);
}

/* ---- place in the input ---- */

/* Estimates the byte of the input for `offset` of the text: by interpolation within a block that
 * was decoded as a whole, else by the compression ratio between the two marks before. So the result
 * does not depend on how much was decoded later. */
static uint64_t own_at(const struct stream *st, uint64_t offset)
{
    assert(offset <= st->text);
    if (!st->decoder.coding) return offset;
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

/* Returns the byte of the input at which the converted piece with this byte of text begins. The
 * pieces depend only on the input. */
uint64_t stream_at(const struct stream *st, uint64_t offset)
{
    const struct stream_coded *c = st->coded;
    if (!c) return own_at(st, offset);
    uint64_t k = c->n_marks, oldest = k > STREAM_MARKS ? k - STREAM_MARKS : 0;
    while (k > oldest && c->mark[(k - 1) % STREAM_MARKS].text > offset)
        k--;
    return k > oldest ? own_at(st, c->mark[(k - 1) % STREAM_MARKS].raw) : 0;
}
