/* plan_limit.c -- see plan_limit.h. */
#include "plan_limit.h"

#include <sys/resource.h>

#include "base/memory/process_memory.h"
#include "plan_memory.h"
#include "report/byte_size.h"
#include "report/memory_cure.h"

/* OpenBLAS maps this with its first product of matrices, and tries for ever where it cannot. */
enum { BLAS_BYTES = 128 << 20, USUAL_STACK = 8 << 20 };

/* Addresses for stacks, which are mapped whole, and for libraries. */
static uint64_t certain_bytes(const struct plan *p)
{
    struct rlimit l;
    bool told = !getrlimit(RLIMIT_STACK, &l) && l.rlim_cur != RLIM_INFINITY;
    uint64_t stack = told ? l.rlim_cur : USUAL_STACK;
    return p->threads * stack + (plan_memory_uses("/libopenblas") ? BLAS_BYTES : 0);
}

static uint64_t left(void)
{
    uint64_t limit = process_memory_limit(), used = process_memory_mapped();
    return used < limit ? limit - used : 0;
}

void plan_limit_check(const struct plan *p, const struct graph *g, struct diag *d)
{
    char all[BYTE_SIZE_TEXT], copies[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    uint64_t more = p->bytes - p->process_bytes + certain_bytes(p);
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

const char *plan_limit_fault(const struct plan *p, struct arena *a)
{
    char all[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    uint64_t more = certain_bytes(p);
    if (process_memory_limit() == UINT64_MAX || more <= left()) return NULL;
    return arena_printf(a,
                        "there is not enough memory for stacks and work of libraries, %s: %s, or "
                        "lower max_features, budgets, batch_bytes or batch_rows",
                        byte_size(more, all), memory_cure(cure));
}
