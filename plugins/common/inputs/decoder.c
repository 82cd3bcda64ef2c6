/* decoder.c -- implementation of decoder.h. */
#include "decoder.h"

#include <assert.h>
#include <bzlib.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "arrow_lines.h"
#include "avro_lines.h"
#include "core/le.h"
#include "decoder_step.h"
#include "gzip.h"
#include "item_lines.h"
#include "lz4.h"
#include "parquet_lines.h"
#include "xz.h"

/* ---- windows ---- */

#define MIB ((uint64_t)1 << 20)
enum { ZSTD_HEAD = 18 };        /* longest header of a frame */
#define ARROW_WINDOW (64 * MIB) /* room for batches of 32 MiB */
enum { LZMA_BYTES = 14, SKIPPABLE_HEAD = 8 };
static_assert((int)LZMA_BYTES <= (int)DECODER_MAGIC, "the longest magic");

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

/* ---- decoding ---- */

struct coding {
    const char *name;
    size_t n;
    unsigned char magic[DECODER_MAGIC];
    /* how the first bytes are compared (magic_fits) */
    enum { EXACT, LEVEL, WORD, LZMA_HEAD, NO_MAGIC } check;
    size_t block; /* bytes of text that the library decodes at once */
    bool is_blocked;
    unsigned windows;   /* the library takes so many times the window */
    bool has_skippable; /* skippable frames may come before others */
    uint64_t bytes;     /* most bytes of the library's state, without the window */
    void *(*begin)(uint64_t window);
    enum outcome (*run)(void *state, struct decoder_step *s);
    void (*end)(void *state);
};

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

/* magic 50 to 5f 2a 4d 18 | size 4 | bytes without meaning */
static bool skippable_fits(const unsigned char *first, size_t n)
{
    static const unsigned char magic[] = {0x50, 0x2a, 0x4d, 0x18};
    bool fits = true;
    for (size_t i = 0; i < n && i < sizeof magic; i++)
        fits &= (i ? first[i] : first[i] & 0xf0) == magic[i];
    return fits;
}

/* True if the n bytes begin a frame or a skippable frame. Frames of zstd before 0.8 are refused:
 * the library takes 128 MB for them whatever its limit is, and nobody writes them. */
