/* model_top.c -- `leat model top`: the heaviest features of the learners in a snapshot, asked and
 * written as the run's own sink.top did: one model has one ranking. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "answer.h"
#include "report/answer_report.h"
#include "report/terminal.h"
#include "command_model.h"
#include "graph/graph.h"
#include "plugin/params.h"

/* ---- what is asked: the parameters of sink.top ---- */

struct question {
    struct leat_ask want;
    enum report_format format;
    const char *title;
    struct answer_columns columns;
};

/* The others say where a sink writes, whom it asks and when. */
static const char *const taken[] = {"k",     "min_count", "min_support", "min_risk_ratio",
                                    "order", "sign",      "twins",       "min_odds_gain",
                                    "title", "columns",   "format"};
enum { N_TAKEN = sizeof taken / sizeof *taken };

static bool is_taken(const char *key)
{
    for (int i = 0; i < N_TAKEN; i++)
        if (!strcmp(taken[i], key)) return true;
    return false;
}

/* ---- what the run's own sink.top asked ---- */

/* The nearest learner upstream of a stage, depth first through all inputs; NULL: none. `left`
 * bounds the steps: a damaged snapshot may have a cycle. */
static const struct node *learner_before(const struct model *m, const struct node *n,
                                         unsigned *left)
{
    size_t i;
    json_t *before;
    const json_t *stage = json_array_get(json_object_get(m->pipeline, "stages"), n->index);
    json_array_foreach(json_object_get(stage, "after"), i, before)
    {
        const char *id = json_string_value(json_object_get(before, "id"));
        const struct node *at = id ? graph_find(&m->graph, id) : NULL;
        if (!at || !*left) continue;
        --*left;
        if (at->stage->kind != LEAT_LEARNER) at = learner_before(m, at, left);
        if (at) return at;
    }
    return NULL;
}

static const char *text_of(const struct node *n, const char *key)
{
    for (size_t i = 0; i < n->n_settings; i++)
        if (!strcmp(n->settings[i].key, key)) return n->settings[i].value.text;
    return NULL;
}

/* The first sink.top of the run that asked the learner; NULL: none did. */
static const struct node *own_sink(const struct model *m, const struct node *learner)
{
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const struct node *n = &m->graph.node[i];
        unsigned left = 1000;
        if (strcmp(n->name, "sink.top")) continue;
        const char *of = text_of(n, "of");
        if (of ? !strcmp(of, learner->id) : learner_before(m, n, &left) == learner) return n;
    }
    return NULL;
}

static bool has_setting(const struct setting *s, size_t n, const char *key)
{
    while (n--)
        if (!strcmp(s[n].key, key)) return true;
    return false;
}

/* What the command line leaves open is asked as the run asked. Its format is for its output; and
 * only in a table its columns are a choice for people. */
static void add_own(const struct node *sink, bool table, struct setting *s, size_t *n)
{
    for (size_t i = 0; sink && i < sink->n_settings; i++) {
        const char *key = sink->settings[i].key;
        bool own = is_taken(key) && strcmp(key, "format") && (table || strcmp(key, "columns"));
        if (own && !has_setting(s, *n, key)) s[(*n)++] = sink->settings[i];
    }
}

static struct setting setting_of(const char *key, const char *value)
{
    return (struct setting){key, {.type = VALUE_TEXT, .text = value, .n = strlen(value)}};
}

static bool is_table(const struct setting *s, size_t n)
{
    while (n--)
        if (!strcmp(s[n].key, "format")) return !strcmp(s[n].value.text, "table");
    return true;
}

/* What the command line says: --k and --format, and --set for all of them; and what the run's own
 * sink says of the rest. NULL: it is wrong. */
static struct setting *settings_of(struct model *m, const struct command_line *c,
                                   const struct node *own, size_t *n)
{
    size_t most = c->n_args + 2 + (own ? own->n_settings : 0);
    struct setting *s = arena_alloc(&m->arena, most * sizeof *s);
    *n = 0;
    if (c->k) s[(*n)++] = setting_of("k", arena_printf(&m->arena, "%u", c->k));
    if (c->format) s[(*n)++] = setting_of("format", c->format);
    for (size_t i = 0; i < c->n_args; i++) {
        const char *key = c->args[i].key, *near = diag_suggest(key, taken, N_TAKEN);
        s[(*n)++] = setting_of(key, c->args[i].value);
        if (is_taken(key)) continue;
        plain_text_line(stderr, "leat: --set %s: model top takes no '%s'%s%s%s", key, key,
                        near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        return NULL;
    }
    add_own(own, is_table(s, *n), s, n);
    return s;
}

/* The value of a parameter of the sink, in its configuration. */
static const void *value_of(const struct node *sink, const char *name)
{
    uint32_t i = 0;
    while (strcmp(sink->stage->params[i].name, name))
        i++;
    return (const char *)sink->cfg + sink->stage->params[i].offset;
}

/* As a sink.top of these parameters asks and shows it. own: the run's, or NULL. */
static int read_question(struct model *m, const struct command_line *c, const struct node *own,
                         struct question *q)
{
    const struct stage_type *type = registry_find(m->known, "sink.top");
    struct node sink = {.id = "top", .label = "model top"};
    if (!type) return model_fail(m, LEAT_EARG, "the plugin of sink.top is missing");
    sink.stage = type->stage;
    sink.settings = settings_of(m, c, own, &sink.n_settings);
    if (!sink.settings) return LEAT_EARG;
    graph_configure(&m->graph, &sink, &m->diag);
    if (!sink.configured) {
        diag_print(&m->diag, stderr);
        return LEAT_EARG;
    }
    const struct leat_strings *columns = value_of(&sink, "columns");
    q->want = (struct leat_ask){.size = sizeof q->want};
    q->format = (enum report_format) * (const int32_t *)value_of(&sink, "format");
    q->title = *(const char *const *)value_of(&sink, "title");
    q->columns = (struct answer_columns){columns->v, columns->n};
    return sink.stage->asker->ask(sink.cfg, &q->want);
}

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
                        const struct question *q, struct writer *w)
{
    char columns[ANSWER_COLUMNS];
    const char *unknown = answer_report_unknown(t, q->columns);
    answer_report_columns(t, columns, sizeof columns);
    if (unknown)
        return model_fail(m, LEAT_EARG, "columns: %s has no column '%s' (columns: %s)", n->label,
                          unknown, columns);
    w->report.format = q->format;
    w->report.title = q->title;
    answer_report_top(&w->report, t, t->time >= 0, q->columns);
    return LEAT_OK;
}

static int show_learner(struct model *m, struct node *n, const struct command_line *c,
                        struct writer *w)
{
    struct answer answer;
    struct question q, given;
    int status = model_restore_stage(m, n);
    if (status != LEAT_OK) return status;
    if (!n->stage->learner->query)
        return model_fail(m, LEAT_EARG, "%s: this learner does not list its features", n->label);
    if ((status = read_question(m, c, NULL, &given)) != LEAT_OK) return status;
    if ((status = read_question(m, c, own_sink(m, n), &q)) != LEAT_OK) return status;
    status = answer_ask(&answer, run_instance(&m->run, n, 0), &q.want, &m->arena);
    if (status != LEAT_OK) return model_fail(m, status, "%s", m->run.reason);
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
