/* bench_panes.c -- panes of five minutes for 30 days: memory, time of a feature, time of two sums.
 *
 *     bench_panes [MEGABYTES]        48 by default: three quarters of a budget of 64 MB
 *
 * 100,000 features of a Zipf distribution; each pane gets 10,000 of them, as a sample of the 3
 * million records of 10,000 a second. The bounds of 1,000 pairs of periods are compared with exact
 * counts. Times are of the processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "kernels/counting/panes/panes.h"
#include "support/random.h"

enum { IDS = 100000, PANES = 8640, EACH = 10000, PAIRS = 1000, BLOCK = 64 };
#define EVERY (INT64_C(300) * 1000000000)

static uint32_t exact[PANES / BLOCK][IDS]; /* of each 64 panes */
static struct panes_bounds bounds[2][IDS];
static uint32_t slot_id[IDS + 2], slot_next[IDS + 2];
static uint64_t slot_wide[IDS];

/* A bijection of 32 bits, as ids are folded to 32 bits. */
static uint64_t id_of(uint32_t i) { return (uint32_t)((i + 1) * 2654435761u); }
/* Log-uniform ranks have about a Zipf distribution. */
static uint32_t feature(uint64_t *s, uint32_t pane)
{
    uint32_t rank = (uint32_t)exp(uniform(s, 0, log(IDS))) - 1;
    return (rank + 7 * (pane / 2000)) % IDS;
}

static double learn(struct panes *p)
{
    uint64_t s = 1, begin = clock_thread_ns();
    for (uint32_t t = 0; t < PANES; t++)
        for (uint32_t i = 0; i < EACH; i++) {
            uint32_t f = feature(&s, t);
            panes_record(p, t * EVERY + i);
            panes_add(p, id_of(f));
            exact[t / BLOCK][f]++;
        }
    return (double)(clock_thread_ns() - begin) / PANES / EACH;
}

static void sum(const struct panes *p, const struct id_slots *slots, struct panes_times t, int y,
                struct panes_sum *s)
{
    bool in[PANES_MOST];
    *s = (struct panes_sum){.bounds = bounds[y]};
    memset(bounds[y], 0, sizeof bounds[y]);
    for (uint32_t i = 0; i < p->n; i++)
        in[i] = panes_in(p, &p->pane[i], t);
    panes_sum(p, in, slots, s);
}

/* Returns the number of features whose bounds do not hold the exact count. Only periods that begin
 * and end with a block of exact counts are compared. */
static uint32_t wrong(const struct panes_sum *s, const struct id_slots *slots, int y)
{
    int64_t from = s->times.from / EVERY, to = s->times.to / EVERY, n = 0;
    if (from % BLOCK || to % BLOCK) return 0;
    for (uint32_t i = 0; i < IDS; i++) {
        uint64_t count = 0;
        uint64_t mix = id_slots_mix(slots->seed, id_slots_fold(id_of(i)));
        uint32_t slot = id_slots_find(slots, id_of(i), mix);
        for (int64_t b = from / BLOCK; b < to / BLOCK; b++)
            count += exact[b][i];
        n += count < bounds[y][slot].low || count > bounds[y][slot].high;
    }
    return (uint32_t)n;
}

int main(int argc, char **argv)
{
    const struct panes_options o = {.every = EVERY, .keep = PANES * EVERY, .seed = 1};
    uint64_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 48) << 20, seed = 2, worst = 0;
    uint32_t room = panes_room(&o, bytes), bad = 0, compared = 0;
    size_t block = (panes_block_bytes(&o, room) + 63) & ~(size_t)63;
    static struct panes p;
    struct id_slots slots = {.capacity = IDS,
                             .made_for = IDS,
                             .seed = 3,
                             .id = slot_id,
                             .wide = slot_wide,
                             .next = slot_next,
                             .head = calloc(id_slots_heads(IDS), 4)};
    void *memory = aligned_alloc(64, block);
    memset(memory, 0, block);
    panes_init(&p, &o, room, memory);
    id_slots_rebuild(&slots);
    for (uint32_t i = 0; i < IDS; i++) {
        uint32_t slot = id_slots_take(&slots);
        id_slots_set(&slots, slot, id_of(i));
        id_slots_link(&slots, slot);
    }
    printf("ns_a_feature\t%.1f\n", learn(&p));
    printf("panes\t%u\nbytes\t%zu\nfeatures_a_pane\t%u\n", p.n, block, p.limit);
    for (int i = 0; i < PAIRS; i++) {
        int64_t cut[4];
        struct panes_sum s[2];
        for (int k = 0; k < 4; k++)
            cut[k] = below(&seed, PANES / BLOCK + 1) * (int64_t)BLOCK * EVERY;
        uint64_t begin = clock_thread_ns();
        for (int y = 0; y < 2; y++) {
            int64_t a = cut[2 * y], b = cut[2 * y + 1];
            sum(&p, &slots, (struct panes_times){a < b ? a : b, a < b ? b : a}, y, &s[y]);
        }
        uint64_t ns = clock_thread_ns() - begin;
        if (ns > worst) worst = ns;
        for (int y = 0; y < 2; y++) {
            compared += s[y].panes && s[y].times.from / EVERY % BLOCK == 0 &&
                        s[y].times.to / EVERY % BLOCK == 0;
            if (s[y].panes) bad += wrong(&s[y], &slots, y);
        }
    }
    printf("longest_ms\t%.1f\nperiods_compared\t%u\nwrong_bounds\t%u\n", (double)worst / 1e6,
           compared, bad);
    free(memory);
    free(slots.head);
    return bad != 0;
}
