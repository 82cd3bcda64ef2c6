/* progressive_labels.c -- labels that teach nothing: of one kind alone, or in long runs. */
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
             p->kind == LEAT_SCORE_MARGIN
                 ? "all %llu examples have the label %+g, and nothing can be learned from one "
                   "label: look at the stage that makes the labels"
                 : "all %llu examples have the label %g, and nothing can be learned from one "
                   "label: look at the stage that makes the labels",
             (unsigned long long)p->examples, label);
}

const char *progressive_label_fault(const struct progressive *p, bool in_order, char *text,
                                    size_t n)
{
    double label;
    if (p->examples >= FEWEST_EXAMPLES && p->sum.weight > 0 && is_one_label(p, &label))
        say_one_label(p, label, text, n);
    else if (in_order && label_order_in_runs(&p->order))
        snprintf(text, n,
                 "the labels came in long runs: %llu changes in %llu records, where a random order "
                 "has some %.0f. The learner learns in this order and follows the last run: mix "
                 "the records (shuffle the file, or join one input of each label by leat.merge), "
                 "or count them (learn.contrast)",
                 (unsigned long long)p->order.changes, (unsigned long long)p->order.records,
                 label_order_expected(&p->order));
    else
        return NULL;
    return text;
}
