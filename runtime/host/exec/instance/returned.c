/* returned.c -- see returned.h. */
#include "returned.h"

#include "host/plugin/call_status.h"
#include "host/exec/run.h"
#include "instance.h"

int returned(struct instance *i, const char *call, int status)
{
    char why[300];
    if (status <= 0) return status;
    const struct call_status_of of = {.source = i->node->stage->kind == LEAT_SOURCE,
                                      .stopping = atomic_load(&i->run->stopping)};
    if (call_status_may_be(status, call, of, why, sizeof why)) return status;
    return run_fail(i->run, LEAT_EDATA, "%s: %s", i->node->label, why);
}
