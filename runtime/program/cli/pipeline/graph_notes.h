/* graph_notes.h -- what `leat graph` says of a node beside its name: files and topics, parameters,
 * threads, and counts of a run. */
#ifndef LEAT_PROGRAM_CLI_PIPELINE_GRAPH_NOTES_H
#define LEAT_PROGRAM_CLI_PIPELINE_GRAPH_NOTES_H

#include <jansson.h>

#include "host/exec/plan/plan.h"

/* A graph, and what is known of it. */
struct graph_view {
    const struct graph *graph;
    const struct plan *plan; /* NULL: the pipeline has mistakes, or its inputs are not there */
    const json_t *summary;   /* of a run; NULL: none                                          */
};

/* File or stream number k that a node reads, or writes; NULL: there are no more. */
const char *graph_notes_outside(const struct node *n, bool reads, uint32_t k);

/* Parameter number k that is not as it is by default and is no file or stream: `budget = "8KB"`, in
 * the graph's arena; NULL: there are no more. */
const char *graph_notes_setting(const struct graph_view *v, const struct node *n, uint32_t k);

/* Its segment; NULL: unknown. */
const struct segment *graph_notes_segment(const struct graph_view *v, const struct node *n);

/* "4,000 in, 3,990 out, 10 rejected, 12 % of the work", in the graph's arena; NULL: the summary has
 * none. */
const char *graph_notes_counts(const struct graph_view *v, const struct node *n);
/* The share of the run's work that was done here, 0 .. 1; NaN: unknown. */
double graph_notes_share(const struct graph_view *v, const struct node *n);
/* Records that have gone along an edge: "3,990"; NULL: unknown. */
const char *graph_notes_passed(const struct graph_view *v, const struct edge *e);

/* Why the summary is not one of this graph, in its arena; NULL: it may be. */
const char *graph_notes_fault(const struct graph_view *v);

/* Adds all of it to the JSON of a graph (print_plan_graph). */
void graph_notes_add(const struct graph_view *v, json_t *to);

#endif
