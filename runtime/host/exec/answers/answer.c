/* answer.c -- implementation of answer.h: collects answers, and caches them for viewers. */
#include "answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/exec/run.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/plugin/status_text.h"

static int answer_on_columns(struct leat_result *base, const char *const *names, uint32_t n)
{
    struct answer *a = (struct answer *)base;
    if (n > ASK_COLUMNS) return LEAT_EFULL;
    memcpy(a->column, names, n * sizeof *names);
    a->n_columns = n;
    return LEAT_OK;
}

static int answer_on_row(struct leat_result *base, const char *name, size_t len,
                         const double *values)
{
    struct answer *a = (struct answer *)base;
    if (a->n_rows == a->cap) {
        size_t cap = a->cap;
        a->name = arena_grow(a->arena, a->name, a->n_rows, &cap, sizeof *a->name);
        cap = a->cap;
        a->also = arena_grow(a->arena, a->also, a->n_rows, &cap, sizeof *a->also);
        cap = a->cap;
        a->len = arena_grow(a->arena, a->len, a->n_rows, &cap, sizeof *a->len);
        a->values =
            arena_grow(a->arena, a->values, a->n_rows, &a->cap, a->n_columns * sizeof *a->values);
    }
    a->name[a->n_rows] = arena_strndup(a->arena, name, len);
    a->len[a->n_rows] = (uint32_t)len;
    a->also[a->n_rows] = "";
    memcpy(a->values + (size_t)a->n_rows++ * a->n_columns, values, a->n_columns * sizeof *values);
    return LEAT_OK;
}

static int answer_on_also(struct leat_result *base, const char *name, size_t len)
{
    struct answer *a = (struct answer *)base;
    if (!a->n_rows) return LEAT_EARG;
    char *text = arena_alloc(a->arena, ASK_NAME_BYTES);
    snprintf(text, ASK_NAME_BYTES, "%s", a->also[a->n_rows - 1]);
    ask_join_name(text, ASK_NAME_BYTES, name, len);
    a->also[a->n_rows - 1] = text;
    return LEAT_OK;
}

static int answer_collect(struct answer *a, struct instance *i, const struct leat_ask *want,
                          bool beside, struct arena *arena)
{
    *a = (struct answer){
        .base = {sizeof a->base, 0, answer_on_columns, answer_on_row, answer_on_also},
        .arena = arena};
    struct leat_query q = ask_query(want);
    q.beside = beside;
    q.again |= beside && !i->run->end; /* an observer may ask a run that goes on again and again */
    return instance_query(i, &q, &a->base);
}

int answer_take(struct answer *a, struct instance *i, const struct leat_ask *want,
                struct arena *arena)
{
    return answer_collect(a, i, want, true, arena);
}

int answer_ask(struct answer *a, struct instance *i, const struct leat_ask *want,
               struct arena *arena)
{
    int status = answer_collect(a, i, want, false, arena);
    return status < 0
               ? instance_fail(i, status, "the learner gave no answer: %s", status_text(status))
               : LEAT_OK;
}

uint32_t answer_column(const struct answer *a, const char *name)
{
    uint32_t c = 0;
    while (c < a->n_columns && strcmp(a->column[c], name))
        c++;
    return c;
}

/* ---- cached answers ---- */

/* QUESTIONS: most queries in the cache. ALL_TIMES: after an answer that took time t, ALL_TIMES * t
 * must pass before the next one. The credit allows queries to be ahead of this by the time for
 * IN_ADVANCE long answers, at least by IN_ADVANCE_NS. */
enum { QUESTIONS = 8, ALL_TIMES = 25, IN_ADVANCE = 8 };
static const uint64_t IN_ADVANCE_NS = UINT64_C(10000000000);
/* Answers that take at most SHORT_NS are not cached, because they cost little. */
static const uint64_t SHORT_NS = 200000;

