/* print_graph.h -- a graph for people and for dot: `leat graph`. */
#ifndef LEAT_PROGRAM_CLI_PIPELINE_PRINT_GRAPH_H
#define LEAT_PROGRAM_CLI_PIPELINE_PRINT_GRAPH_H

#include <stdio.h>

#include "graph_notes.h"

void print_graph_text(const struct graph_view *v, FILE *out);
void print_graph_dot(const struct graph_view *v, FILE *out);
void print_graph_json(const struct graph_view *v, FILE *out);

#endif
