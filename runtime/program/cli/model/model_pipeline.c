/* model_pipeline.c -- implementation of model.h: the pipeline of a merged model. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

static bool pipeline_is_smaller(const json_t *a, const json_t *b)
{
    char *x = json_dumps(a, JSON_ENCODE_ANY), *y = json_dumps(b, JSON_ENCODE_ANY);
    bool smaller = x && y && strcmp(x, y) < 0;
    free(x);
    free(y);
    return smaller;
}

/* Gives the member `key` of a stage the smaller one of two values, whatever their order. */
static void pipeline_settle(json_t *stage, const json_t *other, const char *key)
{
    json_t *value = json_object_get(other, key);
    if (value && pipeline_is_smaller(value, json_object_get(stage, key)))
        json_object_set(stage, key, value);
}

/* Takes the parameters of the layout that the result lacks. */
static void pipeline_settle_layout(json_t *stage, const json_t *other)
{
    size_t i;
    json_t *name, *to = json_object_get(stage, "parameters");
    json_array_foreach(json_object_get(other, "layout"), i, name)
    {
        const char *key = json_string_value(name);
        json_t *value = json_object_get(json_object_get(other, "parameters"), key);
        if (value && !json_object_get(to, key)) json_object_set(to, key, value);
    }
}

void model_pipeline_settle(struct model *result, const struct model *in)
{
    size_t i;
    json_t *stage;
    json_array_foreach(json_object_get(result->pipeline, "stages"), i, stage)
    {
        const char *id = json_string_value(json_object_get(stage, "id")),
                   *kind = json_string_value(json_object_get(stage, "kind"));
        const struct node *n = id ? graph_find(&in->graph, id) : NULL;
        if (!n) continue;
        const json_t *other = json_array_get(json_object_get(in->pipeline, "stages"), n->index);
        pipeline_settle(stage, other, "in");
        pipeline_settle(stage, other, "out");
        pipeline_settle_layout(stage, other);
        if (kind && !strcmp(kind, "sink")) pipeline_settle(stage, other, "parameters");
    }
}
