/* decoder.c -- implementation of decoder.h. */
#include "decoder.h"

#include <assert.h>
#include <bzlib.h>
#include <fcntl.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "decoder_step.h"
#include "gzip.h"

/* ---- windows ---- */

#define MIB     ((uint64_t)1 << 20)
#define XZ_MORE MIB      /* most memory of xz in addition to its dictionary */
enum { ZSTD_HEAD = 18 }; /* longest header of a frame */

/* magic 4 | descriptor: sizes 2 bits, single segment 1 bit, … | window: exponent 5, mantissa 3 bits
 *
 * Reads the window of a zstd frame from its header. A single segment has no window; the size of its
 * whole text is used instead. For a skippable frame, *window is 0. Returns false if the header is
 * longer than n bytes. */
static bool window_zstd(const unsigned char *first, size_t n, uint64_t *window)
{
    if (n < 6) return false;
    bool is_frame = first[0] == 0x28, single = first[4] >> 5 & 1;
    *window = 0;
    if (is_frame && !single) {
        uint64_t base = (uint64_t)1 << (10 + (first[5] >> 3));
        *window = base + base / 8 * (first[5] & 7);
    } else if (is_frame) {
        *window = ZSTD_getFrameContentSize(first, n);
    }
    return *window != ZSTD_CONTENTSIZE_ERROR;
}

/* Returns the dictionary, rounded down to a MiB, of a decoder that needs `decoder_bytes` of
 * memory. */
static uint64_t window_xz_of(uint64_t decoder_bytes) { return decoder_bytes / MIB * MIB; }

/* Returns the dictionary that a file's first bytes declare, rounded down to a MiB; 0 if they do not
 * declare it. liblzma with a tiny memory limit reports how much memory it would need. */
static uint64_t window_xz(const unsigned char *first, size_t n)
{
    lzma_stream x = LZMA_STREAM_INIT;
    uint8_t out[1];
    uint64_t window = 0;
    if (lzma_stream_decoder(&x, 1, 0) == LZMA_OK) {
        x.next_in = first;
        x.avail_in = n;
        x.next_out = out;
        x.avail_out = sizeof out;
        if (lzma_code(&x, LZMA_RUN) == LZMA_MEMLIMIT_ERROR)
            window = window_xz_of(lzma_memusage(&x));
    }
    lzma_end(&x);
    return window;
}

/* ---- decoding ---- */

struct coding {
    const char *name;
    size_t n;
    unsigned char magic[DECODER_MAGIC];
    size_t level; /* index of a magic byte that may be any digit from 1 to 9; else 0 */
    size_t block; /* bytes of text that the library decodes at once */
    bool is_blocked;
    bool is_windowed;
    uint64_t bytes; /* most bytes of the library's state, without the window */
    void *(*begin)(uint64_t window);
    enum outcome (*run)(void *state, struct decoder_step *s);
    void (*end)(void *state);
};

/* Refuses data whose window is larger than allowed. */
static enum outcome too_large(struct decoder_step *s, uint64_t window)
{
    s->window = window;
    return LARGE;
}

/* ---- bzip2 ---- */

static void *bzip2_begin(uint64_t window)
{
    bz_stream *b = calloc(1, sizeof *b);
    if (b && BZ2_bzDecompressInit(b, 0, 0) == BZ_OK) return b;
    free(b);
    return NULL;
}

static enum outcome bzip2_next(bz_stream *b, struct decoder_step *s)
{
    BZ2_bzDecompressEnd(b);
    memset(b, 0, sizeof *b);
    return BZ2_bzDecompressInit(b, 0, 0) == BZ_OK ? MEMBER_ENDED
                                                  : decoder_damaged(s, "out of memory");
}

static enum outcome bzip2_run(void *state, struct decoder_step *s)
{
    bz_stream *b = state;
    unsigned n_in = decoder_at_most(s->n_in), n_out = decoder_at_most(s->n_out);
    b->next_in = (char *)s->in;
    b->avail_in = n_in;
    b->next_out = s->out;
    b->avail_out = n_out;
    int result = BZ2_bzDecompress(b);
    step_advance(s, n_in - b->avail_in, n_out - b->avail_out);
    if (result == BZ_STREAM_END) return bzip2_next(b, s);
    if (result == BZ_DATA_ERROR_MAGIC) return decoder_damaged(s, "no bzip2 header");
    if (result == BZ_MEM_ERROR) return decoder_damaged(s, "out of memory");
    return result == BZ_OK ? ON : decoder_damaged(s, "a checksum or code is wrong");
}

