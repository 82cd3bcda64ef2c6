/* answer_history.c -- see answer_history.h. */
#include "answer_history.h"

#include <stdbool.h>
#include <string.h>

size_t answer_history_bytes(const struct leat_ask *want)
{
    bool repeats = want->every.ns > 0 || want->every.examples > 0;
    return want->kind == LEAT_QUERY_TOP && repeats ? sizeof(struct answer_history) : 0;
}

static void fill(struct answer_moment *m, uint64_t answer, const struct leat_table *t)
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

/* Every second one, from the first on; the latest stays after them. */
static void thin_out(struct answer_history *h)
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
    if (answer % h->step == 0 && h->n == ANSWER_MOMENTS) thin_out(h);
    fill(&h->moment[h->n], answer, t);
    if (answer % h->step == 0) h->n++;
}

uint32_t answer_history_moments(const struct answer_history *h)
{
    return h->n + (h->answers && h->moment[h->n - 1].answer + 1 < h->answers);
}
