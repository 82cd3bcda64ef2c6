/* lz4.c -- implementation of lz4.h.
 *
 *   frame           magic 184d2204 | …                        decoded by the library's frames
 *   skippable       magic 184d2a50 to 184d2a5f | size | …     skipped by the library's frames
 *   legacy frame    magic 184c2102 | block | block | …        decoded here, block by block
 *   block           size, 4 bytes | data                      at most 8 MiB of text
 *
 * All numbers are little-endian. A legacy frame has no end mark: it ends with the input, or where
 * the next four bytes are no size of a block, but the magic of another frame. */
#include "lz4.h"

#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

#include "core/le.h"

enum { LZ4_WORD = 4, LEGACY_TEXT = 8 << 20, LEGACY_BLOCK = LZ4_COMPRESSBOUND(LEGACY_TEXT) };
#define LEGACY_MAGIC 0x184c2102u

enum lz4_place {
    LZ4_FIRST,   /* the magic of a frame comes next */
    LZ4_FRAME,   /* within a frame of the library */
    LEGACY_SIZE, /* the size of a legacy block comes next, or the magic of a frame */
    LEGACY_DATA, /* within a legacy block */
    LEGACY_REST  /* a part of the text of a legacy block has not been returned */
};

struct lz4 {
    enum lz4_place place;
    LZ4F_dctx *frames;
    unsigned char word[LZ4_WORD]; /* the first n_word bytes of a magic or size */
    size_t n_word;
    unsigned char *block; /* `have` of `size` bytes of a legacy block */
    size_t have, size;
    char *text; /* the part [at, n_text) has not been returned */
    size_t at, n_text;
};

/* Frees what frames of the library, or legacy frames, need: a decoder has one of the two at a
 * time. */
static void lz4_free(struct lz4 *z)
{
    LZ4F_freeDecompressionContext(z->frames);
    free(z->block);
    free(z->text);
    z->frames = NULL;
    z->block = NULL;
    z->text = NULL;
}

void *lz4_begin(uint64_t window) { return calloc(1, sizeof(struct lz4)); }

void lz4_end(void *state)
{
    lz4_free(state);
    free(state);
}

static const char *lz4_words(const char *name)
{
    return strcmp(name, "ERROR_allocation_failed") ? name : "out of memory";
}

/* Gives bytes to the library, and advances s->out. *n becomes the number of bytes that it read. */
static enum outcome lz4_decode(struct lz4 *z, struct decoder_step *s, const unsigned char *in,
                               size_t *n)
{
    size_t n_out = s->n_out;
    size_t result = LZ4F_decompress(z->frames, s->out, &n_out, in, n, NULL);
    if (LZ4F_isError(result)) return decoder_damaged(s, lz4_words(LZ4F_getErrorName(result)));
    step_advance(s, 0, n_out);
    if (result || !(*n || n_out)) return ON;
    z->place = LZ4_FIRST;
    return MEMBER_ENDED;
}

static enum outcome lz4_begin_legacy(struct lz4 *z, struct decoder_step *s)
{
    if (!z->block) {
        lz4_free(z);
        z->block = malloc(LEGACY_BLOCK);
        z->text = malloc(LEGACY_TEXT);
    }
    if (!z->block || !z->text) return decoder_damaged(s, "out of memory");
    z->place = LEGACY_SIZE;
    return MEMBER_ENDED;
}

/* Begins the frame whose magic is z->word. */
static enum outcome lz4_begin_frame(struct lz4 *z, struct decoder_step *s)
{
    size_t n = LZ4_WORD;
    if (le_get32(z->word) == LEGACY_MAGIC) return lz4_begin_legacy(z, s);
    if (!z->frames) {
        lz4_free(z);
        if (LZ4F_isError(LZ4F_createDecompressionContext(&z->frames, LZ4F_VERSION)))
            return decoder_damaged(s, "out of memory");
    }
    z->place = LZ4_FRAME;
    return lz4_decode(z, s, z->word, &n);
}

/* Reads the magic of a frame, or the size of a legacy block. */
static enum outcome lz4_read_word(struct lz4 *z, struct decoder_step *s)
{
    size_t missing = LZ4_WORD - z->n_word, n = s->n_in < missing ? s->n_in : missing;
    memcpy(z->word + z->n_word, s->in, n);
    z->n_word += n;
    step_advance(s, n, 0);
    if (z->n_word < LZ4_WORD) return ON;
    z->n_word = 0;
    z->size = le_get32(z->word);
    if (z->place == LZ4_FIRST || z->size > LEGACY_BLOCK) return lz4_begin_frame(z, s);
    z->have = 0;
    z->place = LEGACY_DATA;
    return ON;
}

/* Reads a legacy block, and decodes it when it is complete. */
static enum outcome lz4_read_block(struct lz4 *z, struct decoder_step *s)
{
    size_t missing = z->size - z->have, n = s->n_in < missing ? s->n_in : missing;
    memcpy(z->block + z->have, s->in, n);
    z->have += n;
    step_advance(s, n, 0);
    if (z->have < z->size) return ON;
    int text = LZ4_decompress_safe((const char *)z->block, z->text, (int)z->size, LEGACY_TEXT);
    if (text < 0) return decoder_damaged(s, "a block of a legacy frame is wrong");
    z->at = 0;
    z->n_text = (size_t)text;
    z->place = text ? LEGACY_REST : LEGACY_SIZE;
    return text ? ON : MEMBER_ENDED;
}

static enum outcome lz4_return_text(struct lz4 *z, struct decoder_step *s)
{
    size_t rest = z->n_text - z->at, n = rest < s->n_out ? rest : s->n_out;
    memcpy(s->out, z->text + z->at, n);
    z->at += n;
    step_advance(s, 0, n);
    if (z->at < z->n_text) return ON;
    z->place = LEGACY_SIZE;
    return MEMBER_ENDED;
}

enum outcome lz4_run(void *state, struct decoder_step *s)
{
    struct lz4 *z = state;
    if (z->place == LEGACY_DATA) return lz4_read_block(z, s);
    if (z->place == LEGACY_REST) return lz4_return_text(z, s);
    if (z->place != LZ4_FRAME) return lz4_read_word(z, s);
    size_t n = s->n_in;
    enum outcome outcome = lz4_decode(z, s, s->in, &n);
    if (outcome != DAMAGED) step_advance(s, n, 0);
    return outcome;
}