static void bzip2_end(void *state)
{
    BZ2_bzDecompressEnd(state);
    free(state);
}

/* ---- xz ---- */

static void *xz_begin(uint64_t window)
{
    lzma_stream *x = calloc(1, sizeof *x);
    if (x && lzma_stream_decoder(x, window + XZ_MORE, LZMA_CONCATENATED) == LZMA_OK) return x;
    free(x);
    return NULL;
}

/* Decodes. liblzma itself continues with the next member and skips padding. */
static enum outcome xz_run(void *state, struct decoder_step *s)
{
    lzma_stream *x = state;
    x->next_in = s->in;
    x->avail_in = s->n_in;
    x->next_out = (uint8_t *)s->out;
    x->avail_out = s->n_out;
    lzma_ret result = lzma_code(x, s->last ? LZMA_FINISH : LZMA_RUN);
    step_advance(s, s->n_in - x->avail_in, s->n_out - x->avail_out);
    if (result == LZMA_STREAM_END) return MEMBER_ENDED;
    if (result == LZMA_MEMLIMIT_ERROR) return too_large(s, window_xz_of(lzma_memusage(x)));
    if (result == LZMA_MEM_ERROR) return decoder_damaged(s, "out of memory");
    if (result == LZMA_FORMAT_ERROR) return decoder_damaged(s, "no xz header");
    return result == LZMA_OK || result == LZMA_BUF_ERROR
               ? ON
               : decoder_damaged(s, "a check or code is wrong");
}

static void xz_end(void *state)
{
    lzma_end(state);
    free(state);
}

/* ---- zstd ---- */

enum { ZSTD_WINDOW_LOG = 31 }; /* largest that the library allows: z->window is the exact limit */

struct zstd {
    ZSTD_DStream *stream;
    uint64_t window;               /* largest window allowed */
    unsigned char head[ZSTD_HEAD]; /* first n_head bytes of the frame */
    size_t n_head;
    uint64_t written; /* bytes of text of this frame so far */
};

static void *zstd_begin(uint64_t window)
{
    struct zstd *z = calloc(1, sizeof *z);
    if (z && (z->stream = ZSTD_createDStream())) {
        (void)ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
        z->window = window;
        return z;
    }
    free(z);
    return NULL;
}

/* Copies z->head to `head` and appends the first bytes of `in`. Returns the number of bytes in
 * `head`. */
static size_t decoder_add_head(const struct zstd *z, const unsigned char *in, size_t n,
                               unsigned char head[ZSTD_HEAD])
{
    size_t free = ZSTD_HEAD - z->n_head, kept = n < free ? n : free;
    memmove(head, z->head, z->n_head);
    memcpy(head + z->n_head, in, kept);
    return z->n_head + kept;
}

/* True if the n bytes begin a frame or a skippable frame. Frames of zstd before 0.8 are refused:
 * the library takes 128 MB for them whatever its limit is, and nobody writes them. */
static bool begin_frame(const unsigned char *first, size_t n)
{
    static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd},
                               skip[] = {0x50, 0x2a, 0x4d, 0x18};
    bool is_frame = true, is_skipped = true;
    for (size_t i = 0; i < n && i < sizeof magic; i++) {
        is_frame &= first[i] == magic[i];
        is_skipped &= (i ? first[i] : first[i] & 0xf0) == skip[i];
    }
    return is_frame || is_skipped;
}

/* Checks the window in the frame's header once the header is complete, before the library takes
 * memory for the window. */
static enum outcome check_head(const struct zstd *z, struct decoder_step *s)
{
    unsigned char head[ZSTD_HEAD];
    uint64_t window;
    size_t n = decoder_add_head(z, s->in, s->n_in, head);
    if (!begin_frame(head, n)) return decoder_damaged(s, "no zstd header");
    bool known = window_zstd(head, n, &window);
    return known && window > z->window ? too_large(s, window) : ON;
}

/* Compares the text's size with the size in the frame's header. The library's streams do not check
 * it if the frame ends in an empty block. */
