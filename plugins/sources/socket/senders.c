/* senders.c -- see senders.h. */
#include "senders.h"

static uint32_t numbers(int64_t max) { return (uint32_t)max + SENDERS_SPARE; }

uint64_t senders_bytes(int64_t max)
{
    return (uint64_t)numbers(max) * (sizeof(struct sender) + SENDERS_NAME);
}

int senders_init(struct leat_ctx *ctx, struct senders *s, int64_t max, const char *all)
{
    *s = (struct senders){.n = numbers(max), .used = 1};
    s->v = ctx->host->alloc(ctx, s->n * sizeof *s->v);
    if (!s->v) return LEAT_ENOMEM;
    s->v[0].used = s->v[0].open = true;
    return ctx->host->name_input(ctx, 0, all);
}

void senders_fini(struct leat_ctx *ctx, struct senders *s)
{
    ctx->host->free(ctx, s->v);
    s->v = NULL;
}

static bool is_free(const struct senders *s, const struct sender *one)
{
    return !one->used || (!one->open && s->batches - one->batch > SENDERS_REST);
}

int senders_take(struct leat_ctx *ctx, struct senders *s, const char *name, uint32_t *input)
{
    *input = 0;
    for (uint32_t i = 1; i < s->n && !*input; i++) {
        uint32_t k = 1 + (s->last + i - 1) % (s->n - 1);
        if (is_free(s, &s->v[k])) *input = k;
    }
    if (!*input) return LEAT_OK;
    s->last = *input;
    if (*input >= s->used) s->used = *input + 1;
    s->v[*input] = (struct sender){.used = true, .open = true, .batch = s->batches};
    return ctx->host->name_input(ctx, *input, name);
}

void senders_release(struct senders *s, uint32_t input)
{
    if (!input) return;
    s->v[input].open = false;
    s->v[input].batch = s->batches;
}

bool senders_find(struct senders *s, const uint64_t address[2], uint32_t *input)
{
    for (uint32_t k = 1; k < s->used; k++)
        if (s->v[k].address[0] == address[0] && s->v[k].address[1] == address[1]) {
            *input = k;
            s->v[k].batch = s->batches;
            return true;
        }
    return false;
}
