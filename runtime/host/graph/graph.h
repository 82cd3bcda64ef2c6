/* graph.h -- the graph of a pipeline: stages and forks as the script describes them.
 *
 * builder.c builds the graph from a script, graph_link completes it (ids, types, parameters,
 * order), negotiate.c sets the schemas and plan.c cuts it into segments. The whole graph lives in
 * one arena until the run is over. One thread writes it before the run; during the run all threads
 * only read it. */
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

enum { GRAPH_MAX_LANES = 64 }; /* most lanes of one stage */

struct made_column {
    const char *name;
    const struct node *by;
};

struct node {
    enum node_kind kind;
    uint32_t index;    /* index in graph.node                                           */
    const char *name;  /* stage's type, such as "learn.awm"; "leat.tee" for a fork      */
    const char *id;    /* unique in the pipeline                                        */
    const char *was;   /* id in earlier snapshots, from which the seed derives; or NULL */
    const char *label; /* for messages: "model (learn.awm)"                             */
    struct location at;
    struct setting *settings; /* settings in the script */
    size_t n_settings;
    bool whole;                     /* settings come from a snapshot and are complete            */
    const char *by;                 /* routes: name of the column that decides the branch        */
    const struct stage_type *type;  /* NULL for a fork or an unknown stage                       */
    const struct leat_stage *stage; /* type->stage, or NULL                                      */
    bool reported;                  /* an error about the unknown type is already reported       */
    const char *not_given;          /* missing script arguments that may be the cause; or NULL   */
    void *cfg;                      /* configuration, filled from the settings                   */
    bool configured;                /* cfg is filled, and the stage's validate() has accepted it */
    int lanes;                      /* set by the script, otherwise as in the stage before, or 1 */
    bool shares_threads;            /* its lanes come from the option `threads` */
    uint32_t n_in, n_out;           /* numbers of incoming and outgoing edges                    */
    uint32_t *in, *out;             /* indexes of these edges, in the script's order             */
    struct leat_schema schema_in, schema_out;
    struct leat_schema shown_in, shown_out; /* schemas as the stage sees them (stage_columns.h) */
    struct leat_column *shown_column;       /* columns of shown_in; an array of shown_cap */
    uint32_t shown_cap;
    /* index of schema_in, filled when the stage looks up a column */
    struct column_index column_index;
    struct conversion *conversion;           /* columns that the host converts for the stage */
    uint32_t n_conversions, first_converted; /* first_converted: column of the first conversion */
    size_t conversion_cap;
    uint32_t *converted_from; /* for each column: 1 + its latest conversion; NULL: no conversions */
    bool has_schema;          /* true if the schemas are negotiated, false if they are guesses    */
    struct leat_framing framing;   /* sources: how the first parser downstream wants records cut */
    const struct node *headerless; /* of a parser that needs a header: a source without one      */
    bool warned;                   /* the stage's negotiate() has warned                         */
    uint32_t n_found;              /* number of input columns that the stage has looked up       */
    uint32_t *found;               /* indexes of these columns in schema_in                      */
    size_t found_cap;
    bool doubted;        /* warnings of this node count as errors (negotiate.c)  */
    bool named_later;    /* LEAT_NAMED_LATER: later stages determine the columns */
    const char **wanted; /* named_later: names of these columns, ascending       */
    uint32_t n_wanted;
    size_t wanted_cap;
    struct made_column *made; /* named_later: columns that later stages make, too */
    uint32_t n_made;
    size_t made_cap;
    struct leat_plan plan;
    uint32_t n_inputs;   /* plan.shards == UINT32_MAX: inputs that the source has told so far */
    bool by_input;       /* one instance per input of its source (exec/plan/plan.c) */
    struct leat_ask ask; /* query of a stage that queries a learner; kind 0 if none */
    struct node *asked;  /* the learner that this stage queries */
};

struct edge {
    uint32_t from, to;  /* indexes of nodes                                                 */
    const char *key;    /* edges from a route: value of the branch                          */
    uint32_t by_column; /* edges from a route: index of the route's column, once negotiated */
};

struct graph {
    struct arena *arena;
    const char *name;
    const char *script;
    struct location at;
    struct setting *settings; /* the pipeline's options as the script sets them */
    size_t n_settings;
    struct options options;
    const char **takes; /* array of n_takes: arguments that the script reads */
    size_t n_takes;
    bool snapshots;    /* the run makes snapshots (--state) */
    const char *split; /* id of the split of which they are one, at the end (--split); or NULL */
    const char
        *choices;    /* choices of the script from its data, printed in place of a run; or NULL */
    bool keeps_open; /* the input's end is not final, a later run may read more (--keep-open) */
    bool inspects;   /* set by --debug-plugins */
    bool shows_all;  /* `leat trace` looks at all columns and features after each stage      */
    uint32_t n_nodes, n_edges;
    struct node *node;
    struct edge *edge;
    struct node **order; /* sources first, each node after its feeders; lacks nodes on a cycle */
};

/* Declares the pipeline's options in the same way as a stage declares its parameters. */
extern const struct leat_stage graph_options;

/* Completes the graph: ids, types, parameters, wiring and order. Reports all problems to d. Returns
 * LEAT_OK or LEAT_EARG. */
int graph_link(struct graph *g, struct registry *known, struct diag *d);

/* Fills the node's cfg from its settings, lets the stage validate it, and sets n->configured. Does
 * nothing for a node without a stage. */
void graph_configure(struct graph *g, struct node *n, struct diag *d);

/* True if the graph has a cycle. `order` then lacks some nodes. */
bool graph_has_cycle(const struct graph *g);

/* Returns the id from which the node's seed derives: `was` if set, otherwise `id`. */
const char *graph_first_id(const struct node *n);

/* Returns the node with this id, or NULL. */
struct node *graph_find(const struct graph *g, const char *id);

/* Returns the nearest learner upstream of n; if `of` is not NULL, the learner upstream with that
 * id. Returns NULL if there is none. The graph must have no cycle. */
struct node *graph_learner(const struct graph *g, const struct node *n, const char *of);

/* Returns the kind of scores that the learner makes. LEAT_SCORE_NONE if it makes none, even if an
 * earlier learner makes scores. */
enum leat_score graph_score(const struct node *learner);

/* Returns the node that feeds n's first input; NULL for a source. */
struct node *graph_before(const struct graph *g, const struct node *n);

#endif