static bool begin_frame(const unsigned char *first, size_t n)
{
    static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    return !memcmp(first, magic, n < sizeof magic ? n : sizeof magic) || skippable_fits(first, n);
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
    return known && window > z->window ? decoder_too_large(s, window) : ON;
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

/* ---- all formats ---- */

// clang-format off
static const struct coding codings[] = {
    {"gzip", 3, {0x1f, 0x8b, 8}, EXACT, 64 << 10, false, 0, false, GZIP_BYTES,
     gzip_begin, gzip_run, gzip_end},
    /* includes the magic of the first block, or of the end: a text may begin with "BZh9" */
    {"bzip2", 6, {'B', 'Z', 'h', 0, '1', 'A'}, LEVEL, 64 << 10, false, 0, false, 4 << 20,
     bzip2_begin, bzip2_run, bzip2_end},
    {"bzip2", 6, {'B', 'Z', 'h', 0, 0x17, 'r'}, LEVEL, 64 << 10, false, 0, false, 4 << 20,
     bzip2_begin, bzip2_run, bzip2_end},
    {"xz", 6, {0xfd, '7', 'z', 'X', 'Z', 0}, EXACT, 64 << 10, false, 1, false, XZ_BYTES,
     xz_begin, xz_run, xz_end},
    {"lzma", LZMA_BYTES, {0}, LZMA_HEAD, 64 << 10, false, 1, false, XZ_BYTES,
     xz_begin, xz_run, xz_end},
    {"lzip", 5, {'L', 'Z', 'I', 'P', 1}, EXACT, 64 << 10, false, 1, false, XZ_BYTES,
     xz_begin, xz_run, xz_end},
    {"zstd", 4, {0x28, 0xb5, 0x2f, 0xfd}, EXACT, 128 << 10, false, 1, true, 1 << 20,
     zstd_begin, zstd_run, zstd_end},
    {"lz4", 4, {0x04, 0x22, 0x4d, 0x18}, EXACT, 4 << 20, true, 0, true, LZ4_BYTES,
     lz4_begin, lz4_run, lz4_end},
    {"lz4", 4, {0x02, 0x21, 0x4c, 0x18}, EXACT, 4 << 20, true, 0, true, LZ4_BYTES,
     lz4_begin, lz4_run, lz4_end},
    {"avro", 4, {'O', 'b', 'j', 1}, EXACT, 64 << 10, false, 3, false, AVRO_LINES_BYTES,
     avro_lines_begin, avro_lines_run, avro_lines_end},
    {"arrow", 8, {'A', 'R', 'R', 'O', 'W', '1', 0, 0}, EXACT, 64 << 10, true, 4, false,
     ARROW_LINES_BYTES, arrow_lines_begin, arrow_lines_run, arrow_lines_end},
    {"arrow", 4, {0xff, 0xff, 0xff, 0xff}, EXACT, 64 << 10, true, 4, false, ARROW_LINES_BYTES,
     arrow_lines_begin, arrow_lines_run, arrow_lines_end},
    {"parquet", 8, {'P', 'A', 'R', '1'}, WORD, 64 << 10, true, 4, false, PARQUET_LINES_BYTES,
     parquet_lines_begin, parquet_lines_run, parquet_lines_end},
    {"cbor", 3, {0xd9, 0xd9, 0xf7}, EXACT, 64 << 10, true, 2, false, ITEM_LINES_BYTES,
     item_lines_begin_cbor, item_lines_run, item_lines_end}, /* the tag of CBOR itself */
    {"msgpack", 0, {0}, NO_MAGIC, 64 << 10, true, 2, false, ITEM_LINES_BYTES,
     item_lines_begin_msgpack, item_lines_run, item_lines_end},
};
// clang-format on

/* properties 1 | dictionary 4 | bytes of text 8, or all ones | first byte of the code, 0
 *
 * True if the first n bytes may be the head of an lzma file, which has no magic. The dictionary is
 * 2^k or 2^k + 2^(k-1), or 2^32 - 1, and no file has 256 GiB of text: the rules of xz. */
static bool lzma_fits(const unsigned char *first, size_t n)
{
    if (!n) return true;
    unsigned lc = first[0] % 9, lp = first[0] / 9 % 5;
    if (first[0] >= 225 || lc + lp > 4) return false;
    if (n > 1 && first[1] != 0 && first[1] != 0xff) return false;
    uint32_t dictionary = n > 4 ? le_get32(first + 1) : 4096;
    uint32_t rest = dictionary & (dictionary - 1); /* without the lowest bit */
    bool round = !rest || (!(rest & (rest - 1)) && rest == (dictionary ^ rest) << 1);
    if (dictionary < 4096 || (!round && dictionary != UINT32_MAX)) return false;
    uint64_t text = n > 12 ? le_get(first + 5, 8) : 0;
    return (text == UINT64_MAX || text < (uint64_t)1 << 38) && (n < LZMA_BYTES || !first[13]);
}

/* True if one of the bytes is a control character that no text has, or more bytes may be one. */
static bool word_fits(const struct coding *c, const unsigned char *first, size_t n)
{
    bool control = n < c->n;
    for (size_t k = strlen((const char *)c->magic); k < c->n && k < n; k++)
        control |= first[k] < '\t' || (first[k] > '\r' && first[k] < ' ');
    return control;
}

/* True if the first n bytes may begin data of the coding. */
static bool magic_fits(const struct coding *c, const unsigned char *first, size_t n)
{
    bool fits = c->check != NO_MAGIC && (c->check != LZMA_HEAD || lzma_fits(first, n));
    size_t exact = c->check == WORD ? strlen((const char *)c->magic) : c->n;
    for (size_t k = 0; c->check != LZMA_HEAD && k < exact && k < n; k++) {
        bool digit = first[k] >= '1' && first[k] <= '9';
        fits &= c->check == LEVEL && k == 3 ? digit : first[k] == c->magic[k];
    }
    return fits && (c->check != WORD || word_fits(c, first, n));
}

/* False for Parquet where leat was built without its library. */
static bool decoder_is_built(const struct coding *c)
{
    return c->begin != parquet_lines_begin || parquet_lines_built();
}

const struct coding *decoder_coding(const unsigned char *first, size_t n, bool *maybe)
{
    *maybe = skippable_fits(first, n) && n < SKIPPABLE_HEAD;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        bool fits = magic_fits(&codings[i], first, n);
        if (fits && n >= codings[i].n) return decoder_is_built(&codings[i]) ? &codings[i] : NULL;
        *maybe |= fits;
    }
    return NULL;
}

uint64_t decoder_skippable(const unsigned char *first, size_t n)
{
    bool is_skippable = n >= SKIPPABLE_HEAD && skippable_fits(first, n);
    return is_skippable ? SKIPPABLE_HEAD + (uint64_t)le_get32(first + 4) : 0;
}

