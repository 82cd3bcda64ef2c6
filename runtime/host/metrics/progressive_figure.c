/* progressive_figure.c -- implementation of progressive_figure.h.
 *
 * All figures of a family have one unit: error_rate, error_rate_last, error_rate_held_out. */
#include "progressive_figure.h"

#include "progressive_inside.h"

#include <string.h>

struct leat_figure progressive_figure(const char *name)
{
    static const struct leat_figure families[] = {
        {"examples_per_second", "1", NULL, LEAT_GAUGE},
        {"examples_", "examples", NULL, LEAT_GAUGE},
        {"examples", "examples", NULL, LEAT_COUNTER},
        {"total_bytes", "bytes", NULL, LEAT_GAUGE},
        {"error_rate", "ratio", NULL, LEAT_GAUGE},
        {"auc", "ratio", NULL, LEAT_GAUGE},
        {"average_precision", "ratio", NULL, LEAT_GAUGE},
        {"f1_threshold", "1", NULL, LEAT_GAUGE},
        {"f1", "ratio", NULL, LEAT_GAUGE},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        struct leat_figure f = families[i];
        if (strncmp(name, f.name, strlen(f.name))) continue;
        f.name = name;
        return f;
    }
    return (struct leat_figure){name, "1", NULL, LEAT_GAUGE};
}

size_t progressive_names(enum leat_score kind, const char **names)
{
    double values[PROGRESSIVE_METRICS];
    struct progressive *p = progressive_new("", kind, NULL);
    if (!p) return 0;
    p->held.weight = 1;
    size_t n = progressive_metrics(p, names, values, PROGRESSIVE_METRICS);
    progressive_free(p);
    return n;
}
