/* negotiate_framing.c -- see negotiate_framing.h. */
#include "negotiate_framing.h"

#include <string.h>

#include "host/graph/node_diag.h"
#include "host/graph/pure_calls.h"

static const struct {
    const char *name, *parsers;
} FRAMINGS[] = {
    [LEAT_LINES] = {"lines", "parse.lines"},
    [LEAT_CSV] = {"CSV records, whose quoted fields may have line ends", "parse.csv"},
    [LEAT_NUL_ENDED] = {"records that end with a zero byte", NULL},
    [LEAT_LENGTH_PREFIXED] = {"records that begin with their length", NULL},
    [LEAT_CHUNKS] = {"pieces of any length", NULL},
};
enum { N_FRAMINGS = sizeof FRAMINGS / sizeof *FRAMINGS };

/* "lines: use a parser of these, such as parse.lines, or another source", of what a source cuts. */
static const char *what_it_cuts(uint32_t framings, struct arena *a)
{
    for (uint32_t i = 0; i < N_FRAMINGS; i++)
        if (framings & LEAT_FRAMING(i) && FRAMINGS[i].parsers)
            return arena_printf(a, "%s: use a parser of these, such as %s, or another source",
                                FRAMINGS[i].name, FRAMINGS[i].parsers);
    return "no text into records: use another source, such as source.file";
}

/* Can the source cut what the parser wants? */
static void check_framing(struct graph *g, const struct node *source, const struct node *parser,
                          uint32_t kind, struct diag *d)
{
    uint32_t framings = source->stage->source->framings;
    if (kind < N_FRAMINGS && framings & LEAT_FRAMING(kind)) return;
    node_error(
        d, parser, NULL, "the parser wants %s, but %s (line %d) cuts %s",
        kind < N_FRAMINGS
            ? FRAMINGS[kind].name
            : arena_printf(g->arena, "framing %u, which this leat does not know", (unsigned)kind),
        source->label, source->at.line, what_it_cuts(framings, g->arena));
}

static void find_framing(struct graph *g, struct node *source, const struct node *n,
                         const struct node **parser, struct diag *d)
{
    if (n->stage && n->configured && (n->stage->caps & LEAT_PARSER) && n->stage->framing) {
        struct leat_framing f = {0};
        pure_is_kept(d, n, "framing", pure_framing(n, &f), d->errors);
        if (*parser && memcmp(&f, &source->framing, sizeof f))
            node_error(
                d, n, NULL,
                "this parser cuts the input differently from %s (line %d): give each its own "
                "source",
                (*parser)->label, (*parser)->at.line);
        check_framing(g, source, n, f.kind, d);
        source->framing = f;
        *parser = n;
        if (f.header && !source->stage->source->header) g->node[n->index].headerless = source;
        return;
    }
    for (uint32_t j = 0; j < n->n_out; j++)
        find_framing(g, source, &g->node[g->edge[n->out[j]].to], parser, d);
}

void negotiate_framing(struct graph *g, struct node *source, struct diag *d)
{
    const struct node *parser = NULL;
    find_framing(g, source, source, &parser, d);
}
