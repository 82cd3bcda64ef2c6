/* fingerprint_inside.h -- shared by fingerprint.c and fingerprint_compare.c alone. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_INSIDE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_INSIDE_H

#include "fingerprint.h"

json_t *fingerprint_json(const struct graph *g);
const json_t *fingerprint_stage(const json_t *all, const char *id);

/* Returns the inputs of a stage, as texts: a new array. Stages that the other fingerprint lacks are
 * replaced by their own inputs. So an added stage is one difference, not one in each later stage.
 * Stages for which passes(of, fingerprint, stage) is true are replaced, too; passes may be NULL. */
struct fingerprint_feeders {
    const json_t *all, *other;
    bool (*passes)(const void *of, const json_t *all, const json_t *stage);
    const void *of;
};
json_t *fingerprint_inputs(const struct fingerprint_feeders *f, const json_t *stage);

#endif
