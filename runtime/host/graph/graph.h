/* graph.h -- a pipeline as the script describes it: stages and forks, wired and checked.
 *
 * builder.c makes it, graph_link completes it (ids, types, parameters, order), negotiate.c sets the
 * schemas and plan.c cuts it into segments. All of it lives in one arena until the run is over. One
 * thread writes it before the run; during the run all threads only read it. */
#ifndef LEAT_HOST_GRAPH_GRAPH_H
#define LEAT_HOST_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"
#include "host/log/diag.h"
#include "column_type.h"
#include "host/plugin/registry.h"
#include "options.h"
#include "host/params/setting.h"

enum node_kind { NODE_STAGE, NODE_TEE, NODE_MERGE, NODE_ROUTE };

enum { GRAPH_MAX_LANES = 64 }; /* per stage */

struct made_column {
    const char *name;
    const struct node *by;
};

struct node {
    enum node_kind kind;
    uint32_t index;    /* in graph.node                                                     */
    const char *name;  /* "learn.awm"; for a fork "leat.tee"                                */
    const char *id;    /* unique                                                            */
    const char *was;   /* its id in earlier snapshots, from which its seed derives; or NULL */
    const char *label; /* "model (learn.awm)", for messages                                 */
    struct location at;
    struct setting *settings; /* the script's settings                                 */
    size_t n_settings;
    bool whole;                     /* settings come from a snapshot, which has all of them */
    const char *by;                 /* route: name of the column                            */
    const struct stage_type *type;  /* NULL for forks and for unknown stages                */
    const struct leat_stage *stage; /* type->stage, or NULL                                 */
    bool reported;                  /* the unknown type is already reported                 */
    const char *not_given;          /* missing arguments that the script may need; or NULL  */
    void *cfg;                      /* filled from the settings                             */
    bool configured;                /* cfg is filled, and the stage has accepted it         */
    int lanes;                      /* from the script; otherwise of the stage before, or 1 */
    uint32_t n_in, n_out;           /* numbers of edges                                     */
    uint32_t *in, *out;             /* indexes of edges, in the script's order              */
    struct leat_schema schema_in, schema_out;
    struct leat_schema shown_in, shown_out; /* schemas as the stage sees them (stage_columns.h) */
    struct leat_column *shown_column;       /* columns of shown_in; shown_cap of them           */
    uint32_t shown_cap;
    struct column_index column_index; /* of schema_in, once the stage has asked for a column */
    struct conversion *conversion;    /* columns that the host converts for the stage …      */
    uint32_t n_conversions, first_converted; /* … into the columns from first_converted on     */
    size_t conversion_cap;
    uint32_t *converted_from;      /* by column: 1 + its latest conversion; NULL: no conversions */
    bool has_schema;               /* the schemas are negotiated, not guesses                    */
    struct leat_framing framing;   /* sources: framing that the first parser downstream wants    */
    const struct node *headerless; /* parsers that ask for a header: a source without one        */
    bool warned;                   /* its negotiate warned                                       */
    uint32_t n_found; /* number of looked-up columns that exist …                   */
    uint32_t *found;  /* … and their indexes in schema_in                           */
    size_t found_cap;
    bool doubted;        /* its warnings count as errors (negotiate.c)             */
    bool named_later;    /* LEAT_NAMED_LATER: only later stages name its columns … */
    const char **wanted; /* … with these names, ascending                          */
    uint32_t n_wanted;
    size_t wanted_cap;
    struct made_column *made; /* if named_later: columns that later stages make (negotiate.c) */
    uint32_t n_made;
    size_t made_cap;
    struct leat_plan plan;
    bool by_input;       /* an instance for each input of its source (exec/plan/plan.c) */
    struct leat_ask ask; /* of stages that query a learner; kind 0: none                */
    struct node *asked;  /* the learner that it queries                                 */
};

struct edge {
    uint32_t from, to;  /* indexes of nodes                                 */
    const char *key;    /* branch of a route                                */
    uint32_t by_column; /* of a route: index of the column, once negotiated */
};

struct graph {
    struct arena *arena;
    const char *name;
    const char *script;
    struct location at;
    struct setting *settings; /* the pipeline's options as written */
    size_t n_settings;
    struct options options;
    const char **takes; /* arguments that the script reads, n_takes */
    size_t n_takes;
    bool snapshots;  /* the run makes snapshots of its states: --state */
    bool keeps_open; /* the input's end is not final: a later run reads more (--keep-open) */
    bool inspects;   /* --debug-plugins */
    uint32_t n_nodes, n_edges;
    struct node *node;
    struct edge *edge;
    struct node **order; /* sources first, each node after its feeders; nodes on a cycle are
                          * absent */
};

/* The pipeline's options, declared like a stage's parameters. */
extern const struct leat_stage graph_options;

/* Sets names, types, parameters, wiring and order. Reports all problems; returns LEAT_OK or
 * LEAT_EARG. */
int graph_link(struct graph *g, struct registry *known, struct diag *d);

/* Fills a node's cfg from its settings and lets the stage validate it; sets n->configured. Does
 * nothing for a node without a stage. */
void graph_configure(struct graph *g, struct node *n, struct diag *d);

/* True if the graph has a cycle; `order` then lacks nodes. */
bool graph_has_cycle(const struct graph *g);

/* Returns the id from which the node's seed derives. */
const char *graph_first_id(const struct node *n);

/* Returns the node with this id, or NULL. */
struct node *graph_find(const struct graph *g, const char *id);

/* Returns the nearest learner upstream of `n`, or the one with id `of` unless that is NULL; NULL:
 * none. The graph must have no cycle. */
struct node *graph_learner(const struct graph *g, const struct node *n, const char *of);

/* Kind of a learner's scores. LEAT_SCORE_NONE: it makes none, even if an earlier learner does. */
enum leat_score graph_score(const struct node *learner);

/* Returns the node that feeds a node's first input; NULL for a source. */
struct node *graph_before(const struct graph *g, const struct node *n);

#endif
