/* linalg.h -- the library that computes products of matrices if the option `linalg` names it.
 *
 * Learners compute products themselves, with the same bytes on every machine. OpenBLAS is faster in
 * large products, but its sums depend on its version and on the processor. It is loaded only if a
 * pipeline asks for it, and stays loaded. Each product is computed by the thread that asks for it.
 * Not for several threads at once, except for linalg_name() and linalg_function(). */
#ifndef LEAT_HOST_GRAPH_LINALG_H
#define LEAT_HOST_GRAPH_LINALG_H

#include <stdint.h>

#include "host/memory/arena.h"

enum linalg { LINALG_OWN, LINALG_OPENBLAS };

/* Takes the option of a pipeline, and loads OpenBLAS if it says so. All pipelines of a process must
 * have the same, because plugins hold one library for all instances. Returns NULL, or a sentence,
 * allocated in `a`, that says why this is not possible. */
const char *linalg_choose(int32_t linalg, struct arena *a);
/* Reserves the memory of OpenBLAS for this number of threads. Returns as linalg_choose(). Does
 * nothing if OpenBLAS is not loaded. */
const char *linalg_reserve(uint32_t threads, struct arena *a);

/* Returns library, version and kernels, such as "OpenBLAS 0.3.21 SkylakeX"; NULL for LINALG_OWN. */
const char *linalg_name(int32_t linalg);
/* Returns a function of the library; NULL for LINALG_OWN. */
void *linalg_function(int32_t linalg, const char *name);

#endif
