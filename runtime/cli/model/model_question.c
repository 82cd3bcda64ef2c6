/* model_question.c -- see model_question.h. */
#include "model_question.h"

#include <stdio.h>
#include <string.h>

#include "base/text/plain_text.h"
#include "graph/pure_calls.h"
#include "plugin/params.h"

/* The others say where a sink writes, whom it asks and when. */
static const char *const taken[] = {"k",     "min_count", "min_support", "min_risk_ratio",
                                    "order", "sign",      "twins",       "min_odds_gain",
                                    "title", "noun",      "columns",     "format"};
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

const struct node *model_question_sink(const struct model *m, const struct node *learner)
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
    size_t most = (c ? c->n_args : 0) + 2 + (own ? own->n_settings : 0);
    struct setting *s = arena_alloc(&m->arena, most * sizeof *s);
    *n = 0;
    if (c && c->k) s[(*n)++] = setting_of("k", arena_printf(&m->arena, "%u", c->k));
    if (c && c->format) s[(*n)++] = setting_of("format", c->format);
    for (size_t i = 0; c && i < c->n_args; i++) {
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

int model_question_read(struct model *m, const struct command_line *c, const struct node *own,
                        struct model_question *q)
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
    q->noun = *(const char *const *)value_of(&sink, "noun");
    q->columns = (struct answer_columns){columns->v, columns->n};
    return pure_ask(&sink, &q->want);
}
