/* fingerprint_inside.h -- shared only by fingerprint.c and fingerprint_compare.c. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_INSIDE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_INSIDE_H

#include "fingerprint.h"

json_t *fingerprint_json(const struct graph *g);
const json_t *fingerprint_stage(const json_t *all, const char *id);

/* Parameters of fingerprint_inputs(), which returns the inputs of a stage of `all` as a new array
 * of texts. A stage that the fingerprint `other` lacks is replaced by its own inputs. So an added
 * stage counts as one difference, not as one in each later stage. A stage for which passes(of, all,
 * stage) is true is replaced, too; `passes` may be NULL. */
struct fingerprint_feeders {
    const json_t *all, *other;
    bool (*passes)(const void *of, const json_t *all, const json_t *stage);
    const void *of;
};
json_t *fingerprint_inputs(const struct fingerprint_feeders *f, const json_t *stage);

#endif
