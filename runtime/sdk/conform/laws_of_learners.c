/* laws_of_learners.c -- learners predict before they learn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

enum { BATCHES = 4, WEIGHT_BATCHES = 8 };

static const char *is_learner(const struct subject *s)
{
    return s->stage->kind == LEAT_LEARNER ? NULL : "it is no learner";
}

static const char *is_asked(const struct subject *s)
{
    return s->stage->learner->query ? NULL : "it cannot be asked";
}

static const char *takes_weights(const struct subject *s)
{
    if (is_learner(s)) return is_learner(s);
    return s->stage->caps & LEAT_ANY_ORDER ? "it counts examples (LEAT_ANY_ORDER)" : NULL;
}

static struct harness *after(const struct subject *s, uint32_t batches)
{
    struct harness *h = subject_open(s);
    trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = batches * s->batch}, NULL);
    return h;
}

static void needs_scores(const struct harness *h)
{
    if (!(h->out.has & LEAT_HAS_SCORE) || h->out.score == LEAT_SCORE_NONE)
        trial_skips("it makes no scores");
}

/* The score of the first example of the batch after `batches`. */
static float first_score(const struct subject *s, uint32_t batches, bool flipped)
{
    struct harness *h = after(s, batches);
    needs_scores(h);
    trial_step("process, batch %u", batches + 1);
    records_add(s, h, PLAIN, batches * s->batch, s->batch);
    for (uint32_t r = 0; flipped && r < h->b.n; r++)
        h->b.label[r] = -h->b.label[r];
    for (uint32_t e = 0; flipped && e < h->b.n_examples; e++)
        h->b.ex_label[e] = -h->b.ex_label[e];
    if (harness_process(h) < 0) trial_fails("process failed: %s", h->said);
    float score = h->b.n_ex_sel ? h->b.score[h->b.ex_sel[0]] : 0.0f;
    subject_close(h);
    return score;
}

static void predicts_first(const struct subject *s)
{
    for (uint32_t k = 0; k < BATCHES; k++) {
        float expected = first_score(s, k, false), found = first_score(s, k, true);
        if (memcmp(&expected, &found, sizeof found) != 0)
            trial_fails("the score of the first record of batch %u depends on its label\n"
                        "expected: %.9g\nfound:    %.9g, with the other label",
                        k + 1, (double)expected, (double)found);
    }
}

static void scores_all(const struct subject *s)
{
    struct harness *h = subject_open(s);
    needs_scores(h);
    for (uint32_t k = 0; k < BATCHES; k++) {
        trial_step("process, batch %u", k + 1);
        harness_clear(h);
        records_add(s, h, PLAIN, k * s->batch, s->batch);
        memset(h->b.score, 0xff, h->b.cap_examples * sizeof *h->b.score); /* NaN */
        if (harness_process(h) < 0) trial_fails("process failed: %s", h->said);
        for (LEAT_EACH_EXAMPLE(&h->b, e))
            if (!isfinite(h->b.score[e]))
                trial_fails("the score of example %u of batch %u\nexpected: a finite number\n"
                            "found:    %g",
                            e, k + 1, (double)h->b.score[e]);
    }
    subject_close(h);
}

static void give_without_weight(const struct subject *s, struct harness *h)
{
    trial_step("process, records of weight 0");
    records_add(s, h, OTHER, 0, s->batch);
    for (uint32_t r = 0; r < h->b.n; r++)
        h->b.weight[r] = 0.0f;
    for (uint32_t e = 0; e < h->b.n_examples; e++)
        h->b.ex_weight[e] = 0.0f;
    if (harness_process(h) < 0) trial_fails("process failed: %s", h->said);
    harness_clear(h);
}

static void weights(const struct subject *s)
{
    struct harness *a = after(s, BATCHES), *b = after(s, BATCHES);
    const struct feeding more = {
        .flavour = PLAIN, .from = BATCHES * s->batch, .to = 2 * BATCHES * s->batch};
    give_without_weight(s, b);
    struct trace is = trace_state(s, a), then = trace_state(s, b);
    trace_same(&is, &then, "its state after records of weight 0");
    struct trace x = trace_next(s, a, more), y = trace_next(s, b, more);
    trace_same(&x, &y, "what it gives after records of weight 0");
    struct trace v = trace_answer(s, a), w = trace_answer(s, b);
    trace_same(&v, &w, "its answer after records of weight 0");
    subject_close(a);
    subject_close(b);
}

/* Its answer and its state, after what `out` has of it; h ends. */
static void end_with_knowledge(const struct subject *s, struct harness *h, FILE *out)
{
    struct trace answer = trace_answer(s, h), state = trace_state(s, h);
    fwrite(answer.text, 1, answer.n, out);
    fwrite(state.text, 1, state.n, out);
    trace_free(&answer), trace_free(&state);
    fclose(out);
    subject_close(h);
}

