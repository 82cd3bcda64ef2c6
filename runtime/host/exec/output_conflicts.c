/* output_conflicts.c -- see output_conflicts.h. */
#include "output_conflicts.h"

#include <sys/stat.h>

#include "host/graph/outside/files.h"

static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return !stat(path, &b) && S_ISREG(b.st_mode) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

static int check_inputs(struct run *r, const struct file_use *o)
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
                                o->stage, o->param, o->path, n->label);
    }
    return LEAT_OK;
}

int output_conflicts_spare_inputs(struct run *r)
{
    struct file_cursor at = {0};
    struct file_use o;
    int status = LEAT_OK;
    while (status == LEAT_OK && files_next(r->graph, LEAT_WRITES_FILE, &at, &o))
        status = check_inputs(r, &o);
    return status;
}
