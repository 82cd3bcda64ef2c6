/* ask.c -- implementation of ask.h: histories, answer tables, and answers that are due. */
#include "ask.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/exec/run.h"
#include "host/log/log.h"
#include "core/time/clock.h"
#include "host/metrics/progressive.h"

/* ---- the history of a query ---- */

size_t answer_history_bytes(const struct leat_ask *want)
{
    bool repeats = want->every.ns > 0 || want->every.examples > 0;
    return want->kind == LEAT_QUERY_TOP && repeats ? sizeof(struct answer_history) : 0;
}

static void answer_history_fill(struct answer_moment *m, uint64_t answer,
                                const struct leat_table *t)
{
    m->answer = answer;
    m->examples = t->examples;
    m->time = t->time;
    m->n = t->n_rows < ANSWER_MOMENT_ROWS ? t->n_rows : ANSWER_MOMENT_ROWS;
    for (uint32_t i = 0; i < m->n; i++) {
        size_t len = t->name_len[i] < ANSWER_MOMENT_NAME ? t->name_len[i] : ANSWER_MOMENT_NAME - 1;
        memcpy(m->name[i], t->names[i], len);
        m->name[i][len] = 0;
    }
}

/* Drops every second moment of the history, beginning with the second one, and doubles the step. */
static void answer_history_thin_out(struct answer_history *h)
{
    for (uint32_t i = 1; 2 * i < h->n; i++)
        h->moment[i] = h->moment[2 * i];
    h->n /= 2;
    h->step *= 2;
}

void answer_history_add(struct answer_history *h, const struct leat_table *t)
{
    uint64_t answer = h->answers++;
    if (!h->step) h->step = 1;
    if (answer % h->step == 0 && h->n == ANSWER_MOMENTS) answer_history_thin_out(h);
    answer_history_fill(&h->moment[h->n], answer, t);
    if (answer % h->step == 0) h->n++;
}

uint32_t answer_history_moments(const struct answer_history *h)
{
    return h->n + (h->answers && h->moment[h->n - 1].answer + 1 < h->answers);
}

/* ---- a query and the tables for its answers ---- */

uint64_t ask_bytes(const struct leat_ask *want)
{
    uint64_t rows = want->k ? want->k : 1;
    return sizeof(struct ask) + answer_history_bytes(want) +
           ASK_TABLES * rows *
               (2 * sizeof(char *) + sizeof(uint32_t) + ASK_COLUMNS * sizeof(double) +
                2 * ASK_NAME_BYTES);
}

static int ask_table_init(struct table *t, struct ask *a)
{
    size_t rows = a->want.k ? a->want.k : 1;
    t->ask = a;
    t->names = calloc(rows, sizeof *t->names);
    t->name_len = calloc(rows, sizeof *t->name_len);
    t->values = calloc(rows * ASK_COLUMNS, sizeof *t->values);
    t->text = malloc(rows * ASK_NAME_BYTES);
    t->also = calloc(rows, sizeof *t->also);
    t->also_text = malloc(rows * ASK_NAME_BYTES);
    t->next_free = a->free;
    a->free = t;
    bool made = t->names && t->name_len && t->values && t->text && t->also && t->also_text;
    return made ? LEAT_OK : LEAT_ENOMEM;
}

int ask_init(struct ask *a, const struct leat_ask *want, struct instance *learner,
             struct instance *sink)
{
    assert(learner && sink);
    *a = (struct ask){.want = *want, .learner = learner, .sink = sink};
    if (!a->want.k) a->want.k = 1;
    a->next_examples = (uint64_t)want->every.examples;
    pthread_mutex_init(&a->mu, NULL);
    pthread_cond_init(&a->freed, NULL);
    for (int i = 0; i < ASK_TABLES; i++)
        if (ask_table_init(&a->table[i], a) != LEAT_OK) return LEAT_ENOMEM;
    size_t history = answer_history_bytes(want);
    if (history) a->history = calloc(1, history);
    return !history || a->history ? LEAT_OK : LEAT_ENOMEM;
}

