/* model_top.c -- `leat model top`: the heaviest features of the learners in a snapshot, written as
 * sink.top writes them. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "answer.h"
#include "base/answer_report.h"
#include "command_model.h"

enum { DEFAULT_K = 20 };

/* ---- where reports go: standard output, by way of a buffer ---- */

struct writer {
    struct report report;
    struct text_out text;
    char buf[4096];
};

static int drain(void *to, const char *bytes, size_t n) { return fwrite(bytes, 1, n, stdout) != n; }

static void writer_init(struct writer *w, enum report_format format)
{
    w->text = (struct text_out){.buf = w->buf, .cap = sizeof w->buf, .drain = drain};
    w->report = (struct report){.out = &w->text, .format = format, .title = "Heaviest features"};
}

/* The format of that name, or -1. */
static int format_of(const char *name)
{
    for (int i = 0; report_formats[i]; i++)
        if (!strcmp(report_formats[i], name ? name : "table")) return i;
    plain_text_line(stderr, "leat: --format is %s: give table, jsonl or csv", name);
    return -1;
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
                               .also = a->also};
}

static int show_learner(struct model *m, struct node *n, uint32_t k, struct writer *w)
{
    struct answer answer;
    int status = model_restore_stage(m, n);
    if (status != LEAT_OK) return status;
    if (!n->stage->query)
        return model_fail(m, LEAT_EARG, "%s: this learner does not list its features", n->label);
    status = answer_ask(&answer, run_instance(&m->run, n, 0), k, &m->arena);
    if (status != LEAT_OK) return model_fail(m, status, "%s", m->run.reason);
    struct leat_table t = table_of(m, n, &answer);
    answer_report_top(&w->report, &t, (struct answer_columns){0});
    return LEAT_OK;
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
        int status = show_learner(m, n, c->k ? c->k : DEFAULT_K, w);
        if (status != LEAT_OK) return status;
        shown++;
    }
    return shown ? LEAT_OK : model_fail(m, LEAT_EARG, "the snapshot holds no learner");
}

int model_top(const struct command_line *c, const struct registry *known)
{
    struct model m;
    struct writer w;
    int format = format_of(c->format);
    if (format < 0) return LEAT_EARG;
    writer_init(&w, (enum report_format)format);
    int status = model_open(&m, c->operand[0], c->memory, known);
    if (status == LEAT_OK) status = show_all(&m, c, &w);
    text_flush(&w.text);
    model_close(&m);
    return status;
}
