/* subjects.c -- see subjects.h. */
#include "subjects.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "host/exec/trial/peek.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/plugin/abi.h"

enum { SAMPLES = 256, SAMPLE_SECONDS = 20 };

/* ---- a script ---- */

static int read_script(struct subjects *all, const struct conform_options *o,
                       struct registry *known)
{
    struct graph *g = &all->script;
    struct diag *d = &all->diag;
    g->arena = &all->arena;
    if (lua_build(o->script, o->args, o->n_args, o->lua_dir, known, o->beginning, g, d) ==
            LEAT_OK &&
        graph_link(g, known, d) == LEAT_OK && !graph_has_cycle(g)) {
        struct diag draft = {.arena = &all->arena};
        negotiate(g, &draft);
        peek_headers(g, d);
        negotiate(g, d);
    }
    diag_print(d, stderr);
    return d->errors ? LEAT_EARG : LEAT_OK;
}

static const struct node *node_of(const struct subjects *all, const char *stage)
{
    for (uint32_t i = 0; all->script.arena && i < all->script.n_nodes; i++) {
        const struct node *n = &all->script.node[i];
        if (n->stage && !strcmp(n->stage->name, stage)) return n;
    }
    return NULL;
}

/* ---- records of its source ---- */

static void write_samples(const struct node *source, FILE *out)
{
    struct harness *h = harness_of(source->type->plugin, source->stage->name);
    uint32_t n = 0;
    memcpy(h->cfg, source->cfg, source->stage->cfg_size);
    h->framing = source->framing;
    if (harness_negotiate(h) || harness_open(h, 16) < 0) return;
    int status = LEAT_OK;
    fprintf(out, "%u\n", h->out.header_len);
    fwrite(h->out.header, 1, h->out.header_len, out);
    while (status == LEAT_OK && n < SAMPLES) {
        status = harness_produce(h);
        for (uint32_t r = 0; r < h->b.n && n < SAMPLES; r++, n++) {
            uint32_t len = h->b.raw[r].off == LEAT_NULL ? 0 : h->b.raw[r].len;
            fprintf(out, "%u\n", len);
            if (len) fwrite(leat_text(&h->b, h->b.raw[r]), 1, len, out);
        }
    }
    fflush(out);
}

static char *read_sample(struct subjects *all, FILE *in, uint32_t *len)
{
    if (fscanf(in, "%u", len) != 1 || getc(in) != '\n') return NULL;
    char *text = arena_alloc(&all->arena, *len + 1);
    text[*len] = 0;
    return fread(text, 1, *len, in) == *len ? text : NULL;
}

/* The source may do anything: it is asked in a process of its own. */
static void take_samples(struct subjects *all, const struct node *source, struct samples *s)
{
    const char *path = arena_printf(&all->arena, "%s/samples", all->dir);
    pid_t pid = fork();
    uint32_t len;
    if (pid == 0) {
        FILE *out = fopen(path, "we");
        alarm(SAMPLE_SECONDS);
        if (out) write_samples(source, out);
        _exit(0);
    }
    if (pid > 0) waitpid(pid, NULL, 0);
    FILE *in = fopen(path, "re");
    if (!in) return;
    s->header = read_sample(all, in, &len);
    if (s->header && !len) s->header = NULL;
    s->text = arena_alloc(&all->arena, SAMPLES * sizeof *s->text);
    s->len = arena_alloc(&all->arena, SAMPLES * sizeof *s->len);
    while (s->n < SAMPLES && (s->text[s->n] = read_sample(all, in, &s->len[s->n])))
        s->n++;
    fclose(in);
}

static const struct node *source_of(const struct graph *g, const struct node *n)
{
    while (n && n->n_in)
        n = graph_before(g, n);
    return n;
}

/* ---- an example ---- */

static const char *example_script(struct subjects *all, const struct leat_stage *s)
{
    const char *path = arena_printf(&all->arena, "%s/%s.lua", all->dir, s->name);
    bool sourced = s->kind == LEAT_SOURCE || strstr(s->example, "leat.source.");
    FILE *out = fopen(path, "we");
    if (!out) return NULL;
    fprintf(out, "local leat = require \"leat\"\nreturn leat.pipeline \"example\" {\n%s%s\n}\n",
            sourced ? "" : "leat.source.null { records = 1, text = \"\" },\n", s->example);
    return fclose(out) ? NULL : path;
}

static const char *first_problem(const struct diag *d, const char *label)
{
    for (const struct problem *p = d->first; p; p = p->next)
        if (!label || (p->stage && !strcmp(p->stage, label))) return p->text;
    return d->first ? d->first->text : "it is refused without a reason";
}

/* Its configuration by its example, or why that is none. */
static void take_example(struct subjects *all, const struct conform_options *o,
                         struct registry *known, struct subject *s)
{
    struct graph *g = arena_alloc(&all->arena, sizeof *g);
    struct diag d = {.arena = &all->arena};
    *g = (struct graph){.arena = &all->arena};
    const char *script = s->stage->example ? example_script(all, s->stage) : NULL;
    if (!script) return;
    if (lua_build(script, NULL, 0, o->lua_dir, known, o->beginning, g, &d) != LEAT_OK) {
        s->refused = first_problem(&d, NULL);
        return;
    }
    graph_link(g, known, &d);
    s->refused = "it does not use the stage";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        struct diag own = {.arena = &all->arena}; /* without what the pipeline around it lacks */
        if (!n->stage || strcmp(n->stage->name, s->stage->name) != 0) continue;
        graph_configure(g, n, &own);
        s->refused = own.errors ? first_problem(&own, n->label) : NULL;
        if (n->configured) s->cfg = n->cfg;
        return;
    }
}

/* ---- all ---- */

static void take_script(struct subjects *all, struct subject *s)
{
    const struct node *source = source_of(&all->script, s->node);
    s->cfg = s->node->cfg;
    if (s->stage->caps & LEAT_PARSER && source && source->stage)
        take_samples(all, source, &s->samples);
}

int subjects_make(struct subjects *all, const struct conform_options *o, struct registry *known,
                  const char *dir)
{
    const struct leat_plugin *adopted;
    *all = (struct subjects){.diag.arena = &all->arena, .dir = dir};
    const char *path = arena_printf(&all->arena, "%s%s", strchr(o->file, '/') ? "" : "./", o->file);
    void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    all->plugin = dl ? dlsym(dl, "leat_plugin") : NULL;
    if (!all->plugin || abi_adopt(all->plugin, 0, &all->arena, &adopted)) {
        const char *why = dl ? NULL : dlerror();
        plain_text_line(stderr, "leat: %s: %s", o->file, why ? why : "it is no plugin of leat");
        return LEAT_EARG;
    }
    if (o->script && read_script(all, o, known) != LEAT_OK) return LEAT_EARG;
    all->n = adopted->n_stages;
    all->of = arena_alloc(&all->arena, all->n * sizeof *all->of);
    for (uint32_t i = 0; i < all->n; i++) {
        struct subject *s = &all->of[i];
        *s = (struct subject){
            .plugin = all->plugin, .stage = adopted->stages[i], .batch = 16, .seed = 1};
        if (o->stage && strcmp(o->stage, s->stage->name) != 0) continue;
        s->node = node_of(all, s->stage->name);
        s->node ? take_script(all, s) : take_example(all, o, known, s);
    }
    return LEAT_OK;
}

void subjects_free(struct subjects *all) { arena_free(&all->arena); }
