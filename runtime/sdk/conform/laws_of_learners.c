/* laws_of_learners.c -- laws of learners: predictions, weights, queries, merges of states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws.h"
#include "trace.h"

/* ---- learners predict before they learn ---- */

enum { BATCHES = 4, WEIGHT_BATCHES = 8 };

static const char *learners_is_learner(const struct subject *s)
{
    return s->stage->kind == LEAT_LEARNER ? NULL : "it is not a learner";
}

static const char *learners_is_asked(const struct subject *s)
{
    return s->stage->learner->query ? NULL : "it cannot be asked";
}

static const char *takes_weights(const struct subject *s)
{
    if (learners_is_learner(s)) return learners_is_learner(s);
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

/* Returns the score of the first example of a batch, after the learner has learned the `batches`
 * batches before it. With `flipped`, all labels in the batch have the opposite sign; that must not
 * affect the score. */
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
        memset(h->b.score, 0xff, h->b.cap_examples * sizeof *h->b.score); /* every score is NaN */
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
    trace_same(&x, &y, "its output after records of weight 0");
    struct trace v = trace_answer(s, a), w = trace_answer(s, b);
    trace_same(&v, &w, "its answer after records of weight 0");
    subject_close(a);
    subject_close(b);
}

/* Appends the final answer and state to `out`, then closes `out` and h. */
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

/* Returns predictions, answer and state after records in which every second example has the weight
 * `weight`. */
