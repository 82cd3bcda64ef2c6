/* log_levels.c -- see log_levels.h. */
#include "log_levels.h"

#include <string.h>

#include "host/log/log.h"
#include "host/graph/graph.h"

void log_levels_check(const struct graph *g)
{
    const char *id;
    size_t n;
    for (size_t i = 0; (id = log_stage_given(i, &n)); i++) {
        bool known = false;
        for (uint32_t k = 0; k < g->n_nodes; k++)
            known |= strlen(g->node[k].id) == n && !memcmp(g->node[k].id, id, n);
        if (!known)
            log_message(LEAT_WARN,
                        "--log-level: the pipeline has no stage '%.*s'; `leat graph` shows all",
                        (int)n, id);
    }
}
