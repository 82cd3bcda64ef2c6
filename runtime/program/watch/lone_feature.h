/* lone_feature.h -- what a learner of margins or values makes of one feature: the prediction of an
 * example that has only that, with the value 1, less the one of an example that has none. Of a
 * linear learner this is the feature's weight, also where it is kept in a sketch and not by name.
 */
#ifndef LEAT_PROGRAM_WATCH_LONE_FEATURE_H
#define LEAT_PROGRAM_WATCH_LONE_FEATURE_H

#include "host/exec/instance/instance.h"

struct lone_feature;

/* The feature of that name: "field=value", a bare name, or an id in decimal where features have no
 * names. NULL: the learner does not score so, or there is no memory. */
struct lone_feature *lone_feature_new(const struct node *learner, const char *name);
/* NULL is fine, for all three. */
void lone_feature_free(struct lone_feature *f);
/* On the learner's worker; nothing in the learner changes. */
void lone_feature_predict(struct lone_feature *f, struct instance *learner);
/* NaN: there is none. */
double lone_feature_estimate(const struct lone_feature *f);

#endif
