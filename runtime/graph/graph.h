/* graph.h -- a pipeline as the script described it: stages and forks, wired and checked.
 *
 * Built by builder.c, completed by graph_link (ids, types, parameters, order), given schemas by
 * negotiate.c, cut into segments by plan.c. Everything lives in one arena until the run is over.
 */
#ifndef LEAT_GRAPH_GRAPH_H
#define LEAT_GRAPH_GRAPH_H

#include <stdint.h>

#include <leat/plugin.h>

#include "base/arena.h"
#include "base/diag.h"
#include "plugin/registry.h"
#include "options.h"
#include "plugin/setting.h"

enum node_kind { NODE_STAGE, NODE_TEE, NODE_MERGE, NODE_ROUTE };

struct node {
    enum node_kind kind;
    uint32_t index;    /* in graph.node                                         */
    const char *name;  /* "learn.awm"; of a fork "leat.tee"                     */
    const char *id;    /* unique                                                */
    const char *label; /* "model (learn.awm)", for messages                     */
    struct location at;
    struct setting *settings; /* as written                                            */
    size_t n_settings;
    const char *by;                 /* route: the column                                     */
    const struct stage_type *type;  /* NULL for forks and for stages nobody knows      */
    const struct leat_stage *stage; /* type->stage, or NULL                            */
    void *cfg;                      /* filled from the settings                              */
    int configured;                 /* 1: cfg is whole                                       */
    int lanes;                      /* 1 unless the script says otherwise                    */
    uint32_t n_in, n_out;           /* edges                                                 */
    uint32_t *in, *out;             /* indexes of edges, in the script's order               */
    struct leat_schema schema_in, schema_out;
    int has_schema;              /* 1: negotiation came this far without an error         */
    struct leat_framing framing; /* sources: as the first parser downstream wants it       */
    struct leat_plan plan;
    struct leat_ask ask; /* sinks that want to be told; kind 0: none              */
    struct node *asked;  /* the learner it asks                                   */
};

struct edge {
    uint32_t from, to;
    const char *key;    /* the branch of a route                                 */
    uint32_t by_column; /* of a route: index of the column, once negotiated      */
};

struct graph {
    struct arena *arena;
    const char *name;
    const char *script;
    struct location at;
    struct setting *settings; /* the pipeline's options as written */
    size_t n_settings;
    struct options options;
    uint32_t n_nodes, n_edges;
    struct node *node;
    struct edge *edge;
    struct node **order; /* sources first; every node after those that feed it */
};

extern const struct leat_stage graph_options; /* the pipeline's options, described like a stage's */

/* Names, types, parameters, wiring. Everything wrong is reported; returns LEAT_OK or LEAT_EARG. */
int graph_link(struct graph *g, const struct registry *known, struct diag *d);

/* Fill a node's cfg from its settings and let the stage look at it; n->configured says whether it
 * may be opened. */
void graph_configure(struct graph *g, struct node *n, struct diag *d);

/* The node with this id, or NULL. */
struct node *graph_find(const struct graph *g, const char *id);

/* The nearest learner upstream of `n` (NULL: none), or the one with id `of`. */
struct node *graph_learner(const struct graph *g, const struct node *n, const char *of);

/* What feeds a node (its only input), or NULL. */
struct node *graph_before(const struct graph *g, const struct node *n);

#endif