void ask_fini(struct ask *a)
{
    for (int i = 0; i < ASK_TABLES; i++) {
        free(a->table[i].names);
        free(a->table[i].name_len);
        free(a->table[i].values);
        free(a->table[i].text);
        free(a->table[i].also);
        free(a->table[i].also_text);
    }
    free(a->history);
    pthread_cond_destroy(&a->freed);
    pthread_mutex_destroy(&a->mu);
}

struct leat_query ask_query(const struct leat_ask *want)
{
    return (struct leat_query){.size = sizeof(struct leat_query),
                               .kind = want->kind,
                               .k = want->k,
                               .min_count = want->min_count,
                               .min_support = want->min_support,
                               .min_risk_ratio = want->min_risk_ratio,
                               .min_odds_gain = want->min_odds_gain,
                               .order = want->order,
                               .positive = want->positive,
                               .together = want->together,
                               .again = want->every.ns > 0 || want->every.examples > 0,
                               .max_luck = want->max_luck};
}

static bool ask_due(struct ask *a, uint64_t examples, uint64_t now)
{
    const struct leat_interval *every = &a->want.every;
    if (a->want.event_time)
        return every->ns > 0 &&
               ask_time_has_passed(&a->learner->learning.asked, (uint64_t)every->ns);
    if (every->examples > 0) {
        if (examples < a->next_examples) return false;
        uint64_t due = (examples - a->next_examples) / (uint64_t)every->examples + 1;
        a->next_examples += due * (uint64_t)every->examples;
        return true;
    }
    if (every->ns <= 0) return false;
    if (!a->next_ns) a->next_ns = now + (uint64_t)every->ns;
    if (now < a->next_ns) return false;
    a->next_ns = now + (uint64_t)every->ns;
    return true;
}

static struct table *ask_table_take(struct ask *a)
{
    pthread_mutex_lock(&a->mu);
    while (!a->free)
        pthread_cond_wait(&a->freed, &a->mu);
    struct table *t = a->free;
    a->free = t->next_free;
    pthread_mutex_unlock(&a->mu);
    return t;
}

void ask_release(struct table *t)
{
    struct ask *a = t->ask;
    pthread_mutex_lock(&a->mu);
    t->next_free = a->free;
    a->free = t;
    pthread_cond_signal(&a->freed);
    pthread_mutex_unlock(&a->mu);
}

struct filling {
    struct leat_result base;
    struct table *t;
};

static int ask_on_columns(struct leat_result *base, const char *const *names, uint32_t n)
{
    struct table *t = ((struct filling *)base)->t;
    if (n > ASK_COLUMNS) return LEAT_EFULL;
    memcpy(t->columns, names, n * sizeof *names);
    t->t.n_columns = n;
    return LEAT_OK;
}

/* Copies a name to `text`. Cuts a longer one after a whole UTF-8 sequence, and ends it with "…".
 * Returns the length. */
static uint32_t ask_put_name(char text[ASK_NAME_BYTES], const char *name, size_t len)
{
    static const char more[] = "\xe2\x80\xa6";
    if (len >= ASK_NAME_BYTES) {
        len = ASK_NAME_BYTES - sizeof more;
        while (len && ((unsigned char)name[len] & 0xc0) == 0x80)
            len--;
        memcpy(text + len, more, sizeof more);
        memcpy(text, name, len);
        return (uint32_t)(len + sizeof more - 1);
    }
    memcpy(text, name, len);
    text[len] = 0;
    return (uint32_t)len;
}

static int ask_on_row(struct leat_result *base, const char *name, size_t len, const double *values)
{
    struct table *t = ((struct filling *)base)->t;
    uint32_t r = t->t.n_rows;
    if (r >= t->ask->want.k) return LEAT_EFULL;
    char *text = t->text + (size_t)r * ASK_NAME_BYTES;
    t->names[r] = text;
    t->name_len[r] = ask_put_name(text, name, len);
    t->also[r] = t->also_text + (size_t)r * ASK_NAME_BYTES;
    t->also_text[(size_t)r * ASK_NAME_BYTES] = 0;
    memcpy(t->values + (size_t)r * t->t.n_columns, values, t->t.n_columns * sizeof *values);
    t->t.n_rows++;
    return LEAT_OK;
}