/* ---- weights ---- */

/* What it predicts, answers and knows after records of which every second one has this weight. */
static struct trace with_weight(const struct subject *s, enum flavour f, float weight)
{
    struct trace all = {NULL};
    FILE *out = open_memstream(&all.text, &all.n);
    struct harness *h = subject_open(s);
    for (uint32_t k = 0; k < WEIGHT_BATCHES; k++) {
        trial_step("process, records of weight %g, batch %u", (double)weight, k + 1);
        records_add(s, h, f, k * s->batch, s->batch);
        for (uint32_t r = 0; r < h->b.n; r++)
            h->b.weight[r] = r % 2 ? weight : 1.0f;
        for (uint32_t e = 0; e < h->b.n_examples; e++)
            h->b.ex_weight[e] = h->b.weight[h->b.ex_record[e]];
        if (harness_process(h) < 0) trial_fails("process failed: %s", h->said);
        for (LEAT_EACH_EXAMPLE(&h->b, e))
            if (h->out.has & LEAT_HAS_SCORE) fprintf(out, "score %.9g\n", (double)h->b.score[e]);
        harness_clear(h);
    }
    end_with_knowledge(s, h, out);
    return all;
}

/* A learner that takes what is made here for nothing, or only counts it, knows the same of another
 * stream. */
static void weights_count(const struct subject *s)
{
    struct trace one = with_weight(s, PLAIN, 1), other = with_weight(s, OTHER, 1);
    if (trace_is_same(&one, &other)) trial_skips("it learns nothing from what is made here");
    struct trace two = with_weight(s, PLAIN, 2);
    if (trace_is_same(&one, &two))
        trial_fails("weight 2 of every second example gives what weight 1 gives: the same scores, "
                    "the same answer and the same state\n"
                    "expected: an example of weight 2 counts for more than one of weight 1");
}

/* ---- questions ---- */

#define ASK_TOP .size = sizeof(struct leat_query), .kind = LEAT_QUERY_TOP
static const struct leat_query questions[] = {
    {ASK_TOP, .k = 1},
    {ASK_TOP, .k = 10, .min_count = 3},
    {ASK_TOP, .k = 10, .min_odds_gain = 1.5},
    {ASK_TOP, .k = 10, .order = LEAT_ORDER_SUPPORT, .min_support = 0.01, .positive = 1},
    {ASK_TOP, .k = 10, .order = LEAT_ORDER_RISK, .min_risk_ratio = 1, .together = 1},
    {ASK_TOP, .k = HARNESS_NOTES, .order = LEAT_ORDER_SHARE},
};

/* It may refuse what it does not know, and answers with nothing that looks at the answer here. */
static void ask_all(struct harness *h)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        trial_step("query, question %zu", i + 1);
        harness_question(h, &questions[i]);
        h->said[0] = 0;
    }
}

static void asked_twice(const struct subject *s)
{
    struct harness *h = after(s, BATCHES);
    struct trace state = trace_state(s, h), first = trace_answer(s, h), second = trace_answer(s, h);
    ask_all(h);
    struct trace then = trace_state(s, h);
    trace_same(&first, &second, "the second answer");
    trace_same(&state, &then, "its state after a question");
    subject_close(h);
    struct harness *fresh = subject_open(s);
    struct trace none = trace_answer(s, fresh);
    trace_free(&none);
    subject_close(fresh);
}

/* All that one gives that is asked before each batch, or is not. */
static struct trace learned(const struct subject *s, bool asked)
{
    struct trace all = {NULL};
    FILE *out = open_memstream(&all.text, &all.n);
    struct harness *h = subject_open(s);
    for (uint32_t k = 0; k < 2 * BATCHES; k++) {
        const struct feeding next = {
            .flavour = PLAIN, .from = k * s->batch, .to = (k + 1) * s->batch};
        if (asked) ask_all(h);
        trace_feed(s, h, next, out);
    }
    end_with_knowledge(s, h, out);
    return all;
}

/* Also what no state has, such as the order of a heap. */
static void asked(const struct subject *s)
{
    asked_twice(s);
    struct trace expected = learned(s, false), found = learned(s, true);
    trace_same(&expected, &found, "what it gives when it is asked before each batch");
}

static const struct law laws[] = {
    {LAW("predicts-first", "it predicts before it learns", is_learner, predicts_first)},
    {LAW("scores", "it scores every selected example", is_learner, scores_all)},
    {LAW("weight-0", "it learns nothing from records of weight 0", is_learner, weights)},
    {LAW("weights", "the weight of an example counts", takes_weights, weights_count)},
    {LAW("query", "answers have the columns it has promised, and change nothing", is_asked, asked),
     .watches = 1u << BREACH_ANSWER | 1u << BREACH_RETURNED},
};
const struct law_table laws_of_learners = {laws, sizeof laws / sizeof *laws};
