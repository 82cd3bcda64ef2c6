/* run_inputs.c -- names of what a run reads, for people; see run.h. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *run_input_name(const struct instance *source, uint32_t input)
{
    pthread_mutex_lock(&source->run->mu);
    const char *name = input < source->n_inputs ? source->input[input] : NULL;
    pthread_mutex_unlock(&source->run->mu);
    return name;
}

const char *run_input(const struct instance *source, uint32_t input)
{
    const char *name = source ? run_input_name(source, input) : NULL;
    return name ? name : "input";
}

const char *run_origin(const struct instance *source, const struct batch_origin *o)
{
    if (o->name) return o->name;
    return o->maker ? o->maker->node->id : run_input(source, o->input);
}

void run_describe(const void *batch, char *out, size_t cap)
{
    struct hbatch *h = (struct hbatch *)batch;
    if (!h->b.n) return;
    struct batch_origin o = batch_origin(h, 0);
    const char *name = run_origin(h->source, &o);
    if (o.line)
        snprintf(out, cap, "the batch begins at %s:%llu", name, (unsigned long long)o.line);
    else
        snprintf(out, cap, "the batch begins at record %llu of %s", (unsigned long long)o.offset,
                 name);
}

/* mu held: memory for the names of `input` and all before it. */
static int reserve_inputs(struct instance *s, uint32_t input)
{
    if (input < s->n_inputs) return LEAT_OK;
    const char **all = realloc(s->input, (input + 1) * sizeof *all);
    if (!all) return LEAT_ENOMEM;
    memset(all + s->n_inputs, 0, (input + 1 - s->n_inputs) * sizeof *all);
    s->input = all;
    s->n_inputs = input + 1;
    return LEAT_OK;
}

int run_name_input(struct instance *source, uint32_t input, const char *name)
{
    pthread_mutex_lock(&source->run->mu);
    int status = reserve_inputs(source, input);
    int same = status == LEAT_OK && source->input[input] && !strcmp(source->input[input], name);
    char *copy = status == LEAT_OK && !same ? strdup(name) : NULL;
    if (copy) {
        free((char *)source->input[input]);
        source->input[input] = copy;
    }
    pthread_mutex_unlock(&source->run->mu);
    return same || copy ? LEAT_OK : LEAT_ENOMEM;
}
