/* columns_edges.h -- the edges of feature.columns: "humid=60 70 80" cuts a column of numbers.
 *
 * Each edge makes one feature of a number: "humid >= 60" or "humid < 60". A feature of one side
 * holds for all numbers on that side, so it needs no choice of bands. The conjunction of two sides
 * is a band: "humid >= 60 & humid < 80". */
#ifndef LEAT_FEATURIZERS_COLUMNS_EDGES_H
#define LEAT_FEATURIZERS_COLUMNS_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COLUMNS_EDGES = 64,      /* most edges of a column */
    COLUMNS_EDGES_NAME = 512 /* room for the name of a feature of an edge, and a NUL */
};

/* One entry of the parameter `edges`, which stays in the text. */
struct columns_edges {
    const char *text; /* begins with the name of the column */
    uint32_t n_name;  /* bytes of the name */
    uint32_t n;       /* number of edges, ascending */
    double at[COLUMNS_EDGES];
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

#endif
