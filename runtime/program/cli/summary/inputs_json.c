/* inputs_json.c -- see inputs_json.h. */
#include "inputs_json.h"

#include "answer_json.h"
#include "host/log/json_text.h"

enum { MOST_NAMES = 100 };

/* *more: how many others there are. */
static json_t *names_json(const struct instance *source, json_int_t *more)
{
    json_t *names = json_array();
    *more = 0;
    for (uint32_t i = 0; i < source->reading.n_inputs; i++) {
        const char *name = instance_input_name(source, i);
        if (name && json_array_size(names) < MOST_NAMES)
            json_array_append_new(names, json_text(name));
        else
            *more += name != NULL;
    }
    return names;
}

json_t *inputs_json_source(const struct run *r, const struct node *n)
{
    const struct instance *source = run_instance(r, n, 0);
    uint64_t done = 0, total = 0;
    json_int_t more;
    json_t *names = names_json(source, &more);
    if (source->phase == INSTANCE_STARTED) instance_progress(source, &done, &total);
    json_t *o = json_pack("{s:o, s:s, s:I, s:o, s:o}", "source", json_text(n->id), "plugin",
                          n->name, "records", (json_int_t)atomic_load(&source->count.out), "bytes",
                          done ? json_integer((json_int_t)done) : json_null(), "names", names);
    if (more) json_object_set_new(o, "more", json_integer(more));
    return o;
}

json_t *inputs_json(const struct run *r)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (n->stage && n->stage->kind == LEAT_SOURCE)
            json_array_append_new(all, inputs_json_source(r, n));
    }
    return all;
}

json_t *inputs_json_times(const struct run *r)
{
    uint64_t first = 0, last = 0;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        const struct instance *i = run_instance(r, n, 0);
        if (i->learning.time_begin && (!first || i->learning.time_begin < first))
            first = i->learning.time_begin;
        if (i->learning.time_end > last) last = i->learning.time_end;
    }
    if (!last) return NULL;
    return json_pack("{s:o, s:o}", "first", answer_json_time(r->before ? -1 : (int64_t)first - 1),
                     "last", answer_json_time((int64_t)last - 1));
}
