/* broken_checks.c -- transforms whose calls during checks are impure, each in one way.
 *
 * Each breaks the law `pure` of `leat plugin test`, except whole.checked. */
#include <stdbool.h>

#include <leat/plugin.h>

struct cfg {
    const char *fields;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, fields, LEAT_STRING, .def = "left,right", .doc = "names of fields"),
};

static uint32_t calls; /* a fault: no call during checks may have such state */

static const char *field_of(const void *cfg) { return ((const struct cfg *)cfg)->fields; }

static int checked(const void *cfg, struct leat_negotiation *n)
{
    n->add_bounds(n, &(struct leat_bounds){.parts_per_record = 1});
    return n->add_field(n, field_of(cfg)) < 0 ? LEAT_ENOMEM : LEAT_OK;
}

/* Changes the text it reads, like strtok. */
static int cuts_text(const void *cfg, struct leat_negotiation *n)
{
    char *comma = strchr((char *)(uintptr_t)field_of(cfg), ',');
    if (comma) *comma = '\0';
    return checked(cfg, n);
}

static int other_field(const void *cfg, struct leat_negotiation *n)
{
    return n->add_field(n, calls++ ? "later" : field_of(cfg)) < 0 ? LEAT_ENOMEM : LEAT_OK;
}

/* Gives the same result for two calls, and then another. */
static int grows(const void *cfg, struct leat_negotiation *n)
{
    n->add_bounds(n, &(struct leat_bounds){.copies_text = calls++ / 4});
    return checked(cfg, n);
}

static int scores_later(const void *cfg, struct leat_negotiation *n)
{
    if (calls++) n->out->made_labels = 1;
    return checked(cfg, n);
}

static int process_none(struct leat_ctx *ctx, void *self, struct leat_batch *b) { return LEAT_OK; }

#define STAGE_OF(ID, NAME)                                                                         \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a transform for tests",                                                        \
        .doc = "It adds a field and nothing else.",                                                \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_TRANSFORM,                                                                    \
        LEAT_FLOW(LEAT_HAS_RECORDS, 0),                                                            \
        LEAT_PARAMS(params, struct cfg),                                                           \
        .negotiate = ID,                                                                           \
        .process = process_none,                                                                   \
    }
STAGE_OF(checked, "whole.checked");
STAGE_OF(cuts_text, "broken.cuts_text");
STAGE_OF(other_field, "broken.other_field");
STAGE_OF(grows, "broken.grows");
STAGE_OF(scores_later, "broken.scores_later");

LEAT_PLUGIN("broken_checks", "1.0", "Apache-2.0", "transforms that are not pure", &s_checked,
            &s_cuts_text, &s_other_field, &s_grows, &s_scores_later);