static struct trace with_weight(const struct subject *s, enum flavour f, float weight)
{
    struct trace all = {0};
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

/* Checks that the weights of examples have an effect. Skips a learner that learns the same from the
 * streams PLAIN and OTHER, because it ignores these records or only counts them. */
static void weights_count(const struct subject *s)
{
    struct trace one = with_weight(s, PLAIN, 1), other = with_weight(s, OTHER, 1);
    if (trace_is_same(&one, &other)) trial_skips("it learns nothing from the records of this test");
    struct trace two = with_weight(s, PLAIN, 2);
    if (trace_is_same(&one, &two))
        trial_fails("weight 2 of every second example has no effect: scores, answer and state "
                    "are those of weight 1\nexpected: an example of weight 2 counts for more "
                    "than one of weight 1");
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
    {ASK_TOP, .k = 10, .order = LEAT_ORDER_GAIN, .positive = 1},
};

/* Makes all queries of `questions`. The learner may refuse queries that it does not know. Ignores
 * the answers. */
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

/* Returns everything that a learner outputs. If `asked`, queries the learner before each batch. */
static struct trace learners_learned(const struct subject *s, bool asked)
{
    struct trace all = {0};
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

/* Checks that queries change nothing. This includes things outside of the state, such as the order
 * of a heap. */
static void asked(const struct subject *s)
{
    asked_twice(s);
    struct trace expected = learners_learned(s, false), found = learners_learned(s, true);
    trace_same(&expected, &found, "its output, when it is asked before each batch,");
}

static const struct law laws[] = {
    {LAW("predicts-first", "it predicts before it learns", learners_is_learner, predicts_first)},
    {LAW("scores", "it scores every selected example", learners_is_learner, scores_all)},
    {LAW("weight-0", "it learns nothing from records of weight 0", learners_is_learner, weights)},
    {LAW("weights", "the weight of an example counts", takes_weights, weights_count)},
    {LAW("query", "answers have the promised columns, and change nothing", learners_is_asked,
         asked),
     .watches = 1u << BREACH_ANSWER | 1u << BREACH_RETURNED},
};
const struct law_table laws_of_learners = {laws, sizeof laws / sizeof *laws};

/* ---- merges of states ---- */

enum { RECORDS = 64, FEW = 10, TIMES = 9, MAX_SCORES = 128 };
static const double TOLERANCE =
    1e-2; /* relative to the scale in is_close(); large, because weights may have 8 bits */

static const char *learners_merges(const struct subject *s)
{
    return subject_merges(s) ? NULL : "it has no merge";
}

/* Returns the state after n records. `stream` (0 to 2) selects one of three streams. */
static struct trace merges_learned(const struct subject *s, int stream, uint32_t n)
{
    struct subject other = *s;
    other.seed += (uint64_t)(stream == 2);
    struct harness *h = subject_open(&other);
    trace_feed(&other, h, (struct feeding){.flavour = stream ? OTHER : PLAIN, .to = n}, NULL);
    struct trace t = trace_bytes(h);
    subject_close(h);
    return t;
}

static void learners_merge(struct harness *h, const struct trace *state, double weight)
{
    trial_step("merge with weight %g", weight);
    int status = harness_merge(h, state->text, state->n, weight);
    if (status == LEAT_EDATA && *h->said) trial_skips("it refuses merges: %s", h->said);
    subject_returned(h, "merge", status);
}

static struct harness *merged(const struct subject *s, const struct trace *a, double weight,
                              const struct trace *b)
{
    struct harness *h = subject_open(s);
    learners_merge(h, a, weight);
    if (b) learners_merge(h, b, 1);
    return h;
}

/* ---- comparison up to rounding ---- */

static double learners_largest(const struct harness_answer *a, uint32_t column)
{
    double most = 0;
    for (uint32_t r = 0; r < a->n_rows; r++)
        if (fabs(a->value[r][column]) > most) most = fabs(a->value[r][column]);
    return most;
}

/* True if the column is a bound of an interval. The distance of a bound from its figure may depend
 * on the number of samples. */
static bool is_bound(const char *column)
{
    return strstr(column, "_low") || strstr(column, "_high");
}

/* Returns the smallest magnitude in the answer's first column. Rows with a smaller value are
 * allowed to be missing in another answer. */
static double learners_smallest(const struct harness_answer *a)
{
    double least = INFINITY;
    for (uint32_t r = 0; r < a->n_rows; r++)
        if (fabs(a->value[r][0]) < least) least = fabs(a->value[r][0]);
    return least;
}

static bool is_close(double a, double b, double scale)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= TOLERANCE * scale + 1e-9;
}

/* Returns the row's value in the column NAME + `end`, such as NAME_low, where NAME is the name of
 * column number `column`. Returns NaN if there is no such column. */
static double bound_of(const struct harness_answer *a, uint32_t row, uint32_t column,
                       const char *end)
{
    const size_t n = strlen(a->column[column]);
    for (uint32_t c = 0; c < a->n_columns; c++)
        if (!strncmp(a->column[c], a->column[column], n) && !strcmp(a->column[c] + n, end))
            return a->value[row][c];
    return (double)NAN;
}

/* True if `value` lies within the bounds of the estimate in this row and column. */
static bool learners_is_within(const struct harness_answer *a, uint32_t row, uint32_t column,
                               double value)
{
    return bound_of(a, row, column, "_low") <= value && value <= bound_of(a, row, column, "_high");
}

static bool learners_is_alike(const struct harness_answer *a, uint32_t r,
                              const struct harness_answer *b, uint32_t k, uint32_t column)
{
    const double x = a->value[r][column], y = b->value[k][column];
    return is_bound(a->column[column]) || is_close(x, y, learners_largest(a, column)) ||
           learners_is_within(a, r, column, y) || learners_is_within(b, k, column, x);
}

/* Returns the number of columns to compare: the promised ones. Those after them tell of the merge
 * itself, such as how far its parts differ. */
static uint32_t learners_promised(struct harness *h, const struct harness_answer *a)
{
    uint32_t n = a->n_columns;
    if (h->stage->learner->columns) h->stage->learner->columns(h->cfg, &n);
    return n < a->n_columns ? n : a->n_columns;
}

static void same_row(const struct harness_answer *a, const struct harness_answer *b, uint32_t r,
                     uint32_t columns, const char *what)
{
    for (uint32_t k = 0; k < b->n_rows; k++) {
        if (strcmp(a->name[r], b->name[k]) != 0) continue;
        for (uint32_t c = 0; c < columns; c++)
            if (!learners_is_alike(a, r, b, k, c))
                trial_fails("%s: %s of %s\nexpected: %.9g\nfound:    %.9g", what, a->column[c],
                            a->name[r], a->value[r][c], b->value[k][c]);
        return;
    }
    if (!b->n_rows ||
        fabs(a->value[r][0]) > learners_smallest(b) + TOLERANCE * learners_largest(a, 0))
        trial_fails("%s: the answer lacks %s\nexpected: %.9g", what, a->name[r], a->value[r][0]);
}

static void same_answers(struct harness *x, struct harness *y, const char *what)
{
    static struct harness_answer a, b;
    if (!x->stage->learner->query) return;
    a = *harness_query(x, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
    b = *harness_query(y, LEAT_QUERY_TOP, HARNESS_NOTES, 0);
    uint32_t columns = learners_promised(x, &a);
    for (uint32_t r = 0; r < a.n_rows; r++)
        same_row(&a, &b, r, columns, what);
    for (uint32_t r = 0; r < b.n_rows; r++)
        same_row(&b, &a, r, columns, what);
}

static uint32_t scores_of(const struct subject *s, struct harness *h, float *score)
{
    if (!(h->out.has & LEAT_HAS_SCORE) || !h->stage->process) return 0;
    harness_clear(h);
    /* the learner scores this record before it learns from the record */
    records_add(s, h, PLAIN, 5000, 1);
    if (harness_process(h) < 0) return 0;
    for (uint32_t k = 0; k < h->b.n_ex_sel; k++)
        score[k] = h->b.score[h->b.ex_sel[k]];
    return h->b.n_ex_sel;
}

static void same_scores(const struct subject *s, struct harness *x, struct harness *y,
                        const char *what)
{
    float a[MAX_SCORES], b[MAX_SCORES];
    uint32_t n = scores_of(s, x, a), m = scores_of(s, y, b);
    for (uint32_t i = 0; i < n && i < m; i++)
        if (!is_close((double)a[i], (double)b[i], 1 + fabs((double)a[i])))
            trial_fails("%s: the score of a record\nexpected: %.9g\nfound:    %.9g", what,
                        (double)a[i], (double)b[i]);
}

static void alike(const struct subject *s, struct harness *x, struct harness *y, const char *what)
{
    trial_step("query");
    same_answers(x, y, what);
    same_scores(s, x, y, what);
    subject_close(x);
    subject_close(y);
}

/* ---- the laws of merges ---- */

static void identity(const struct subject *s)
{
    struct trace a = merges_learned(s, 0, RECORDS), none = merges_learned(s, 0, 0);
    struct harness *from_a = subject_open(s), *with = subject_open(s);
    if (harness_restore(from_a, a.text, a.n) < 0 || harness_restore(with, a.text, a.n) < 0)
        trial_fails("restore refuses the state that the stage saved itself: %s", with->said);
    learners_merge(with, &none, 1);
    alike(s, from_a, with, "a state merged with a fresh one");
    struct harness *again = subject_open(s), *fresh = subject_open(s);
    if (harness_restore(again, a.text, a.n) < 0)
        trial_fails("restore refuses the state that the stage saved itself");
    learners_merge(fresh, &a, 1);
    alike(s, again, fresh, "a fresh state merged with another");
}

static void commutes(const struct subject *s)
{
    struct trace a = merges_learned(s, 0, RECORDS), b = merges_learned(s, 1, RECORDS);
    alike(s, merged(s, &a, 1, &b), merged(s, &b, 1, &a), "b merged with a, against a with b");
}

static void associates(const struct subject *s)
{
    struct trace a = merges_learned(s, 0, RECORDS), b = merges_learned(s, 1, RECORDS),
                 c = merges_learned(s, 2, RECORDS);
    struct harness *left = merged(s, &a, 1, &b), *bc = merged(s, &b, 1, &c);
    struct trace right = trace_bytes(bc);
    learners_merge(left, &c, 1);
    subject_close(bc);
    alike(s, left, merged(s, &a, 1, &right), "a + (b + c), against (a + b) + c");
}

static void counts_twice(const struct subject *s)
{
    struct trace a = merges_learned(s, 0, RECORDS);
    alike(s, merged(s, &a, 1, &a), merged(s, &a, 2, NULL), "one merge of weight 2, against two");
}

/* Returns a learner that has merged the state of TIMES * FEW records with that of FEW records, so
 * that both have the same influence. With `at_once`, merges `few` once with weight TIMES, otherwise
 * TIMES times with weight 1. */
static struct harness *evened(const struct subject *s, const struct trace *many,
                              const struct trace *few, bool at_once)
{
    struct harness *h = subject_open(s);
    learners_merge(h, many, 1);
    for (int k = 0; k < (at_once ? 1 : TIMES); k++)
        learners_merge(h, few, at_once ? TIMES : 1);
    return h;
}

/* Compares two learners: one that has merged the states of FEW and of TIMES * FEW records, and one
 * that has learned all these records. */
static void adds_up(const struct subject *s, const struct trace *few)
{
    const struct feeding all = {.flavour = OTHER, .to = TIMES * FEW + FEW};
    struct feeding rest = all;
    struct harness *whole = subject_open(s), *part = subject_open(s);
    rest.from = FEW;
    trace_feed(s, whole, all, NULL);
    trace_feed(s, part, rest, NULL);
    struct trace many = trace_bytes(part);
    subject_close(part);
    alike(s, whole, merged(s, few, 1, &many),
          "a state of 10 records merged with one of the 90 after them, against one of all");
}

static void counts_unequal(const struct subject *s)
{
    struct trace few = merges_learned(s, 1, FEW), many = merges_learned(s, 0, TIMES * FEW);
    alike(s, evened(s, &many, &few, false), evened(s, &many, &few, true),
          "a state of 90 records merged with one of 10 of weight 9, against nine such merges");
    alike(s, evened(s, &many, &few, false), merged(s, &few, TIMES, &many),
          "a state of 10 records of weight 9 merged with one of 90, against nine merges");
    if (s->stage->caps & LEAT_ANY_ORDER) adds_up(s, &few);
}

static const struct law merges_laws[] = {
    {LAW("merge-identity", "a fresh state is the identity of merge", learners_merges, identity)},
    {LAW("merge-commutes", "merges do not depend on their order", learners_merges, commutes)},
    {LAW("merge-associates", "merges do not depend on their brackets", learners_merges,
         associates)},
    {LAW("merge-weight", "a merge of weight 2 is two merges", learners_merges, counts_twice)},
    {LAW("merge-counts", "each of two states counts by the number of its examples", learners_merges,
         counts_unequal)},
};
const struct law_table laws_of_merges = {merges_laws, sizeof merges_laws / sizeof *merges_laws};
