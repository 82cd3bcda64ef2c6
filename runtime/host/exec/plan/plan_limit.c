/* plan_limit.c -- see plan_limit.h. */
#include "plan_limit.h"

#include <sys/resource.h>

#include "host/memory/process_memory.h"
#include "blas_memory.h"
#include "plan_memory.h"
#include "core/report/byte_size.h"

enum { USUAL_STACK = 8 << 20 };

/* Threads that may multiply matrices at a time. */
static uint32_t blas_threads(const struct plan *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_segments; i++) {
        bool may = false;
        for (uint32_t k = 0; k < p->segment[i].n_nodes; k++) {
            const struct leat_stage *s = p->segment[i].node[k]->stage;
            may |= s && (s->kind == LEAT_LEARNER || s->kind == LEAT_SINK);
        }
        n += may;
    }
    return n;
}

/* Addresses for stacks, which are mapped whole. */
static uint64_t stack_bytes(const struct plan *p)
{
    struct rlimit l;
    bool told = !getrlimit(RLIMIT_STACK, &l) && l.rlim_cur != RLIM_INFINITY;
    uint64_t stack = told ? l.rlim_cur : USUAL_STACK;
    return p->threads * stack;
}

static uint64_t left(void)
{
    uint64_t limit = process_memory_limit(), used = process_memory_mapped();
    return used < limit ? limit - used : 0;
}

void plan_limit_check(const struct plan *p, const struct graph *g, struct diag *d)
{
    char all[BYTE_SIZE_TEXT], copies[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    uint64_t more =
        p->bytes - p->process_bytes + stack_bytes(p) + blas_memory_needed(blas_threads(p));
    if (process_memory_limit() == UINT64_MAX || more <= left()) return;
    const char *with =
        g->snapshots
            ? arena_printf(g->arena, ", %s of them for copies of what is learned (--state)",
                           byte_size(p->snapshot_bytes, copies))
            : "";
    diag_add(d, DIAG_WARNING, g->at, "pipeline", NULL,
             "it may take %s more%s, and the run ends where the system gives no more: %s, or lower "
             "max_features, budgets, batch_bytes or batch_rows",
             byte_size(more, all), with, memory_cure(cure));
}

static const char *fault_of(uint64_t more, const char *what, struct arena *a)
{
    char all[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    if (process_memory_limit() == UINT64_MAX || more <= left()) return NULL;
    return arena_printf(a,
                        "there is not enough memory for %s, %s: %s, or lower max_features, "
                        "budgets, batch_bytes or batch_rows",
                        what, byte_size(more, all), memory_cure(cure));
}

const char *plan_limit_fault(const struct plan *p, struct arena *a)
{
    return fault_of(stack_bytes(p), "the stacks of threads", a);
}

static const char *map_libraries(uint32_t threads, struct arena *a)
{
    if (process_memory_limit() == UINT64_MAX) return NULL;
    const char *fault = fault_of(blas_memory_needed(threads), "products of matrices", a);
    if (!fault) blas_memory_map(threads);
    return fault;
}

const char *plan_limit_libraries(const struct plan *p, struct arena *a)
{
    return map_libraries(blas_threads(p), a);
}

const char *plan_limit_library(struct arena *a) { return map_libraries(1, a); }
