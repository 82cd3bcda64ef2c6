/* decoder_step.h -- one call of a format's library: its input, its output and its outcome. */
#ifndef LEAT_COMMON_INPUTS_DECODER_STEP_H
#define LEAT_COMMON_INPUTS_DECODER_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Input and output of a call of a library. The call advances `in` past the bytes that it has read,
 * and `out` past the bytes that it has written. */
struct decoder_step {
    const unsigned char *in;
    size_t n_in;
    char *out;
    size_t n_out;
    bool last;
    const char *why;
    uint64_t window; /* for LARGE: window of the data */
    size_t back;     /* for DAMAGED: bytes before `in` at which the damage is, if this is known */
};

/* REFUSED: the data may be right, and have what is not known. */
enum outcome { ON, MEMBER_ENDED, DAMAGED, REFUSED, LARGE };

static inline enum outcome decoder_damaged(struct decoder_step *s, const char *why)
{
    s->why = why;
    return DAMAGED;
}

/* Refuses data whose window is larger than allowed. */
static inline enum outcome decoder_too_large(struct decoder_step *s, uint64_t window)
{
    s->window = window;
    return LARGE;
}

/* Advances `in` by the bytes that the library has read (took), and `out` by the bytes that it has
 * written (gave). */
static inline void step_advance(struct decoder_step *s, size_t took, size_t gave)
{
    s->in += took;
    s->n_in -= took;
    s->out += gave;
    s->n_out -= gave;
}

/* Limits a size to 2^30, because the libraries count in 32 bits. */
static inline unsigned decoder_at_most(size_t n) { return n < 1u << 30 ? (unsigned)n : 1u << 30; }

#endif