bool decoder_has_skippable(const struct coding *c) { return c->has_skippable; }

const char *decoder_name(const struct coding *c) { return c->name; }

static bool decoder_has_items(const struct coding *c) { return c->end == item_lines_end; }

bool decoder_compresses(const struct coding *c)
{
    return c->begin != avro_lines_begin && c->begin != arrow_lines_begin &&
           c->begin != parquet_lines_begin && !decoder_has_items(c);
}

bool decoder_has_magic(const struct coding *c) { return c->check < LZMA_HEAD; }

/* Returns the coding of items with this name of n bytes; NULL if there is none. */
static const struct coding *decoder_items_named(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
        if (decoder_has_items(&codings[i]) && strlen(codings[i].name) == n &&
            !memcmp(codings[i].name, name, n))
            return &codings[i];
    return NULL;
}

const struct coding *decoder_of_items(const char *path, const char *format)
{
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".lzma", ".lz", ".zst", ".lz4"};
    const char *slash = strrchr(path, '/'), *end = path + strlen(path), *dot = end;
    if (format) return decoder_items_named(format, strlen(format));
    if (slash) path = slash + 1;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t n = strlen(packed[i]);
        if ((size_t)(end - path) > n && !strcmp(end - n, packed[i])) dot = end - n;
    }
    for (end = dot; dot > path && dot[-1] != '.';)
        dot--;
    return dot > path ? decoder_items_named(dot, (size_t)(end - dot)) : NULL;
}

bool decoder_is_quick(const struct coding *c) { return c->begin != bzip2_begin; }

bool decoder_reads_file(const struct coding *c) { return c->begin == parquet_lines_begin; }

bool decoder_is_blocked(const struct coding *c) { return c->is_blocked; }

uint64_t decoder_window(const struct coding *c, const unsigned char *first, size_t n)
{
    uint64_t window;
    if (c->begin == xz_begin) return xz_window(first, n);
    if (c->begin == arrow_lines_begin || c->begin == parquet_lines_begin) return ARROW_WINDOW;
    return c->begin == zstd_begin && window_zstd(first, n, &window) ? window : 0;
}

static uint64_t decoder_bytes_of(const struct coding *c, uint64_t window)
{
    return c->block + c->bytes + c->windows * window;
}

uint64_t decoder_bytes(const struct coding *c, uint64_t window)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
        uint64_t this = decoder_bytes_of(&codings[i], window);
        bool counts = c ? c == &codings[i] : !decoder_reads_file(&codings[i]);
        if (counts && this > bytes) bytes = this;
    }
    return bytes;
}

enum { ITEMS_BUFFER = 64 << 10 };

bool decoder_begin(struct decoder *d, const struct coding *c, const struct coding *items,
                   uint64_t window)
{
    *d = (struct decoder){.coding = c,
                          .in = (const unsigned char *)"",
                          .window = window,
                          .state = c->begin(window),
                          .block = malloc(c->block),
                          .cap = c->block};
    if (items) {
        d->items.coding = items;
        d->items.state = items->begin(window);
        d->items.buffer = malloc(ITEMS_BUFFER);
    }
    return d->state && d->block && (!items || (d->items.state && d->items.buffer));
}

void decoder_use_file(struct decoder *d, int fd)
{
    if (!decoder_reads_file(d->coding)) return;
    parquet_lines_of_file(d->state, fd);
    d->last = true;
}

uint64_t decoder_file_at(const struct decoder *d)
{
    return decoder_reads_file(d->coding) ? parquet_lines_at(d->state) : 0;
}

/* Makes text of decoded bytes. Returns ON if it has done anything. */
static enum outcome decoder_run_items(struct decoder *d, struct decoder_step *s, bool *worked)
{
    const unsigned char *in = d->items.buffer + d->items.at;
    struct decoder_step step = {
        .in = in, .n_in = d->items.n - d->items.at, .out = s->out, .n_out = s->n_out};
    enum outcome outcome = d->items.coding->run(d->items.state, &step);
    d->failed = d->items.coding;
    *worked = step.in != in || step.out != s->out;
    d->items.at += (size_t)(step.in - in);
    if (!*worked) d->items.within = outcome != MEMBER_ENDED;
    step_advance(s, 0, (size_t)(step.out - s->out));
    s->why = step.why;
    s->window = step.window;
    return outcome == MEMBER_ENDED ? ON : outcome;
}

/* Decodes: makes text of the bytes decoded before, and decodes more if there are none. Sets *worked
 * if it has used or made such bytes. */