void ask_join_name(char *text, size_t room, const char *name, size_t len)
{
    static const char more[] = "; \xe2\x80\xa6"; /* `text` always has room for this */
    size_t used = strlen(text), gap = used ? 2 : 0, end = sizeof more - 1;
    assert(room > 2 * sizeof more);
    if (used >= end && !strcmp(text + used - end, more)) return;
    bool fits = used + gap + len + sizeof more <= room;
    memcpy(text + used, more, fits ? gap : end);
    if (!fits) {
        text[used + end] = 0;
        return;
    }
    memcpy(text + used + gap, name, len);
    text[used + gap + len] = 0;
}

static int ask_on_also(struct leat_result *base, const char *name, size_t len)
{
    struct table *t = ((struct filling *)base)->t;
    if (!t->t.n_rows) return LEAT_EARG;
    ask_join_name(t->also_text + (size_t)(t->t.n_rows - 1) * ASK_NAME_BYTES, ASK_NAME_BYTES, name,
                  len);
    t->t.also = t->also;
    return LEAT_OK;
}

static void ask_metrics(struct table *t, const struct instance *learner)
{
    double values[ASK_COLUMNS];
    struct filling f = {.t = t};
    size_t n = progressive_metrics(learner->learning.progressive, t->columns, values, ASK_COLUMNS);
    t->t.n_columns = (uint32_t)n;
    ask_on_row(&f.base, learner->node->id, strlen(learner->node->id), values);
}

/* True if a query failed only because the learner tried to add more than k rows. */
static bool ask_is_full(int status, const struct leat_table *t, uint32_t k)
{
    return status == LEAT_EFULL && t->n_rows == k;
}

/* Returns the time of an answer: that of the query's clock; at the end the latest of all. */
static uint64_t ask_latest(const struct ask *a, bool last)
{
    const struct instance_learning *l = &a->learner->learning;
    return a->want.event_time && !last ? l->asked.now : l->time_end;
}

static struct table *ask_put(struct ask *a, uint64_t start, uint64_t now, bool last)
{
    struct table *t = ask_table_take(a);
    struct instance *learner = a->learner;
    t->t = (struct leat_table){.size = sizeof t->t,
                               .kind = a->want.kind,
                               .learner = learner->node->id,
                               .examples = progressive_examples(learner->learning.progressive),
                               .seconds = (double)(now - start) / 1e9,
                               .last = (uint32_t)last,
                               .columns = t->columns,
                               .names = t->names,
                               .name_len = t->name_len,
                               .values = t->values,
                               .time = (int64_t)ask_latest(a, last) - 1};
    if (a->want.kind == LEAT_QUERY_METRICS) {
        ask_metrics(t, learner);
        return t;
    }
    struct leat_query q = ask_query(&a->want);
    struct filling f = {{sizeof f.base, 0, ask_on_columns, ask_on_row, ask_on_also}, t};
    int status = instance_query(learner, &q, &f.base);
    if (status < 0 && !ask_is_full(status, &t->t, q.k)) instance_failed(learner, "query", status);
    if (a->history) answer_history_add(a->history, &t->t);
    return t;
}

/* ---- queries that are due, and their answers ---- */

static uint64_t ask_examples(const struct instance *own)
{
    const struct shard_hooks *shards = own->run->shard_hooks;
    return shards ? shards->examples(own) : progressive_examples(own->learning.progressive);
}

/* Returns the row of the n-th selected example that may be counted (progressive.h). Others have a
 * weight of 0, unless the learner does not predict. */
static uint32_t ask_row_of_example(const struct instance *i, const struct leat_batch *b, uint64_t n)
{
    bool all = progressive_kind(i->learning.progressive) == LEAT_SCORE_NONE;
    if (n > b->n_ex_sel) return LEAT_NULL;
    for (LEAT_EACH_EXAMPLE(b, e))
        if ((all || b->ex_weight[e] > 0.0f) && --n == 0) return b->ex_record[e];
    return LEAT_NULL;
}