static bool kept_answer_is_of(const struct leat_ask *a, const struct leat_ask *b)
{
    return a->kind == b->kind && a->k == b->k && a->min_count == b->min_count &&
           a->min_support == b->min_support && a->min_risk_ratio == b->min_risk_ratio &&
           a->min_odds_gain == b->min_odds_gain && a->order == b->order &&
           a->positive == b->positive && a->together == b->together && a->max_luck == b->max_luck &&
           (a->every.ns > 0 || a->every.examples > 0) == (b->every.ns > 0 || b->every.examples > 0);
}

static struct kept_answers *kept_answers_of(struct instance *i)
{
    if (i->learning.kept) return i->learning.kept;
    i->learning.kept = memory_take(sizeof *i->learning.kept);
    *i->learning.kept =
        (struct kept_answers){.kept = memory_take(QUESTIONS * sizeof *i->learning.kept->kept)};
    memset(i->learning.kept->kept, 0, QUESTIONS * sizeof *i->learning.kept->kept);
    return i->learning.kept;
}

static struct kept_answer *kept_answer_find(struct kept_answers *all, const struct leat_ask *want,
                                            bool merged)
{
    for (uint32_t k = 0; k < all->n; k++)
        if (kept_answer_is_of(&all->kept[k].want, want) && all->kept[k].merged == merged)
            return &all->kept[k];
    return NULL;
}

/* Returns a free place in the cache. If there is none, returns the place of the query whose last
 * request is oldest, after removing that query. */
static struct kept_answer *kept_answer_place(struct kept_answers *all, const struct leat_ask *want,
                                             bool merged)
{
    struct kept_answer *a = &all->kept[all->n < QUESTIONS ? all->n++ : 0];
    for (uint32_t k = 0; k < all->n; k++)
        if (all->kept[k].used < a->used) a = &all->kept[k];
    arena_free(&a->arena);
    *a = (struct kept_answer){.want = *want, .merged = merged, .used = clock_ns()};
    return a;
}

static int kept_answer_renew(struct instance *i, bool gathers, struct kept_answer *a)
{
    const struct shard_hooks *shards = i->run->shard_hooks;
    uint64_t from = clock_ns();
    arena_free(&a->arena);
    a->answer = (struct answer){.n_rows = 0};
    int status = shards && gathers ? shards->gather(i) : LEAT_OK;
    /* Suppresses the warning that a learner has fewer rows than the query wants. */
    bool hushed = log_hush(true);
    if (status == LEAT_OK) status = answer_take(&a->answer, i, &a->want, &a->arena);
    log_hush(hushed);
    a->examples = progressive_examples(i->learning.progressive);
    a->time_end = i->learning.time_end;
    a->at = clock_ns();
    a->took = status == LEAT_OK ? a->at - from : 0;
    return status;
}

/* Counts the time of an answer against the share of time for queries: moves all->paid_at. */
static void kept_answers_pay(struct kept_answers *all, uint64_t took, uint64_t now)
{
    if (took <= SHORT_NS) return;
    all->paid_at = (all->paid_at > now ? all->paid_at : now) + ALL_TIMES * took;
    all->took = took;
}

static bool kept_answers_are_paid(const struct kept_answers *all, uint64_t now)
{
    uint64_t some = IN_ADVANCE * ALL_TIMES * all->took;
    return all->paid_at <= now + (some > IN_ADVANCE_NS ? some : IN_ADVANCE_NS);
}

int kept_answer_take(struct instance *i, const struct leat_ask *want, bool merges, bool over,
                     const struct kept_answer **out)
{
    struct kept_answers *all = kept_answers_of(i);
    struct kept_answer *a = kept_answer_find(all, want, merges);
    uint64_t now = clock_ns();
    bool paid = kept_answers_are_paid(all, now), kept = a && a->took > SHORT_NS;
    *out = a;
    if (a) a->used = now;
    if (!over && kept && (!paid || now < a->at + KEPT_TIMES * a->took)) return LEAT_OK;
    if (!over && !paid) return LEAT_AGAIN;
    *out = a = a ? a : kept_answer_place(all, want, merges);
    int status = kept_answer_renew(i, merges && !over, a);
    kept_answers_pay(all, a->took, a->at);
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
