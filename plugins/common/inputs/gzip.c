/* gzip.c -- implementation of gzip.h.
 *
 * ISA-L decodes and checks the text and the trailer. In its own mode for headers it would forget
 * the flags of a header that comes in pieces, so headers go to another function of it. */
#include "gzip.h"

#include <assert.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

#include "core/le.h"

static const struct gzip_first {
    unsigned char mask, value;
    const char *why;
} gzip_first[] = {{0xff, 0x1f, "incorrect header check"},
                  {0xff, 0x8b, "incorrect header check"},
                  {0xff, 8, "unknown compression method"},
                  {0xe0, 0, "unknown header flags set"}};

enum { GZIP_FIRST = sizeof gzip_first / sizeof *gzip_first, GZIP_TRAILER = 8 };

struct gzip {
    struct inflate_state text;
    struct isal_gzip_header header;
    size_t n_first;                      /* bytes of the header so far, up to GZIP_FIRST */
    bool in_text;                        /* the header has ended */
    bool padding;                        /* the members have ended, and only zeros may follow */
    const char *why;                     /* kind of damage in the text; NULL if none */
    unsigned char trailer[GZIP_TRAILER]; /* CRC-32 and length: the last bytes read */
};

static_assert(sizeof(struct gzip) <= GZIP_BYTES, "GZIP_BYTES is a bound");

void *gzip_begin(uint64_t window)
{
    struct gzip *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    isal_inflate_init(&g->text);
    g->text.crc_flag = ISAL_GZIP_NO_HDR_VER;
    return g;
}

/* Skips zeros after the members, as gzip does: tapes fill their last block with zeros. */
static enum outcome gzip_skip_zeros(struct decoder_step *s)
{
    size_t n = 0;
    while (n < s->n_in && !s->in[n])
        n++;
    step_advance(s, n, 0);
    return s->n_in ? decoder_damaged(s, "other bytes follow the zeros after the last member")
                   : MEMBER_ENDED;
}

/* Reads a member's header. Its first bytes are read one by one, because the library judges them
 * only when it has ten, and accepts unknown flags. */
static enum outcome gzip_read_header(struct gzip *g, struct decoder_step *s)
{
    unsigned n_in = decoder_at_most(s->n_in);
    if (g->n_first < GZIP_FIRST && n_in) {
        const struct gzip_first *first = &gzip_first[g->n_first++];
        if ((s->in[0] & first->mask) != first->value) return decoder_damaged(s, first->why);
        n_in = 1;
    }
    g->text.next_in = (unsigned char *)s->in;
    g->text.avail_in = n_in;
    int result = isal_read_gzip_header(&g->text, &g->header);
    step_advance(s, n_in - g->text.avail_in, 0);
    g->in_text = result == ISAL_DECOMP_OK;
    return result < 0 ? decoder_damaged(s, "header crc mismatch") : ON;
}

static enum outcome gzip_end_member(struct gzip *g)
{
    isal_inflate_reset(&g->text);
    g->header = (struct isal_gzip_header){0};
    g->n_first = 0;
    g->in_text = false;
    return MEMBER_ENDED;
}

/* Keeps the last bytes read of the member. */
static void gzip_keep_trailer(struct gzip *g, const unsigned char *in, size_t took)
{
    size_t n = took < GZIP_TRAILER ? took : GZIP_TRAILER;
    memmove(g->trailer, g->trailer + n, GZIP_TRAILER - n);
    memcpy(g->trailer + GZIP_TRAILER - n, in + took - n, n);
}

static const char *gzip_why(const struct gzip *g, int result)
{
    if (result == ISAL_INVALID_LOOKBACK) return "invalid distance too far back";
    if (result == ISAL_INVALID_SYMBOL) return "invalid code";
    if (result == ISAL_INVALID_BLOCK) return "invalid block header";
    return le_get32(g->trailer) == g->text.crc ? "incorrect length check" : "incorrect data check";
}

/* Takes back as many bytes of the text as a match may have: if a code is wrong, the library may
 * count a match that it has not copied. The text ends with what was decoded ahead. Returns the
 * bytes that are left of those given. */
static size_t gzip_take_back(struct inflate_state *t, size_t gave)
{
    int32_t ahead = t->tmp_out_valid - t->tmp_out_processed;
    int32_t back = ahead < ISAL_DEF_MAX_MATCH ? ahead : ISAL_DEF_MAX_MATCH;
    size_t more = (size_t)(ISAL_DEF_MAX_MATCH - back);
    t->tmp_out_valid -= back;
    return gave > more ? gave - more : 0;
}

/* Returns the text that was decoded ahead, and then the damage. */
static enum outcome gzip_end_damaged(struct gzip *g, struct decoder_step *s)
{
    struct inflate_state *t = &g->text;
    size_t rest = (size_t)(t->tmp_out_valid - t->tmp_out_processed);
    size_t n = rest < s->n_out ? rest : s->n_out;
    if (!rest) return decoder_damaged(s, g->why);
    memcpy(s->out, t->tmp_out_buffer + t->tmp_out_processed, n);
    t->tmp_out_processed += (int32_t)n;
    step_advance(s, 0, n);
    return ON;
}

/* Decodes text. The library's counts of bytes left are wrong after damage, its pointers are not. */
static enum outcome gzip_read_text(struct gzip *g, struct decoder_step *s)
{
    struct inflate_state *t = &g->text;
    t->next_in = (unsigned char *)s->in;
    t->avail_in = decoder_at_most(s->n_in);
    t->next_out = (unsigned char *)s->out;
    t->avail_out = decoder_at_most(s->n_out);
    int result = isal_inflate(t);
    size_t took = (size_t)(t->next_in - s->in),
           gave = (size_t)(t->next_out - (unsigned char *)s->out);
    gzip_keep_trailer(g, s->in, took);
    if (result < 0) g->why = gzip_why(g, result);
    if (result == ISAL_INVALID_SYMBOL || result == ISAL_INVALID_LOOKBACK)
        gave = gzip_take_back(t, gave);
    step_advance(s, took, gave);
    if (g->why) return gzip_end_damaged(g, s);
    return t->block_state == ISAL_BLOCK_FINISH ? gzip_end_member(g) : ON;
}

enum outcome gzip_run(void *state, struct decoder_step *s)
{
    struct gzip *g = state;
    g->padding |= !g->n_first && s->n_in && !s->in[0];
    if (g->padding) return gzip_skip_zeros(s);
    if (g->why) return gzip_end_damaged(g, s);
    return g->in_text ? gzip_read_text(g, s) : gzip_read_header(g, s);
}

void gzip_end(void *state) { free(state); }