uint32_t ask_row(const struct instance *i, struct hbatch *h, bool whole)
{
    struct instance *own = i->own;
    uint64_t examples = ask_examples(own);
    uint32_t first = own->learning.asked.counts ? ask_time_row(own, h, whole) : LEAT_NULL;
    for (uint32_t k = 0; k < own->learning.n_asks; k++) {
        const struct ask *a = own->learning.asks[k];
        if (!ask_counts(&a->want) || a->want.event_time) continue;
        uint64_t next = a->next_examples > examples ? a->next_examples - examples : 1;
        uint32_t row = ask_row_of_example(i, &h->b, next);
        if (row < first) first = row;
    }
    return first;
}

/* True if the learner must be queried now. A split is no answer: only states that are merged have
 * one. *last becomes true for the last answer. A transform with
 * expand gets its last answer with the last batch, other stages at the end. */
static bool ask_is_now(struct ask *a, const struct hbatch *h, uint64_t examples, uint64_t now,
                       bool at_end, bool *last)
{
    bool makes_records = a->sink->node->stage->expand != NULL;
    *last = makes_records ? h->last : at_end;
    if (makes_records && at_end) return false;
    if (!makes_records && a->sink->run->graph->split) return false;
    return *last || ask_due(a, examples, now);
}

static void ask_put_off(struct ask *a, uint64_t next, uint64_t took)
{
    if (a->want.event_time || a->next_ns >= next) return;
    if (!a->put_off)
        log_message(LEAT_WARN,
                    "%s: an answer of %s takes %.1f s, so answers come at least %.1f s apart, and "
                    "not every %g s",
                    a->sink->node->label, a->learner->node->label, (double)took / 1e9,
                    (double)(next - a->next_ns + (uint64_t)a->want.every.ns) / 1e9,
                    (double)a->want.every.ns / 1e9);
    a->put_off = true;
    a->next_ns = next;
}

/* Puts off the learner's next answers by wall-clock time if those since `began` took long: answers
 * of all learners take at most one part in ASK_SHARE of the time. So an answer that takes longer
 * than its interval, such as that of a thousand shards, does not keep records waiting for ever. */
static void ask_pace(const struct instance *learner, uint64_t began)
{
    uint64_t now = clock_ns(), took = now - began,
             next = now + (ASK_SHARE * (uint64_t)learner->run->n_asked - 1) * took;
    for (uint32_t k = 0; k < learner->learning.n_asks; k++)
        if (learner->learning.asks[k]->next_ns) ask_put_off(learner->learning.asks[k], next, took);
}

void ask_questions(struct instance *learner, struct hbatch *h, uint64_t now, bool at_end)
{
    const struct shard_hooks *shards = learner->run->shard_hooks;
    struct instance_learning *l = &learner->learning;
    uint64_t examples = ask_examples(learner), began = 0;
    bool gathered = !shards || at_end, last;
    if (control_halted(&learner->run->control)) return;
    for (uint32_t k = 0; k < l->n_asks; k++) {
        if (!ask_is_now(l->asks[k], h, examples, now, at_end, &last)) continue;
        if (!began) began = clock_ns();
        if (!gathered) shards->gather(learner);
        gathered = true;
        h->table[h->n_tables++] = ask_put(l->asks[k], learner->run->start, now, last);
    }
    if (began) ask_pace(learner, began);
    ask_time_asked(&l->asked);
}

static int ask_show_one(struct instance *sink, const struct leat_table *t)
{
    const struct leat_stage *stage = sink->node->stage;
    if (control_halted(&sink->run->control) || !stage->asker->show) return LEAT_OK;
    log_bar_hold();
    instance_enter(sink->own, "show", clock_ns());
    int status = instance_return(sink->own, "show", stage->asker->show(&sink->ctx, sink->self, t));
    log_bar_release();
    return status;
}

void ask_show(struct instance *sink, struct hbatch *h)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->n_tables; k++) {
        struct table *t = h->table[k];
        if (t->ask->sink != sink) {
            h->table[kept++] = t;
            continue;
        }
        int status = ask_show_one(sink, &t->t);
        ask_release(t);
        if (status < 0) instance_failed(sink, "show", status);
    }
    h->n_tables = kept;
}
