/* output_conflicts.c -- see output_conflicts.h. */
#include "output_conflicts.h"

#include <string.h>
#include <sys/stat.h>

struct output {
    const struct node *node; /* NULL: the dead letters */
    const char *param, *path;
};

/* The next output after (node i, parameter k), which it advances; false after the last one. The
 * pipeline's own output comes last, as of node n_nodes. */
static bool next_output(const struct graph *g, uint32_t *i, uint32_t *k, struct output *out)
{
    for (; *i < g->n_nodes; ++*i, *k = 0) {
        const struct node *n = &g->node[*i];
        if (!n->configured || n->stage->kind != LEAT_SINK) continue;
        while (*k < n->stage->n_params) {
            const struct leat_param *p = &n->stage->params[(*k)++];
            if (p->type != LEAT_PATH) continue;
            const char *path;
            memcpy(&path, (const char *)n->cfg + p->offset, sizeof path);
            if (!path || !*path || !strcmp(path, "-")) continue;
            *out = (struct output){n, p->name, path};
            return true;
        }
    }
    const char *dead_letters = g->options.dead_letters;
    if (*i > g->n_nodes || !dead_letters || !*dead_letters) return false;
    ++*i;
    *out = (struct output){NULL, "dead_letters", dead_letters};
    return true;
}

static const char *owner(const struct output *o) { return o->node ? o->node->label : "pipeline"; }

void output_conflicts_check(const struct graph *g, struct diag *d)
{
    struct output a, b;
    for (uint32_t i = 0, k = 0; next_output(g, &i, &k, &a);)
        for (uint32_t j = i, l = k; next_output(g, &j, &l, &b);)
            if (!strcmp(a.path, b.path) && strncmp(a.path, "/dev/", 5))
                diag_add(d, DIAG_ERROR, b.node ? b.node->at : g->at, owner(&b), b.param,
                         "%s = \"%s\" is also written by %s: each output needs a file of its own",
                         b.param, b.path, owner(&a));
}

static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return !stat(path, &b) && S_ISREG(b.st_mode) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

static int check_inputs(struct run *r, const struct output *o)
{
    struct stat about;
    if (stat(o->path, &about) || !S_ISREG(about.st_mode)) return LEAT_OK;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        const struct instance *s = run_instance(r, n, 0);
        for (uint32_t k = 0; k < s->n_inputs; k++)
            if (s->input[k] && is_same_file(&about, s->input[k]))
                return run_fail(r, LEAT_EARG,
                                "%s: %s = \"%s\" is also an input of %s and would be overwritten",
                                owner(o), o->param, o->path, n->label);
    }
    return LEAT_OK;
}

int output_conflicts_spare_inputs(struct run *r)
{
    struct output o;
    int status = LEAT_OK;
    for (uint32_t i = 0, k = 0; status == LEAT_OK && next_output(r->graph, &i, &k, &o);)
        status = check_inputs(r, &o);
    return status;
}
