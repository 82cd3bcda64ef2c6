/* fingerprint.h -- what pipeline a snapshot belongs to: its stages and all their parameters.
 *
 * A model goes on learning only in the pipeline that made it, so the snapshot holds seed, stages
 * and parameters as JSON, and a run that resumes compares. Sinks that keep nothing may change: how
 * a model is shown is no part of it. Lua functions cannot be compared and are left out.
 */
#ifndef LEAT_RUNTIME_FINGERPRINT_H
#define LEAT_RUNTIME_FINGERPRINT_H

#include "graph.h"

/* JSON text in the graph's arena. */
const char *fingerprint_make(const struct graph *g);

/* Compare with that of a snapshot (n bytes). Differences are added to the diag, one a line, but not
 * those of stages whose id is among `fresh`. LEAT_OK, LEAT_EARG (they differ), LEAT_EDATA (no
 * fingerprint). */
int fingerprint_compare(const struct graph *g, const char *json, size_t n, const char *const *fresh,
                        size_t n_fresh, struct diag *d);

#endif
