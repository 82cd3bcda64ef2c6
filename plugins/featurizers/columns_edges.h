/* columns_edges.h -- the edges of feature.columns: "humid=60 70 80" cuts a column of numbers.
 *
 * Each edge makes one feature of a number: "humid >= 60" or "humid < 60". A feature of one side
 * holds for all numbers on that side, so it needs no choice of bands. The conjunction of two sides
 * is a band: "humid >= 60 & humid < 80". */
#ifndef LEAT_FEATURIZERS_COLUMNS_EDGES_H
#define LEAT_FEATURIZERS_COLUMNS_EDGES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "core/exact_number.h"
#include "core/text/grouped.h"

enum {
    COLUMNS_EDGES = 64,      /* most edges of a column */
    COLUMNS_STRIDE = 4,      /* edges that columns_ladder_step() compares at once */
    COLUMNS_EDGES_NAME = 512 /* room for the name of a feature of an edge, and a NUL */
};

/* One entry of the parameter `edges`, which stays in the text. */
struct columns_edges {
    const char *text; /* begins with the name of the column */
    uint32_t n_name;  /* bytes of the name */
    uint32_t n;       /* number of edges, ascending */
    double at[COLUMNS_EDGES];
    struct exact_number exact[COLUMNS_EDGES];         /* an integer beyond 2^53 may be no double */
    uint16_t from[COLUMNS_EDGES], len[COLUMNS_EDGES]; /* each edge as it is written in the text */
};

/* Reads an entry. Returns NULL, or the reason why it is wrong. */
const char *columns_edges_read(const char *text, struct columns_edges *e);
/* Number of edges of an entry that is known to be right. */
uint32_t columns_edges_count(const char *text);
/* Writes the name of the feature of edge i: "humid >= 60" if `above`, otherwise "humid < 60". */
const char *columns_edges_feature(const struct columns_edges *e, uint32_t i, bool above,
                                  char name[COLUMNS_EDGES_NAME]);
/* True if edge i of n takes part in conjunctions. Of the edges, `crossed` evenly spaced ones do.
 * Example: of 8 edges with crossed = 2, the edges 2 and 6 do. */
bool columns_edges_crossed(uint32_t i, uint32_t n, uint32_t crossed);

/* Members of a feature that no record changes. */
struct columns_feature {
    uint64_t id;    /* feature_id_name() of its field */
    uint32_t joint; /* LEAT_JOINT() of its column in the batch, and its side of an edge */
    uint32_t field;
};

struct columns_feature columns_feature_of(const char *name, uint32_t joint, uint32_t field);

/* An edge with features of its own. */
struct columns_edge {
    uint32_t step;                  /* the first step that reaches it */
    bool crossed;                   /* true if its features take part in conjunctions */
    struct columns_feature side[2]; /* below it; not below it */
};

/* The edges of a column with their features. A number is on step k if it reaches k edges. */
struct columns_ladder {
    uint32_t n, n_own; /* number of edges; of those with features of their own: all or none */
    bool crossed;      /* true if one of them takes part in conjunctions */
    bool large;        /* true if one of them is beyond 2^53 */
    double at[COLUMNS_EDGES]; /* the edges, ascending, then infinity */
    struct exact_number exact[COLUMNS_EDGES];
    struct columns_edge own[COLUMNS_EDGES];
    struct columns_feature rung[COLUMNS_EDGES + 1]; /* of each step: it stands for all edges */
};

/* Makes the ladder of an entry. Its features have the column of `first`, and the fields from that
 * of `first` on. With `rungs` no edge has features of its own. */
void columns_ladder_open(struct columns_ladder *l, const char *text,
                         const struct columns_feature *first, uint32_t crossed, bool rungs);

/* True if a double may stand for several integers. */
static inline bool columns_is_large(double x) { return fabs(x) >= 0x1p53; }

/* Returns the number of the text [p, end) in the form `as`, which the double x stands for. */
struct exact_number columns_exact_number(const struct grouped *as, const char *p, const char *end,
                                         double x);
/* Returns the step of a number that may be no double. */
uint32_t columns_ladder_exact_step(const struct columns_ladder *l, struct exact_number x);

/* Vectors of two numbers, and of two counts. */
typedef double columns_two __attribute__((vector_size(16), aligned(8)));
typedef int64_t columns_counts __attribute__((vector_size(16)));

/* Returns the step of a number. Has no branch on it, because numbers are unpredictable. A
 * comparison of vectors gives -1 for each edge that is reached. */
static inline uint32_t columns_ladder_step(const struct columns_ladder *l, double x)
{
    const columns_two number = {x, x};
    columns_counts step = {0, 0};
    for (const double *at = l->at; at < l->at + l->n; at += COLUMNS_STRIDE) {
        step -= number >= *(const columns_two *)at;
        step -= number >= *(const columns_two *)(at + 2);
    }
    return (uint32_t)(step[0] + step[1]);
}

#endif
