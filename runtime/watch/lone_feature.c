/* lone_feature.c -- see lone_feature.h. */
#include "lone_feature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_id.h"
#include "exec/beside/contributions.h"

/* Names are cut at the first '=': a field with one in its name is not found so. The id of several
 * together ("a=1 & b=2") is not that of their name. */
struct lone_feature {
    uint64_t id;
    bool known; /* the name is one */
    double estimate;
    struct contributions *of;
};

static void set_id(struct lone_feature *f, const struct node *learner, const char *name)
{
    const char *equals = strchr(name, '=');
    char *end;
    if (!(learner->schema_in.has & LEAT_HAS_NAMES)) {
        f->id = strtoull(name, &end, 10);
        f->known = !*end && *name >= '0' && *name <= '9';
        return;
    }
    f->known = !strstr(name, " & ");
    f->id = equals ? name_id(name, (size_t)(equals - name), equals + 1, strlen(equals + 1))
                   : name_id(NULL, 0, name, strlen(name));
}

struct lone_feature *lone_feature_new(const struct node *learner, const char *name)
{
    struct contributions *of = contributions_new(learner, 1);
    struct lone_feature *f = of ? calloc(1, sizeof *f) : NULL;
    if (!f) {
        contributions_free(of);
        return NULL;
    }
    f->estimate = (double)NAN;
    f->of = of;
    set_id(f, learner, name);
    return f;
}

void lone_feature_free(struct lone_feature *f)
{
    if (f) contributions_free(f->of);
    free(f);
}

void lone_feature_predict(struct lone_feature *f, struct instance *learner)
{
    const float one = 1;
    double base;
    if (!f || !f->known) return;
    contributions_take(f->of, learner, &f->id, &one, 1, &base, &f->estimate);
}

double lone_feature_estimate(const struct lone_feature *f) { return f ? f->estimate : (double)NAN; }
