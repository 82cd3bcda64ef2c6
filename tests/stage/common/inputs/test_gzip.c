/* test_gzip.c -- gzip data give their text, whatever wrote them and however they are cut.
 *
 * A writer of its own makes headers and blocks that gzip never writes. Damaged data are judged as
 * gzip -t judges them. */
#include "support/suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/inputs/decoder.h"
#include "support/naive_inflate.h"
#include "support/random.h"

enum { MAX_DATA = 1 << 21, WHOLE = 1 << 30 };

struct bytes {
    unsigned char *v;
    size_t n;
};

static struct bytes bytes_new(size_t cap) { return (struct bytes){malloc(cap), 0}; }

static void add(struct bytes *b, const void *from, size_t n)
{
    ck_assert_uint_le(b->n + n, MAX_DATA);
    memcpy(b->v + b->n, from, n);
    b->n += n;
}

static void add_number(struct bytes *b, uint32_t v, size_t size)
{
    for (size_t i = 0; i < size; i++, v >>= 8)
        add(b, &(unsigned char){(unsigned char)v}, 1);
}

/* ---- writer ---- */

static uint32_t crc32_slowly(const unsigned char *v, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= v[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

struct writer {
    struct bytes data, text;
    uint32_t bits, n_bits; /* bits not written yet */
};

static void put(struct writer *w, uint32_t value, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        w->bits |= (value >> i & 1) << w->n_bits;
        if (++w->n_bits < 8) continue;
        add_number(&w->data, w->bits, 1);
        w->bits = w->n_bits = 0;
    }
}

static void put_code(struct writer *w, uint32_t code, uint32_t n)
{
    while (n--)
        put(w, code >> n, 1);
}

static void put_fixed(struct writer *w, uint32_t symbol)
{
    if (symbol < 144)
        put_code(w, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(w, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(w, symbol - 256, 7);
    else
        put_code(w, 0xc0 + symbol - 280, 8);
}

/* Writes a length from 3 to 258 and a distance from 1 to 32768, as RFC 1951 counts them: the number
 * of extra bits grows by one for every 4 lengths, and for every 2 distances. */
static void put_match(struct writer *w, uint32_t length, uint32_t distance)
{
    uint32_t symbol = 257, extra = 0, base = 3, code = 0;
    for (; length < 258 && length >= base + (1u << extra); symbol++) {
        base += 1u << extra;
        extra = symbol < 264 ? 0 : (symbol - 260) / 4;
    }
    put_fixed(w, length == 258 ? 285 : symbol);
    if (length < 258) put(w, length - base, extra);
    for (base = 1, extra = 0; distance >= base + (1u << extra); code++) {
        base += 1u << extra;
        extra = code < 3 ? 0 : (code - 1) / 2;
    }
    put_code(w, code, 5);
    put(w, distance - base, extra);
    for (; length; length--)
        add(&w->text, &w->text.v[w->text.n - distance], 1);
}

static void put_stored(struct writer *w, uint64_t *seed, size_t n)
{
    put(w, 0, 2);
    put(w, 0, (8 - w->n_bits) % 8);
    add_number(&w->data, (uint32_t)n, 2);
    add_number(&w->data, ~(uint32_t)n, 2);
    for (size_t i = 0; i < n; i++)
        add_number(&w->text, below(seed, 256), 1);
    add(&w->data, w->text.v + w->text.n - n, n);
}

static void put_coded(struct writer *w, uint64_t *seed, size_t begin, size_t steps)
{
    put(w, 1, 2);
    for (size_t i = 0; i < steps; i++) {
        uint32_t n = (uint32_t)(w->text.n - begin), far = n < 32768 ? n : 32768;
        if (n && below(seed, 3) == 0) {
            uint32_t distances[] = {1, 1 + below(seed, far < 9 ? far : 9), 1 + below(seed, far),
                                    far};
            put_match(w, 3 + below(seed, 256), distances[below(seed, 4)]);
        } else {
            uint32_t literal = below(seed, 256);
            put_fixed(w, literal);
            add_number(&w->text, literal, 1);
        }
    }
    put_fixed(w, 256);
}

enum { HAS_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16, ALL_FIELDS = 31 };

static void put_header(struct writer *w, uint32_t flags, uint32_t extra)
{
    size_t begin = w->data.n;
    add(&w->data, "\x1f\x8b\x08", 3);
    add_number(&w->data, flags, 1);
    add(&w->data, "\1\2\3\4\0\3", 6);
    if (flags & HAS_EXTRA) add_number(&w->data, extra, 2);
    for (uint32_t i = 0; flags & HAS_EXTRA && i < extra; i++)
        add_number(&w->data, i, 1);
    if (flags & HAS_NAME) add(&w->data, "a name", 7);
    if (flags & HAS_COMMENT) add(&w->data, "a comment", 10);
    if (flags & HAS_CRC)
        add_number(&w->data, crc32_slowly(w->data.v + begin, w->data.n - begin), 2);
}

/* Ends a member, whose text begins there. */
static void put_trailer(struct writer *w, size_t begin)
{
    put(w, 0, (8 - w->n_bits) % 8);
    add_number(&w->data, crc32_slowly(w->text.v + begin, w->text.n - begin), 4);
    add_number(&w->data, (uint32_t)(w->text.n - begin), 4);
}

/* Appends a member of some blocks; the sizes of blocks are up to `most`. */
static void put_member(struct writer *w, uint64_t *seed, uint32_t flags, uint32_t most)
{
    size_t begin = w->text.n;
    put_header(w, flags, below(seed, most));
    for (uint32_t blocks = 1 + below(seed, 4); blocks--;) {
        put(w, !blocks, 1);
        if (below(seed, 3))
            put_coded(w, seed, begin, below(seed, most / 80 + 9));
        else
            put_stored(w, seed, below(seed, most));
    }
    put_trailer(w, begin);
}

static struct writer writer_new(void)
{
    return (struct writer){.data = bytes_new(MAX_DATA), .text = bytes_new(MAX_DATA)};
}

static void writer_free(struct writer *w)
{
    free(w->data.v);
    free(w->text.v);
}

/* ---- reader ---- */

struct end {
    enum decoder_status status;
    const char *why;
};

static struct bytes text; /* of the last decode() */

/* Decodes data that come in pieces, into room for `room` bytes at a time. */
static struct end decode(struct bytes data, size_t piece, size_t room)
{
    struct decoder d;
    bool maybe;
    unsigned char *in = NULL;
    ck_assert(decoder_begin(&d, decoder_coding((const unsigned char *)"\x1f\x8b\x08", 3, &maybe),
                            NULL, 0));
    if (!text.v) text = bytes_new(MAX_DATA);
    text.n = 0;
    for (size_t at = 0;;) {
        size_t cap = room < MAX_DATA - text.n ? text.n + room : MAX_DATA;
        enum decoder_status status = decoder_read(&d, (char *)text.v, cap, &text.n);
        struct end end = {status, d.why};
        if (status == DECODER_TEXT && text.n < MAX_DATA) continue;
        if (status != DECODER_MORE) {
            decoder_end(&d);
            free(in);
            return end;
        }
        d.n_in = data.n - at < piece ? data.n - at : piece;
        in = realloc(in, d.n_in + !d.n_in); /* exactly, for the sanitizer */
        d.in = memcpy(in, data.v + at, d.n_in);
        d.last = !d.n_in;
        at += d.n_in;
    }
}

static bool is_text(struct bytes expected)
{
    return text.n == expected.n && !memcmp(text.v, expected.v, text.n);
}

static void expect_text(struct bytes data, struct bytes expected, size_t piece, size_t room)
{
    struct end end = decode(data, piece, room);
    if (end.status != DECODER_END || !is_text(expected))
        ck_abort_msg("%zu bytes in pieces of %zu, room %zu: status %d (%s), %zu bytes of %zu",
                     data.n, piece, room, end.status, end.why ? end.why : "", text.n, expected.n);
}

/* Returns a random size: small ones are as likely as large ones. */
static size_t random_size(uint64_t *seed) { return 1 + below(seed, 1u << below(seed, 18)); }

START_TEST(members_of_any_header_and_blocks_give_their_text)
{
    uint64_t seed = seed_given();
    for (int round = 0; round < 300; round++) {
        struct writer w = writer_new();
        for (uint32_t members = 1 + below(&seed, 4); members--;)
            put_member(&w, &seed, below(&seed, ALL_FIELDS + 1),
                       1 + below(&seed, 1u << below(&seed, 17)));
        expect_text(w.data, w.text, WHOLE, WHOLE);
        expect_text(w.data, w.text, random_size(&seed), random_size(&seed));
        writer_free(&w);
    }
}
END_TEST

START_TEST(members_cut_anywhere_give_their_text)
{
    uint64_t seed = seed_given();
    struct writer w = writer_new();
    put_member(&w, &seed, ALL_FIELDS, 60);
    put_member(&w, &seed, 0, 60);
    put_member(&w, &seed, HAS_CRC, 20);
    for (size_t piece = 1; piece <= w.data.n; piece++)
        for (size_t room = 1; room < 20; room++)
            expect_text(w.data, w.text, piece, room);
    writer_free(&w);
}
END_TEST

START_TEST(data_that_end_anywhere_end_early)
{
    uint64_t seed = seed_given();
    struct writer w = writer_new();
    put_member(&w, &seed, ALL_FIELDS, 400);
    for (size_t n = 1; n < w.data.n; n++) {
        struct end end = decode((struct bytes){w.data.v, n}, 1 + below(&seed, 50), WHOLE);
        ck_assert_int_eq(end.status, DECODER_EARLY);
        ck_assert(text.n <= w.text.n && !memcmp(text.v, w.text.v, text.n));
    }
    writer_free(&w);
}
END_TEST

/* ---- damage, and the tool ---- */

/* Appends the data that `gzip OPTIONS` makes of the text. */
static void add_packed(struct bytes *data, struct bytes from, const char *options)
{
    char path[] = "/tmp/leat-gzip-XXXXXX", command[64];
    int fd = mkstemp(path);
    ck_assert(fd >= 0 && write(fd, from.v, from.n) == (ssize_t)from.n && !close(fd));
    snprintf(command, sizeof command, "gzip -c %s <%s", options, path);
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    data->n += fread(data->v + data->n, 1, MAX_DATA - data->n, f);
    ck_assert(!pclose(f) && !unlink(path));
}

/* Appends n bytes of text: of all bytes, or of lines with few different words. */
static void add_text(struct bytes *to, uint64_t *seed, size_t n, bool all)
{
    char word[16];
    for (size_t end = to->n + n; to->n < end;) {
        size_t length =
            (size_t)snprintf(word, sizeof word, "%u,%u\n", below(seed, 900), below(seed, 9));
        if (all)
            add_number(to, below(seed, 256), 1);
        else
            add(to, word, length < end - to->n ? length : end - to->n);
    }
}

START_TEST(what_gzip_writes_gives_its_text)
{
    uint64_t seed = seed_given();
    static const char *const levels[] = {"-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"};
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        struct bytes data = bytes_new(MAX_DATA), expected = bytes_new(MAX_DATA);
        for (int member = 0; member < 5; member++) {
            struct bytes part = {expected.v + expected.n, 0};
            add_text(&part, &seed, random_size(&seed) - 1, below(&seed, 3) == 0);
            expected.n += part.n;
            add_packed(&data, part, levels[level]);
        }
        expect_text(data, expected, WHOLE, WHOLE);
        expect_text(data, expected, random_size(&seed), random_size(&seed));
        expect_text(data, expected, 1, WHOLE);
        free(data.v);
        free(expected.v);
    }
}
END_TEST

enum { HEADER = 10, TRAILER = 8, LONGEST_MATCH = 258 };

/* Checks the text before damage: it is text of the data, and lacks less than a match. */
static void expect_begins(struct bytes all, struct end end, size_t at)
{
    bool close = text.n <= all.n && text.n + LONGEST_MATCH >= all.n;
    if (!close || memcmp(text.v, all.v, text.n))
        ck_abort_msg("byte %zu: %zu bytes, of %zu (%s)", at, text.n, all.n, end.why);
}

/* Changes a byte, and decodes: data as they are, and cut. */
static void expect_ends_at_damage(struct bytes data, uint64_t *seed)
{
    struct bytes all = bytes_new(MAX_DATA);
    size_t at = HEADER + below(seed, (uint32_t)data.n - HEADER - TRAILER);
    unsigned char was = data.v[at];
    data.v[at] ^= (unsigned char)(1 + below(seed, 255));
    struct naive_inflate z = {data.v + HEADER, data.n - HEADER, 0, all.v, 0};
    naive_inflate(&z);
    all.n = z.n_out;
    struct end whole = decode(data, WHOLE, WHOLE);
    expect_begins(all, whole, at);
    struct end cut = decode(data, random_size(seed), random_size(seed));
    expect_begins(all, cut, at);
    ck_assert_int_ne(whole.status, DECODER_END);
    ck_assert_int_eq(cut.status, whole.status);
    if (cut.status == DECODER_DAMAGED) ck_assert_str_eq(cut.why, whole.why);
    data.v[at] = was;
    free(all.v);
}

START_TEST(damage_ends_the_text_where_it_is)
{
    uint64_t seed = seed_given();
    struct bytes data = bytes_new(MAX_DATA), plain = bytes_new(MAX_DATA);
    struct writer w = writer_new();
    add_text(&plain, &seed, 80000, false);
    add_packed(&data, plain, "-6");
    put_header(&w, 0, 0);
    put(&w, 1, 1);
    put_coded(&w, &seed, 0, 5000);
    put_trailer(&w, 0);
    ck_assert_uint_gt(w.text.n, 150000);
    for (int round = 0; round < 40; round++) {
        expect_ends_at_damage(data, &seed);
        expect_ends_at_damage(w.data, &seed);
    }
    writer_free(&w);
    free(data.v);
    free(plain.v);
}
END_TEST

enum { CHANGES = 12 }; /* of a byte: each bit, all bits, and some others */

static unsigned char changed(unsigned char byte, size_t change)
{
    static const unsigned char others[] = {0xff, 0x55, 3, 0xc0};
    return byte ^ (change < 8 ? (unsigned char)(1 << change) : others[change - 8]);
}

/* Sets accepted[i] if gzip accepts data with change i. */
static void ask_gzip(struct bytes data, bool *accepted)
{
    char folder[] = "/tmp/leat-gzip-XXXXXX", path[64], command[160], line[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (size_t i = 0; i < data.n * CHANGES; i++) {
        unsigned char was = data.v[i / CHANGES];
        snprintf(path, sizeof path, "%s/%zu.gz", folder, i);
        FILE *f = fopen(path, "wb");
        data.v[i / CHANGES] = changed(was, i % CHANGES);
        ck_assert(f && fwrite(data.v, 1, data.n, f) == data.n && !fclose(f));
        data.v[i / CHANGES] = was;
    }
    snprintf(command, sizeof command,
             "cd %s && for i in *; do gzip -tq $i && echo $i; done 2>/dev/null; rm -r %s", folder,
             folder);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        accepted[strtoul(line, NULL, 10)] = true;
    ck_assert(f && !pclose(f));
}

static void expect_judged_alike(struct bytes data, struct bytes expected)
{
    bool *accepted = calloc(data.n * CHANGES, sizeof *accepted);
    ask_gzip(data, accepted);
    size_t n_accepted = 0;
    for (size_t i = 0; i < data.n * CHANGES; i++) {
        unsigned char was = data.v[i / CHANGES];
        data.v[i / CHANGES] = changed(was, i % CHANGES);
        struct end end = decode(data, 1 + i % 40, WHOLE);
        if ((end.status == DECODER_END && is_text(expected)) != accepted[i] ||
            (end.status == DECODER_END) != accepted[i])
            ck_abort_msg("byte %zu is %d, not %d: status %d (%s), gzip -t says %d", i / CHANGES,
                         data.v[i / CHANGES], was, end.status, end.why ? end.why : "", accepted[i]);
        data.v[i / CHANGES] = was;
        n_accepted += accepted[i];
    }
    ck_assert(n_accepted && n_accepted < data.n * CHANGES);
    free(accepted);
}

START_TEST(every_changed_byte_is_judged_as_gzip_judges_it)
{
    uint64_t seed = seed_given();
    struct bytes data = bytes_new(MAX_DATA), plain = bytes_new(MAX_DATA);
    add_text(&plain, &seed, 500, false);
    add_packed(&data, plain, "-9"); /* of one dynamic block */
    expect_judged_alike(data, plain);
    struct writer w = writer_new();
    put_member(&w, &seed, ALL_FIELDS, 100);
    expect_judged_alike(w.data, w.text);
    writer_free(&w);
    free(data.v);
    free(plain.v);
}
END_TEST

START_TEST(damage_is_named)
{
    static const struct {
        size_t from_end, at; /* of the byte that changes */
        const char *why;
    } cases[] = {{0, 0, "incorrect header check"},     {0, 1, "incorrect header check"},
                 {0, 2, "unknown compression method"}, {0, 3, "unknown header flags set"},
                 {0, 4, "header crc mismatch"},        {8, 0, "incorrect data check"},
                 {4, 0, "incorrect length check"}};
    uint64_t seed = seed_given();
    struct writer w = writer_new();
    put_member(&w, &seed, ALL_FIELDS, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *byte = w.data.v + cases[i].at;
        if (cases[i].from_end) byte = w.data.v + w.data.n - cases[i].from_end;
        *byte ^= 0x80;
        struct end end = decode(w.data, 1 + below(&seed, 30), WHOLE);
        ck_assert_int_eq(end.status, DECODER_DAMAGED);
        ck_assert_str_eq(end.why, cases[i].why);
        *byte ^= 0x80;
    }
    writer_free(&w);
}
END_TEST

LEAT_TIERS("gzip",
           (members_of_any_header_and_blocks_give_their_text, members_cut_anywhere_give_their_text,
            data_that_end_anywhere_end_early, what_gzip_writes_gives_its_text,
            damage_ends_the_text_where_it_is, damage_is_named),
           (every_changed_byte_is_judged_as_gzip_judges_it))
