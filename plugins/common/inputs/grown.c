/* grown.c -- implementation of grown.h. */
#include "grown.h"

#include <stdlib.h>
#include <string.h>

bool grown_room(struct grown *g, size_t n, size_t limit)
{
    if (g->at) memmove(g->v, g->v + g->at, g->n - g->at);
    g->n -= g->at;
    g->at = 0;
    if (n <= g->cap - g->n) return true;
    if (n > limit || g->n > limit - n) return false;
    size_t cap = 2 * (g->n + n) < limit ? 2 * (g->n + n) : limit;
    uint8_t *v = realloc(g->v, cap);
    if (!v) return false;
    g->v = v;
    g->cap = cap;
    return true;
}

enum outcome grown_too_large(struct decoder_step *s, uint64_t bytes)
{
    s->window = 2 * bytes;
    return LARGE;
}

enum outcome grown_take(struct grown *g, struct decoder_step *s, size_t most, size_t limit)
{
    size_t n = s->n_in < most ? s->n_in : most;
    if (!n) return ON;
    if (!grown_room(g, n, limit)) {
        if (grown_rest(g) + n > limit) return grown_too_large(s, 2 * (uint64_t)limit);
        return decoder_damaged(s, "out of memory");
    }
    memcpy(g->v + g->n, s->in, n);
    g->n += n;
    step_advance(s, n, 0);
    return ON;
}