static enum outcome frame_ended(struct zstd *z, struct decoder_step *s)
{
    uint64_t declared = ZSTD_getFrameContentSize(z->head, z->n_head), written = z->written;
    z->n_head = 0;
    z->written = 0;
    if (declared == written || declared == ZSTD_CONTENTSIZE_UNKNOWN) return MEMBER_ENDED;
    return decoder_damaged(s, "the size of a frame differs from the size in its header");
}

/* Decodes, but feeds the first bytes of a frame one by one. If the library saw a whole frame at
 * once, it would decode the frame by another function with other checks. The outcome would then
 * depend on how the input is cut. */
static enum outcome zstd_run(void *state, struct decoder_step *s)
{
    struct zstd *z = state;
    ZSTD_inBuffer in = {s->in, s->n_in, 0};
    ZSTD_outBuffer out = {s->out, s->n_out, 0};
    enum outcome head = check_head(z, s);
    if (head != ON) return head;
    if (z->n_head < ZSTD_HEAD && in.size > 1) in.size = 1;
    size_t result = ZSTD_decompressStream(z->stream, &out, &in);
    z->n_head = decoder_add_head(z, s->in, in.pos, z->head);
    z->written += out.pos;
    step_advance(s, in.pos, out.pos);
    if (ZSTD_isError(result)) return decoder_damaged(s, ZSTD_getErrorName(result));
    return !result && (in.pos || out.pos) ? frame_ended(z, s) : ON;
}

static void zstd_end(void *state)
{
    ZSTD_freeDStream(((struct zstd *)state)->stream);
    free(state);
}

/* ---- lz4 ---- */

static void *lz4_begin(uint64_t window)
{
    LZ4F_dctx *d;
    return LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)) ? NULL : d;
}

static const char *lz4_words(const char *name)
{
    return strcmp(name, "ERROR_allocation_failed") ? name : "out of memory";
}

static enum outcome lz4_run(void *state, struct decoder_step *s)
{
    size_t n_in = s->n_in, n_out = s->n_out;
    size_t result = LZ4F_decompress(state, s->out, &n_out, s->in, &n_in, NULL);
    if (LZ4F_isError(result)) return decoder_damaged(s, lz4_words(LZ4F_getErrorName(result)));
    step_advance(s, n_in, n_out);
    return !result && (n_in || n_out) ? MEMBER_ENDED : ON;
}

static void lz4_end(void *state) { LZ4F_freeDecompressionContext(state); }

/* ---- all formats ---- */

// clang-format off
static const struct coding codings[] = {
    {"gzip", 3, {0x1f, 0x8b, 8}, 0, 64 << 10, false, false, GZIP_BYTES,
     gzip_begin, gzip_run, gzip_end},
    /* includes the magic of the first block, or of the end: a text may begin with "BZh9" */
    {"bzip2", 6, {'B', 'Z', 'h', 0, '1', 'A'}, 3, 64 << 10, false, false, 4 << 20,
     bzip2_begin, bzip2_run, bzip2_end},
    {"bzip2", 6, {'B', 'Z', 'h', 0, 0x17, 'r'}, 3, 64 << 10, false, false, 4 << 20,
     bzip2_begin, bzip2_run, bzip2_end},
    {"xz", 6, {0xfd, '7', 'z', 'X', 'Z', 0}, 0, 64 << 10, false, true, XZ_MORE,
     xz_begin, xz_run, xz_end},
    {"zstd", 4, {0x28, 0xb5, 0x2f, 0xfd}, 0, 128 << 10, false, true, 1 << 20,
     zstd_begin, zstd_run, zstd_end},
    {"lz4", 4, {0x04, 0x22, 0x4d, 0x18}, 0, 4 << 20, true, false, 9 << 20,
     lz4_begin, lz4_run, lz4_end},
};
// clang-format on

const struct coding *decoder_coding(const unsigned char *first, size_t n, bool *maybe)
{
    *maybe = false;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        const struct coding *c = &codings[i];
        bool fits = true;
        for (size_t k = 0; k < c->n && k < n; k++) {
            bool digit = first[k] >= '1' && first[k] <= '9';
            fits &= c->level && k == c->level ? digit : first[k] == c->magic[k];
        }
        if (fits && n >= c->n) return c;
        *maybe |= fits;
    }
    return NULL;
}

