/* progressive_examples.c -- examples that teach nothing: without features, of one label alone, or
 * with labels in long runs. */
#include <stdio.h>

#include "progressive_inside.h"

enum { FEWEST_EXAMPLES = 10 }; /* of which one label is said to be strange */

/* The only class with a weight. false: there are several, or classes that are not counted. */
static bool is_one_class(const struct progressive *p, double *label)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        if (!(p->of_class[c] > 0)) continue;
        *label = c;
        return p->of_class[c] >= p->sum.weight;
    }
    return false;
}

static bool is_one_label(const struct progressive *p, double *label)
{
    switch (p->kind) {
    case LEAT_SCORE_MARGIN:
    case LEAT_SCORE_DECISION:
        *label = p->of[1] > 0 ? 1 : -1;
        return !(p->of[0] > 0 && p->of[1] > 0);
    case LEAT_SCORE_VALUE:
        *label = p->first_label;
        return !(p->d2 > 0);
    case LEAT_SCORE_CLASS:
        return is_one_class(p, label);
    default:
        return false;
    }
}

/* As the learner takes it: the classes of a margin are +1 and -1. */
static void say_one_label(const struct progressive *p, double label, char *text, size_t n)
{
    snprintf(text, n,
             is_margin(p->kind)
                 ? "all %llu examples%s have the label %+g, and nothing can be learned from one "
                   "label: look at the stage that makes the labels"
                 : "all %llu examples%s have the label %g, and nothing can be learned from one "
                   "label: look at the stage that makes the labels",
             (unsigned long long)p->examples, p->held.weight > 0 ? " that were not held out" : "",
             label);
}

/* A record without any feature makes no example, or an empty one. */
static bool say_no_features(const struct progressive *p, uint64_t records, char *text, size_t n)
{
    static const char see[] = "look at the stage that makes the features";
    uint64_t examples = p->examples - p->continued;
    if (!p->examples && !(p->held.weight > 0) && !p->nonfinite && records >= FEWEST_EXAMPLES)
        snprintf(text, n,
                 "none of its %llu records made an example: they have no feature (a number that is "
                 "0 and an empty cell make none): %s",
                 (unsigned long long)records, see);
    else if (examples >= FEWEST_EXAMPLES && p->kind != LEAT_SCORE_NONE && !p->features)
        snprintf(text, n, "none of its %llu examples has a feature: %s",
                 (unsigned long long)examples, see);
    else
        return false;
    return true;
}

/* All are held out, as by a column of weights that are 0. */
static void say_held_out(const struct progressive *p, char *text, size_t n)
{
    snprintf(
        text, n,
        "all %.0f examples have the weight 0: they were predicted, and nothing was learned from "
        "them: look at the stage that makes the weights",
        p->held.weight);
}

static void say_runs(const struct progressive *p, char *text, size_t n)
{
    snprintf(text, n,
             "the labels came in long runs: %llu changes in %llu records, where a random order has "
             "some %.0f. The learner learns in this order and follows the last run: mix the "
             "records (shuffle the file, or join one input of each label by leat.merge), or count "
             "them (learn.contrast)",
             (unsigned long long)p->order.changes, (unsigned long long)p->order.records,
             label_order_expected(&p->order));
}

const char *progressive_example_fault(const struct progressive *p, uint64_t records, bool in_order,
                                      char *text, size_t n)
{
    double label;
    if (say_no_features(p, records, text, n)) return text;
    if (p->examples >= FEWEST_EXAMPLES && p->sum.weight > 0 && is_one_label(p, &label))
        say_one_label(p, label, text, n);
    else if (!p->examples && p->held.weight >= FEWEST_EXAMPLES)
        say_held_out(p, text, n);
    else if (in_order && label_order_in_runs(&p->order))
        say_runs(p, text, n);
    else
        return NULL;
    return text;
}
