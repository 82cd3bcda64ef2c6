/* letter_places.h -- where dead letters go, in words. */
#ifndef LEAT_HOST_EXEC_REJECTS_LETTER_PLACES_H
#define LEAT_HOST_EXEC_REJECTS_LETTER_PLACES_H

#include "host/graph/graph.h"

/* "bad.jsonl", "standard output", "bad.jsonl and payments.dead (sink.dead_letters)": the pipeline's
 * file, and the sinks that take them, by the name that the script gives them. NULL: nowhere. The
 * text is the graph's. */
const char *letter_places(const struct graph *g);

#endif