const char *decoder_name(const struct coding *c) { return c->name; }

bool decoder_is_quick(const struct coding *c) { return c->begin != bzip2_begin; }

bool decoder_is_blocked(const struct coding *c) { return c->is_blocked; }

uint64_t decoder_window(const struct coding *c, const unsigned char *first, size_t n)
{
    uint64_t window;
    if (!c->is_windowed) return 0;
    if (c->begin == xz_begin) return window_xz(first, n);
    return window_zstd(first, n, &window) ? window : 0;
}

static uint64_t decoder_bytes_of(const struct coding *c, uint64_t window)
{
    return c->block + c->bytes + (c->is_windowed ? window : 0);
}

uint64_t decoder_bytes(const struct coding *c, uint64_t window)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        uint64_t this = decoder_bytes_of(&codings[i], window);
        if ((!c || c == &codings[i]) && this > bytes) bytes = this;
    }
    return bytes;
}

bool decoder_begin(struct decoder *d, const struct coding *c, uint64_t window)
{
    *d = (struct decoder){.coding = c,
                          .in = (const unsigned char *)"",
                          .window = window,
                          .state = c->begin(window),
                          .block = malloc(c->block),
                          .cap = c->block};
    return d->state && d->block;
}

enum decoder_status decoder_read(struct decoder *d, char *to, size_t cap, size_t *n)
{
    assert(d->state && *n <= cap);
    while (*n < cap) {
        struct decoder_step s = {d->in, d->n_in, to + *n, cap - *n, d->last, NULL, 0};
        enum outcome outcome = d->coding->run(d->state, &s);
        bool took = s.n_in < d->n_in, gave = s.n_out < cap - *n;
        d->within = (d->within || took) && outcome != MEMBER_ENDED;
        d->in = s.in;
        d->n_in = s.n_in;
        *n = cap - s.n_out;
        if (outcome == DAMAGED) {
            d->why = s.why;
            return DECODER_DAMAGED;
        }
        if (outcome == LARGE) {
            d->asked = s.window;
            return DECODER_LARGE;
        }
        if (took || gave) continue;
        if (!d->last) return DECODER_MORE;
        return d->within || d->n_in ? DECODER_EARLY : DECODER_END;
    }
    return DECODER_TEXT;
}

void decoder_end(struct decoder *d)
{
    if (d->state) d->coding->end(d->state);
    free(d->block);
    *d = (struct decoder){0};
}

/* ---- memory of a decoder ---- */

/* Windows of zstd --ultra -22 and xz -9 (files), and of zstd -19 and xz -6 (pipes). */
#define FILE_WINDOW ((uint64_t)128 << 20)
#define PIPE_WINDOW ((uint64_t)8 << 20)

struct first_bytes {
    unsigned char v[DECODER_HEAD];
    size_t n;
};

/* Returns the coding that a file's first bytes show; NULL for plain text. */
static const struct coding *file_coding(int fd, struct first_bytes *first)
{
    bool maybe;
    ssize_t n = pread(fd, first->v, sizeof first->v, 0);
    first->n = n < 0 ? 0 : (size_t)n;
    return decoder_coding(first->v, first->n, &maybe);
}

static uint64_t allowed_window(const struct coding *c, const struct first_bytes *first,
                               uint64_t set)
{
    if (set) return set;
    uint64_t asked = c ? decoder_window(c, first->v, first->n) : 0;
    if (asked < PIPE_WINDOW) return PIPE_WINDOW;
    return asked < FILE_WINDOW ? asked : FILE_WINDOW;
}

uint64_t decoder_plan_window(int fd, uint64_t set)
{
    struct first_bytes first;
    const struct coding *c = fd < 0 ? NULL : file_coding(fd, &first);
    return allowed_window(c, &first, set);
}

static uint64_t bytes_of_file(int fd, uint64_t set)
{
    struct first_bytes first;
    const struct coding *c = file_coding(fd, &first);
    return c ? decoder_bytes(c, allowed_window(c, &first, set)) : 0;
}

/* Returns the most memory of the input's decoder. If the input is a pipe, its coding is unknown, so
 * returns the most of any coding. */
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
