/* model_question.c -- see model_question.h. */
#include "model_question.h"

#include <stdio.h>
#include <string.h>

#include "core/text/plain_text.h"
#include "host/graph/pure_calls.h"
#include "model_setting.h"
#include "host/plugin/params.h"

/* How sink.top shows an answer. What it asks is LEAT_QUESTION; its others say where it writes, whom
 * it asks and when. */
static const char *const shown[] = {"title", "noun", "columns", "format"};
enum { N_SHOWN = sizeof shown / sizeof *shown };

static bool asks(const struct leat_stage *s, const char *key)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].flags & LEAT_QUESTION && !strcmp(s->params[i].name, key)) return true;
    return false;
}

/* Of sink.top. */
static bool is_taken(const struct leat_stage *top, const char *key)
{
    for (int i = 0; i < N_SHOWN; i++)
        if (!strcmp(shown[i], key)) return true;
    return asks(top, key);
}

static const struct leat_stage *top_of(struct model *m)
{
    const struct stage_type *type = registry_find(m->known, "sink.top");
    if (!type) model_fail(m, LEAT_EARG, "the plugin of sink.top is missing");
    return type ? type->stage : NULL;
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
static void add_own(const struct leat_stage *top, const struct node *sink, bool table,
                    struct setting *s, size_t *n)
{
    for (size_t i = 0; sink && i < sink->n_settings; i++) {
        const char *key = sink->settings[i].key;
        bool own = is_taken(top, key) && strcmp(key, "format") && (table || strcmp(key, "columns"));
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
 * sink says of the rest. */
static struct setting *settings_of(struct model *m, const struct leat_stage *top,
                                   const struct command_line *c, const struct node *own, size_t *n)
{
    size_t most = (c ? c->n_args : 0) + 2 + (own ? own->n_settings : 0);
    struct setting *s = arena_alloc(&m->arena, most * sizeof *s);
    *n = 0;
    if (c && c->k) s[(*n)++] = setting_of("k", arena_printf(&m->arena, "%u", c->k));
    if (c && c->format) s[(*n)++] = setting_of("format", c->format);
    for (size_t i = 0; c && i < c->n_args; i++)
        if (is_taken(top, c->args[i].key)) s[(*n)++] = setting_of(c->args[i].key, c->args[i].value);
    add_own(top, own, is_table(s, *n), s, n);
    return s;
}

/* ---- what a learner itself takes ---- */

static size_t add_words(const struct leat_stage *s, const char **word, size_t n)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].flags & LEAT_QUESTION) word[n++] = s->params[i].name;
    return n;
}

static int refuse_word(struct model *m, const struct leat_stage *top, const struct node *learner,
                       const char *key)
{
    const struct leat_stage *s = learner->stage;
    if (model_setting(m, learner, key)) {
        plain_text_line(
            stderr, "leat: --set %s: %s has learned with %s = %s: another value needs another run",
            key, learner->label, key, model_setting(m, learner, key));
        return LEAT_EARG;
    }
    const char **word =
        arena_alloc(&m->arena, (N_SHOWN + top->n_params + s->n_params) * sizeof *word);
    memcpy(word, shown, sizeof shown);
    const char *near = diag_suggest(key, word, add_words(s, word, add_words(top, word, N_SHOWN)));
    plain_text_line(stderr, "leat: --set %s: model top of %s takes no '%s'%s%s%s", key,
                    learner->label, key, near ? ": did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
    return LEAT_EARG;
}

static int set_own(struct model *m, struct node *learner, const struct argument *a)
{
    const char *why;
    const struct leat_param *p = learner->stage->params;
    while (strcmp(p->name, a->key))
        p++;
    if (!*a->value && p->type == LEAT_STRING) { /* of all, where the run asked of one */
        model_setting_drop(m, learner, a->key);
        return LEAT_OK;
    }
    const char *value = model_setting_read(p, a->value, &m->arena, &why);
    if (!value) {
        plain_text_line(stderr, "leat: --set %s=%s: %s", a->key, a->value, why);
        return LEAT_EARG;
    }
    model_setting_change(m, learner, a->key, value);
    return LEAT_OK;
}

/* Are the values right together? A copy is configured: the learner itself is when it is opened. */
static int check_together(struct model *m, struct node learner)
{
    graph_configure(&m->graph, &learner, &m->diag);
    if (learner.configured) return LEAT_OK;
    diag_print(&m->diag, stderr);
    return LEAT_EARG;
}

int model_question_set(struct model *m, const struct command_line *c, struct node *learner)
{
    const struct leat_stage *top = top_of(m);
    int status = top ? LEAT_OK : LEAT_EARG;
    bool own = false;
    for (size_t i = 0; i < c->n_args && status == LEAT_OK; i++) {
        const struct argument *a = &c->args[i];
        if (is_taken(top, a->key)) continue;
        status = asks(learner->stage, a->key) ? set_own(m, learner, a)
                                              : refuse_word(m, top, learner, a->key);
        own = true;
    }
    return status == LEAT_OK && own ? check_together(m, *learner) : status;
}

/* ---- the question ---- */

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
    struct node sink = {.id = "top", .label = "model top", .stage = top_of(m)};
    if (!sink.stage) return LEAT_EARG;
    sink.settings = settings_of(m, sink.stage, c, own, &sink.n_settings);
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
