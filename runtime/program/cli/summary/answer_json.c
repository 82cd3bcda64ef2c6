/* answer_json.c -- see answer_json.h. */
#include "answer_json.h"

#include <string.h>

#include "host/log/json_text.h"
#include "core/time/utc.h"
#include "host/exec/answers/ask.h"
#include "host/exec/answers/answer.h"
#include "host/plugin/params.h"

enum { MOST_ROWS = 200 };

json_t *answer_json_time(int64_t ns)
{
    char text[UTC_TEXT];
    return ns < 0 ? json_null() : json_stringn(text, utc_write(text, ns));
}

json_t *answer_json_rows(const struct answer *a)
{
    json_t *rows = json_array();
    for (uint32_t r = 0; r < a->n_rows; r++) {
        json_t *o = json_pack("{s:o}", "feature", json_text_n(a->name[r], a->len[r]));
        for (uint32_t c = 0; c < a->n_columns; c++)
            json_object_set_new(o, a->column[c],
                                json_figure(a->values[(size_t)r * a->n_columns + c]));
        if (*a->also[r]) json_object_set_new(o, "also", json_text(a->also[r]));
        json_array_append_new(rows, o);
    }
    return rows;
}

static json_t *texts_json(const char *const *text, uint32_t n)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(all, json_text(text[i]));
    return all;
}

json_t *answer_json(const struct answer *a, const struct answer_shown *shown)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "sink",
                     json_text(shown->sink), "learner", json_text(shown->learner), "title",
                     json_text_or_null(shown->title), "noun", json_text_or_null(shown->noun),
                     "examples", (json_int_t)shown->examples, "time", answer_json_time(shown->time),
                     "columns", texts_json(a->column, a->n_columns), "shown",
                     texts_json(shown->columns.v, shown->columns.n), "rows", answer_json_rows(a));
}

static json_t *moments_json(const struct answer_history *h)
{
    json_t *all = json_array();
    for (uint32_t i = 0, n = answer_history_moments(h); i < n; i++) {
        const struct answer_moment *m = &h->moment[i];
        json_t *features = json_array();
        for (uint32_t k = 0; k < m->n; k++)
            json_array_append_new(features, json_text(m->name[k]));
        json_array_append_new(all,
                              json_pack("{s:I, s:o, s:o}", "examples", (json_int_t)m->examples,
                                        "time", answer_json_time(m->time), "features", features));
    }
    return all;
}

static const char *text_of(const struct node *n, const char *param)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++)
        if (!strcmp(n->stage->params[i].name, param))
            return params_text(&n->stage->params[i], n->cfg, 0);
    return NULL;
}

static const struct ask *ask_of(const struct instance *learner, const struct node *sink)
{
    for (uint32_t i = 0; i < learner->learning.n_asks; i++)
        if (learner->learning.asks[i]->sink->node == sink) return learner->learning.asks[i];
    return NULL;
}

json_t *answer_json_of_sink(const struct run *r, const struct node *sink)
{
    struct instance *learner = run_instance(r, sink->asked, 0);
    const struct kept_answer *answer = NULL, none = {.examples = 0};
    struct leat_ask want = sink->ask;
    const struct ask *asked = ask_of(learner, sink);
    if (want.k > MOST_ROWS) want.k = MOST_ROWS;
    kept_answer_take(learner, &want, false, r->end != 0, &answer);
    if (!answer) answer = &none; /* others have asked too much */
    const struct answer_shown shown = {.sink = sink->id,
                                       .learner = sink->asked->id,
                                       .title = text_of(sink, "title"),
                                       .noun = text_of(sink, "noun"),
                                       .columns = want.columns,
                                       .examples = answer->examples,
                                       .time = (int64_t)answer->time_end - 1};
    json_t *o = answer_json(&answer->answer, &shown);
    if (asked && asked->history) json_object_set_new(o, "moments", moments_json(asked->history));
    return o;
}

bool answer_json_is_shown(const struct node *n)
{
    return n->stage && n->asked && n->ask.kind == LEAT_QUERY_TOP && strncmp(n->name, "eval.", 5);
}

json_t *answer_json_of_run(const struct run *r)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!answer_json_is_shown(n)) continue;
        if (run_instance(r, n->asked, 0)->phase != INSTANCE_STARTED)
            continue; /* nor was any other stage */
        json_array_append_new(all, answer_json_of_sink(r, n));
    }
    return all;
}
