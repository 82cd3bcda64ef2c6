/* kept_answer.c -- see kept_answer.h. */
#include "kept_answer.h"

#include <stdlib.h>
#include <string.h>

#include "host/log/log.h"
#include "host/memory/memory.h"
#include "core/time/clock.h"
#include "host/exec/hooks.h"
#include "host/exec/instance/instance.h"
#include "host/exec/run.h"

/* Questions kept; how many times longer than for answers the learner works; and of how many long
 * ones before, or of those of some seconds. */
enum { QUESTIONS = 8, ALL_TIMES = 25, IN_ADVANCE = 8 };
static const uint64_t IN_ADVANCE_NS = UINT64_C(10000000000);
/* Shorter answers are always given anew. */
static const uint64_t SHORT_NS = 200000;

static bool is_same(const struct leat_ask *a, const struct leat_ask *b)
{
    return a->kind == b->kind && a->k == b->k && a->min_count == b->min_count &&
           a->min_support == b->min_support && a->min_risk_ratio == b->min_risk_ratio &&
           a->min_odds_gain == b->min_odds_gain && a->order == b->order &&
           a->positive == b->positive && a->together == b->together;
}

static struct kept_answers *answers_of(struct instance *i)
{
    if (i->learning.kept) return i->learning.kept;
    i->learning.kept = memory_take(sizeof *i->learning.kept);
    *i->learning.kept =
        (struct kept_answers){.kept = memory_take(QUESTIONS * sizeof *i->learning.kept->kept)};
    memset(i->learning.kept->kept, 0, QUESTIONS * sizeof *i->learning.kept->kept);
    return i->learning.kept;
}

static struct kept_answer *find(struct kept_answers *all, const struct leat_ask *want, bool merged)
{
    for (uint32_t k = 0; k < all->n; k++)
        if (is_same(&all->kept[k].want, want) && all->kept[k].merged == merged)
            return &all->kept[k];
    return NULL;
}

/* A new place, or that of the question that nobody has asked for longest. */
static struct kept_answer *make(struct kept_answers *all, const struct leat_ask *want, bool merged)
{
    struct kept_answer *a = &all->kept[all->n < QUESTIONS ? all->n++ : 0];
    for (uint32_t k = 0; k < all->n; k++)
        if (all->kept[k].used < a->used) a = &all->kept[k];
    arena_free(&a->arena);
    *a = (struct kept_answer){.want = *want, .merged = merged, .used = clock_ns()};
    return a;
}

static int take(struct instance *i, bool gathers, struct kept_answer *a)
{
    const struct shard_hooks *shards = i->run->shard_hooks;
    uint64_t from = clock_ns();
    arena_free(&a->arena);
    a->answer = (struct answer){.n_rows = 0};
    int status = shards && gathers ? shards->gather(i) : LEAT_OK;
    /* That a learner has fewer rows than are asked for here is no concern of the user's. */
    bool hushed = log_hush(true);
    if (status == LEAT_OK) status = answer_take(&a->answer, i, &a->want, &a->arena);
    log_hush(hushed);
    a->examples = progressive_examples(i->learning.progressive);
    a->time_end = i->learning.time_end;
    a->at = clock_ns();
    a->took = status == LEAT_OK ? a->at - from : 0;
    return status;
}

/* After an answer: when all will have had their share. */
static void pay(struct kept_answers *all, uint64_t took, uint64_t now)
{
    if (took <= SHORT_NS) return;
    all->paid_at = (all->paid_at > now ? all->paid_at : now) + ALL_TIMES * took;
    all->took = took;
}

static bool is_paid(const struct kept_answers *all, uint64_t now)
{
    uint64_t some = IN_ADVANCE * ALL_TIMES * all->took;
    return all->paid_at <= now + (some > IN_ADVANCE_NS ? some : IN_ADVANCE_NS);
}

int kept_answer_take(struct instance *i, const struct leat_ask *want, bool merges, bool over,
                     const struct kept_answer **out)
{
    struct kept_answers *all = answers_of(i);
    struct kept_answer *a = find(all, want, merges);
    uint64_t now = clock_ns();
    bool paid = is_paid(all, now), kept = a && a->took > SHORT_NS;
    *out = a;
    if (a) a->used = now;
    if (!over && kept && (!paid || now < a->at + KEPT_TIMES * a->took)) return LEAT_OK;
    if (!over && !paid) return LEAT_AGAIN;
    *out = a = a ? a : make(all, want, merges);
    int status = take(i, merges && !over, a);
    pay(all, a->took, a->at);
    return status;
}

void kept_answers_free(struct instance *i)
{
    for (uint32_t k = 0; i->learning.kept && k < i->learning.kept->n; k++)
        arena_free(&i->learning.kept->kept[k].arena);
    if (i->learning.kept) free(i->learning.kept->kept);
    free(i->learning.kept);
    i->learning.kept = NULL;
}
