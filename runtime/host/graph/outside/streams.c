/* streams.c -- implementation of streams.h. */
#include "streams.h"

#include <string.h>

#include "core/text/stream_name.h"
#include "host/params/params.h"

static const struct leat_param *flagged(const struct node *n, uint32_t flag)
{
    for (uint32_t k = 0; k < n->stage->n_params; k++)
        if (n->stage->params[k].flags & flag) return &n->stage->params[k];
    return NULL;
}

/* Returns the value of parameter p that covers the stream `written`; NULL if none does. */
static const char *reading(const struct node *n, const struct leat_param *p, const char *written)
{
    const char *text;
    for (uint32_t i = 0; (text = params_text(p, n->cfg, i)); i++)
        if (stream_name_covers(text, written)) return text;
    return NULL;
}

static const char *streams_text_of(const struct node *n, uint32_t flag)
{
    const struct leat_param *p = flagged(n, flag);
    const char *text = p && p->type == LEAT_STRING ? params_text(p, n->cfg, 0) : NULL;
    return text ? text : "";
}

/* True if two comma-separated lists share an address. */
static bool meet(const char *a, const char *b)
{
    for (size_t n; *a; a += n) {
        a += strspn(a, ", ");
        n = strcspn(a, ", ");
        for (const char *at = b; n && (at = memmem(at, strlen(at), a, n)); at++)
            if ((at == b || strchr(", ", at[-1])) && strchr(", ", at[n])) return true;
    }
    return false;
}

static void check_stream(const struct graph *g, const struct node *sink, struct diag *d)
{
    const struct leat_param *to = flagged(sink, LEAT_STREAM);
    const char *name = streams_text_of(sink, LEAT_STREAM),
               *servers = streams_text_of(sink, LEAT_SERVERS);
    for (uint32_t i = 0; *name && i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->configured || n->stage->kind != LEAT_SOURCE) continue;
        const struct leat_param *from = flagged(n, LEAT_STREAM);
        const char *read = from ? reading(n, from, name) : NULL;
        if (read && meet(servers, streams_text_of(n, LEAT_SERVERS)))
            diag_add(d, DIAG_ERROR, sink->at, sink->label, to->name,
                     "\"%s\" is also read by %s%s%s%s, so the run would read its own output again "
                     "and again: write to another one",
                     name, n->label, *read == '^' ? " (\"" : "", *read == '^' ? read : "",
                     *read == '^' ? "\" matches it)" : "");
    }
}

void streams_check(const struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].configured && g->node[i].stage->kind == LEAT_SINK)
            check_stream(g, &g->node[i], d);
}
