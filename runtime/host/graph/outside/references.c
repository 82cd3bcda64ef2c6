/* references.c -- implementation of references.h. */
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "core/text/secret_text.h"
#include "host/params/params.h"

static void check_param(const struct node *n, const struct leat_param *p, struct diag *d)
{
    const char *text;
    char why[300];
    for (uint32_t k = 0; (text = params_text(p, n->cfg, k)); k++) {
        if (!secret_is_reference(text)) continue;
        char *expanded = secret_expand(text, why, sizeof why);
        size_t key = strcspn(text, "=$"); /* of a list of properties, key=value */
        bool has_key = text[key] == '=';
        if (!expanded)
            diag_add(d, DIAG_ERROR, n->at, n->label, p->name, "%s: %.*s%s%s", p->name,
                     has_key ? (int)key : 0, text, has_key ? ": " : "", why);
        free(expanded);
    }
}

void references_check(const struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        for (uint32_t k = 0; n->stage && n->configured && k < n->stage->n_params; k++)
            if (n->stage->params[k].flags & LEAT_REFERENCES)
                check_param(n, &n->stage->params[k], d);
    }
}
