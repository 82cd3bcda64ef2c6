/* model_top.c -- `leat model top`: the heaviest features of the learners in a snapshot, asked and
 * written as the run's own sink.top did: one model has one ranking. */
#include <stdio.h>
#include <unistd.h>

#include "host/exec/answers/answer.h"
#include "core/report/answer_report.h"
#include "core/report/terminal.h"
#include "command_model.h"
#include "model_question.h"

/* ---- where reports go: standard output, by way of a buffer ---- */

struct writer {
    struct report report;
    struct text_out text;
    char buf[4096];
};

static int drain(void *to, const char *bytes, size_t n) { return fwrite(bytes, 1, n, stdout) != n; }

static void writer_init(struct writer *w)
{
    w->text = (struct text_out){.buf = w->buf, .cap = sizeof w->buf, .drain = drain};
    w->report = (struct report){.out = &w->text, .terminal = terminal_columns(STDOUT_FILENO)};
}

/* ---- what is reported ---- */

/* The answer as sinks get it. */
static struct leat_table table_of(const struct model *m, const struct node *n,
                                  const struct answer *a)
{
    return (struct leat_table){.size = sizeof(struct leat_table),
                               .kind = LEAT_QUERY_TOP,
                               .learner = n->id,
                               .examples = model_examples(m, n),
                               .last = 1,
                               .n_columns = a->n_columns,
                               .n_rows = a->n_rows,
                               .columns = a->column,
                               .names = a->name,
                               .name_len = a->len,
                               .values = a->values,
                               .also = a->also,
                               .time = model_time(m, n)};
}

static int write_answer(struct model *m, const struct node *n, const struct leat_table *t,
                        const struct model_question *q, struct writer *w)
{
    char columns[ANSWER_COLUMNS];
    const char *unknown = answer_report_unknown(t, q->columns);
    answer_report_columns(t, columns, sizeof columns);
    if (unknown)
        return model_fail(m, LEAT_EARG, "columns: %s has no column '%s' (columns: %s)", n->label,
                          unknown, columns);
    w->report.format = q->format;
    w->report.title = q->title;
    w->report.noun = q->noun;
    answer_report_top(&w->report, t, t->time >= 0, q->columns);
    return LEAT_OK;
}

static int show_learner(struct model *m, struct node *n, const struct command_line *c,
                        struct writer *w)
{
    struct answer answer;
    struct model_question q, given;
    int status = model_question_set(m, c, n);
    if (status == LEAT_OK) status = model_restore_stage(m, n);
    if (status != LEAT_OK) return status;
    if (!n->stage->learner->query)
        return model_fail(m, LEAT_EARG, "%s: this learner does not list its features", n->label);
    if ((status = model_question_read(m, c, NULL, &given)) != LEAT_OK) return status;
    if ((status = model_question_read(m, c, model_question_sink(m, n), &q)) != LEAT_OK)
        return status;
    status = answer_ask(&answer, run_instance(&m->run, n, 0), &q.want, &m->arena);
    if (status != LEAT_OK) return model_tell(m, &m->run, n, status);
    struct leat_table t = table_of(m, n, &answer);
    /* of what the run asked, the run has said so */
    const char *unmet = answer_report_unmet(&t, &given.want);
    if (unmet) return model_fail(m, LEAT_EARG, "%s: %s " ANSWER_UNMET, unmet, n->label);
    return write_answer(m, n, &t, &q, w);
}

static int show_all(struct model *m, const struct command_line *c, struct writer *w)
{
    uint32_t shown = 0;
    struct node *only = c->stage ? model_find(m, c->stage) : NULL;
    if (c->stage && !only) return LEAT_EARG;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        struct node *n = &m->graph.node[i];
        if (only ? n != only : n->stage->kind != LEAT_LEARNER) continue;
        if (n->stage->kind != LEAT_LEARNER)
            return model_fail(m, LEAT_EARG, "%s is not a learner: --stage must name a learner",
                              n->label);
        int status = show_learner(m, n, c, w);
        if (status != LEAT_OK) return status;
        shown++;
    }
    return shown ? LEAT_OK : model_fail(m, LEAT_EARG, "the snapshot holds no learner");
}

int model_top(const struct command_line *c, struct registry *known)
{
    struct model m;
    int status = model_open(&m, c->operand[0], c->memory, known);
    if (status == LEAT_OK) {
        struct writer w;
        writer_init(&w);
        status = show_all(&m, c, &w);
        text_flush(&w.text);
    }
    model_close(&m);
    return status;
}