static enum outcome decoder_run(struct decoder *d, struct decoder_step *s, bool *worked)
{
    enum outcome outcome = d->items.coding ? decoder_run_items(d, s, worked) : ON;
    if (*worked || outcome != ON) return outcome;
    d->failed = d->coding;
    if (!d->items.coding) return d->coding->run(d->state, s);
    char *to = (char *)d->items.buffer;
    struct decoder_step step = {s->in, s->n_in, to, ITEMS_BUFFER, s->last, NULL, 0, 0};
    outcome = d->coding->run(d->state, &step);
    d->items.at = 0;
    d->items.n = ITEMS_BUFFER - step.n_out;
    *worked = d->items.n;
    step_advance(s, s->n_in - step.n_in, 0);
    s->why = step.why;
    s->window = step.window;
    return outcome;
}

/* Returns the status at the end of the input. */
static enum decoder_status decoder_ended(struct decoder *d)
{
    d->failed = d->within || d->n_in ? d->coding : d->items.coding;
    return d->within || d->n_in || d->items.within ? DECODER_EARLY : DECODER_END;
}

enum decoder_status decoder_read(struct decoder *d, char *to, size_t cap, size_t *n)
{
    assert(d->state && *n <= cap);
    while (*n < cap) {
        struct decoder_step s = {d->in, d->n_in, to + *n, cap - *n, d->last, NULL, 0, 0};
        bool worked = false;
        enum outcome outcome = decoder_run(d, &s, &worked);
        bool took = s.n_in < d->n_in, gave = s.n_out < cap - *n;
        if (d->failed == d->coding) d->within = (d->within || took) && outcome != MEMBER_ENDED;
        d->in = s.in;
        d->n_in = s.n_in;
        *n = cap - s.n_out;
        d->why = s.why;
        d->back = s.back;
        d->asked = s.window;
        if (outcome == DAMAGED) return DECODER_DAMAGED;
        if (outcome == REFUSED) return DECODER_REFUSED;
        if (outcome == LARGE) return DECODER_LARGE;
        if (took || gave || worked) continue;
        return d->last ? decoder_ended(d) : DECODER_MORE;
    }
    return DECODER_TEXT;
}

void decoder_end(struct decoder *d)
{
    if (d->state) d->coding->end(d->state);
    if (d->items.state) d->items.coding->end(d->items.state);
    free(d->items.buffer);
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

enum { SKIPPABLE_MAX = 1000 }; /* most skippable frames to pass in search of the first other */

/* Reads the first bytes of a file, behind skippable frames. Returns the coding that they show; NULL
 * for plain text. */
static const struct coding *file_coding(int fd, struct first_bytes *first)
{
    bool maybe;
    uint64_t at = 0, skipped;
    int frames = 0;
    do {
        ssize_t n = pread(fd, first->v, sizeof first->v, (off_t)at);
        first->n = n < 0 ? 0 : (size_t)n;
        at += skipped = decoder_skippable(first->v, first->n);
    } while (skipped && ++frames < SKIPPABLE_MAX);
    return decoder_coding(first->v, first->n, &maybe);
}

const struct coding *decoder_of_file(int fd, const char *path)
{
    struct first_bytes first;
    const struct coding *c = file_coding(fd, &first);
    return c ? c : decoder_of_items(path, NULL);
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

/* Returns the most memory of a decoder with this window, and of one of its items. */
static uint64_t bytes_of_both(uint64_t decoder, const struct coding *items, uint64_t window)
{
    return decoder + (items ? decoder_bytes(items, window) + ITEMS_BUFFER : 0);
}

static uint64_t bytes_of_file(int fd, const struct coding *items, uint64_t set)
{
    struct first_bytes first;
    const struct coding *c = file_coding(fd, &first);
    uint64_t window = allowed_window(c, &first, set);
    return bytes_of_both(c ? decoder_bytes(c, window) : 0, items, window);
}

/* Returns the most memory of the input's decoder. If the input is a pipe, its coding is unknown, so
 * returns the most of any coding. */
uint64_t decoder_plan_bytes(const char *path, const char *format, uint64_t set)
{
    struct stat st = {.st_mode = S_IFIFO};
    const struct coding *items = decoder_of_items(path, format);
    uint64_t window = decoder_plan_window(-1, set);
    if (strcmp(path, "-") && stat(path, &st)) return 0;
    if (!S_ISREG(st.st_mode)) return bytes_of_both(decoder_bytes(NULL, window), items, window);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t bytes = fd < 0 ? 0 : bytes_of_file(fd, items, set);
    if (fd >= 0) close(fd);
    return bytes;
}
