/* lone_feature.c -- see lone_feature.h. */
#include "lone_feature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/flow/name_id.h"
#include "host/exec/trial/trial.h"

#define AND " & "

/* Names are cut at the first '=': a field with one in its name is not found so. The id of several
 * together is not that of their name. */
struct lone_feature {
    uint64_t id;
    bool known; /* the name is one */
    double estimate;
    struct contributions *of;
};

/* "a=1 & b=2"; but "a=1 & 2" is one, whose value holds the words between parts. */
static bool is_several(const char *name)
{
    bool fields = strchr(name, '=') != NULL;
    const char *and = strstr(name, AND), *next;
    for (; and; and = next) {
        const char *part = and+strlen(AND);
        next = strstr(part, AND);
        if (fields && !memchr(part, '=', next ? (size_t)(next - part) : strlen(part))) return false;
    }
    return strstr(name, AND) != NULL;
}

static void set_id(struct lone_feature *f, const struct node *learner, const char *name)
{
    const char *equals = strchr(name, '=');
    char *end;
    if (!(learner->schema_in.has & LEAT_HAS_NAMES)) {
        f->id = strtoull(name, &end, 10);
        f->known = !*end && *name >= '0' && *name <= '9';
        return;
    }
    f->known = !is_several(name);
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
