/* fingerprint_inside.h -- what fingerprint.c (making and comparing two) and fingerprint_compare.c
 * (a pipeline with a snapshot) share; for no other file. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_INSIDE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_INSIDE_H

#include "fingerprint.h"

json_t *fingerprint_json(const struct graph *g);
const json_t *fingerprint_stage(const json_t *all, const char *id);

/* The inputs of a stage, as texts: a new array. Stages that the other fingerprint lacks are
 * replaced by their own inputs, so that an added stage is one difference, not one in each stage
 * after it; and so are those of which passes(of, fingerprint, stage) is true, unless it is NULL. */
struct fingerprint_feeders {
    const json_t *all, *other;
    bool (*passes)(const void *of, const json_t *all, const json_t *stage);
    const void *of;
};
json_t *fingerprint_inputs(const struct fingerprint_feeders *f, const json_t *stage);

#endif
