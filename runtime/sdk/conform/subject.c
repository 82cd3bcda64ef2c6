/* subject.c -- implementation of subject.h. */
#include "subject.h"

#include <ctype.h>
#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "host/exec/trial/peek.h"
#include "host/graph/negotiate/negotiate.h"
#include "host/plugin/abi.h"
#include "host/plugin/call_status.h"
#include "host/params/params.h"
#include "records.h"
#include "trial.h"

/* ---- a stage under test ---- */

enum { FILE_RECORDS = 300 };

bool subject_is_text(const struct leat_param *p)
{
    return p->type == LEAT_STRING || p->type == LEAT_PATH || p->type == LEAT_STRINGS;
}

const char *subject_not_run(const struct subject *s)
{
    static char why[300];
    bool outside = s->stage->kind == LEAT_SOURCE || s->stage->kind == LEAT_SINK;
    if (s->node || s->refused) return NULL;
    if (s->stage->online) return "it needs a server: give a SCRIPT that uses the stage";
    for (uint32_t i = 0; outside && i < s->stage->n_params; i++) {
        const struct leat_param *p = harness_param(s->stage, i);
        if (!subject_is_text(p) || p->type == LEAT_STRINGS || !(p->flags & LEAT_REQUIRED) ||
            p->flags & (LEAT_READS_FILE | LEAT_WRITES_FILE))
            continue;
        snprintf(why, sizeof why, "%s names something outside: give a SCRIPT that uses the stage",
                 p->name);
        return why;
    }
    return NULL;
}

/* ---- files ---- */

/* Sets a parameter to a single path, in place of the files in the example. */
static void name_file(struct harness *h, const struct leat_param *p, const char *path)
{
    char *at = (char *)h->cfg + p->offset;
    const char *text = harness_keep(h, path, strlen(path));
    const char **list = harness_room(h, sizeof *list);
    *list = text;
    const struct leat_strings one = {.v = list, .n = 1};
    if (p->type == LEAT_STRINGS)
        memcpy(at, &one, sizeof one);
    else
        memcpy(at, &text, sizeof text);
}

/* Replaces "{instance}" in a text of the script, such as "rows_{instance}", by a number that is
 * unique to this instance. */
static void name_target(struct harness *h, const struct leat_param *p)
{
    static const char mark[] = "{instance}";
    char own[4200];
    const char *text = params_text(p, h->cfg, 0), *at = text ? strstr(text, mark) : NULL;
    if (!at || p->type == LEAT_STRINGS) return;
    snprintf(own, sizeof own, "%.*s%d_%d%s", (int)(at - text), text, trial_number(),
             h->impl->instance, at + sizeof mark - 1);
    name_file(h, p, own);
}

static bool reads_made; /* true if the input file was made for this test */

const struct leat_param *subject_input(const struct subject *s)
{
    for (uint32_t i = 0; i < s->stage->n_params; i++) {
        const struct leat_param *p = harness_param(s->stage, i);
        if (!subject_is_text(p) || !(p->flags & LEAT_READS_FILE)) continue;
        if (s->cfg ? params_text(p, s->cfg, 0) != NULL : p->flags & LEAT_REQUIRED) return p;
    }
    return NULL;
}

static void name_files(const struct subject *s, struct harness *h)
{
    static int instances;
    char path[4200];
    snprintf(path, sizeof path, "%s/%d", s->dir,
             h->impl->instance = s->instance ? s->instance : ++instances);
    for (uint32_t i = 0; i < s->stage->n_params; i++) {
        const struct leat_param *p = harness_param(s->stage, i);
        if (!subject_is_text(p)) continue;
        if (s->node) name_target(h, p);
        bool given = params_text(p, h->cfg, 0) != NULL;
        if (p->flags & LEAT_WRITES_FILE && s->stage->kind == LEAT_SINK) {
            mkdir(path, 0700);
            snprintf(path, sizeof path, "%s/%d/%s", s->dir, h->impl->instance, p->name);
            name_file(h, p, path);
        } else if (s->input && p == subject_input(s)) {
            name_file(h, p, s->input);
            reads_made = true;
        } else if (p->flags & LEAT_READS_FILE && !s->node && (given || p->flags & LEAT_REQUIRED)) {
            snprintf(path, sizeof path, "%s/records.csv", s->dir);
            records_file(path, PLAIN, FILE_RECORDS);
            reads_made = true;
            name_file(h, p, path);
        }
    }
}

static FILE *written;

static int append_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    char part[4096];
    size_t n;
    FILE *f = type == FTW_F ? fopen(path, "re") : NULL;
    while (f && (n = fread(part, 1, sizeof part, f)) > 0)
        fwrite(part, 1, n, written);
    if (f) fclose(f);
    return 0;
}

char *subject_written(const struct subject *s, int instance, size_t *n)
{
    char path[4200], *text = NULL;
    snprintf(path, sizeof path, "%s/%d", s->dir, instance);
    written = open_memstream(&text, n);
    nftw(path, append_file, 8, FTW_PHYS);
    fclose(written);
    return text;
}

/* Callback for nftw: stops at the first file. */
static int subject_is_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return type == FTW_F;
}

bool subject_has_written(const struct subject *s, int instance)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%d", s->dir, instance);
    return nftw(path, subject_is_file, 8, FTW_PHYS) == 1;
}

/* ---- input ---- */

/* Copies the schema that earlier stages of the script produce. Returns false if it is unknown or
 * too large. */
static bool subject_take_schema(const struct subject *s, struct harness *h)
{
    const struct leat_schema *in = &s->node->schema_in;
    if (!s->node->has_schema || in->open || in->n_columns > HARNESS_COLUMNS ||
        in->n_fields > HARNESS_FIELDS)
        return false;
    h->in = *in;
    if (in->n_columns) memcpy(h->impl->in_column, in->column, in->n_columns * sizeof *in->column);
    if (in->n_fields) memcpy(h->impl->in_field, in->fields, in->n_fields * sizeof *in->fields);
    h->in.column = h->impl->in_column;
    h->in.fields = h->impl->in_field;
    return true;
}

/* Sets bounds in the input schema, which records_add() observes. */
static void bound_examples(struct harness *h, uint32_t examples)
{
    h->in.examples_per_record = examples;
    h->in.entries_per_record = h->in.parts_per_record = 8 * examples;
    h->in.entries_per_256_bytes = 0;
}

static void make_schema(const struct subject *s, struct harness *h)
{
    const struct leat_stage *stage = s->stage;
    uint32_t needs = stage->needs;
    if (stage->kind == LEAT_LEARNER) needs |= LEAT_HAS_EXAMPLES;
    if (stage->kind == LEAT_SINK && !stage->asker) needs |= LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL;
    if (needs & LEAT_HAS_SCORE) needs |= LEAT_HAS_EXAMPLES;
    if (needs & LEAT_HAS_EXAMPLES) needs |= LEAT_HAS_LABEL | LEAT_HAS_NAMES;
    harness_has(h, needs | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP);
    if (needs & LEAT_HAS_EXAMPLES) harness_field(h, "field");
    if (needs & LEAT_HAS_EXAMPLES) bound_examples(h, 1);
    if (needs & LEAT_HAS_SCORE) h->in.score = LEAT_SCORE_MARGIN;
    if (stage->kind == LEAT_SOURCE || stage->caps & LEAT_PARSER) return;
    harness_column(h, "alpha", LEAT_TEXT);
    harness_column(h, "beta", LEAT_NUMBER);
}

/* Sets a header if the parser asks for one. */
static void give_header(const struct subject *s, struct harness *h)
{
    static char header[] = "alpha,beta,gamma,delta";
    struct leat_framing f = {0};
    if (!(s->stage->caps & LEAT_PARSER) || !s->stage->framing) return;
    s->stage->framing(h->cfg, &f);
    if (!f.header) return;
    for (char *c = header; *c; c++)
        if (!isalpha((unsigned char)*c)) *c = f.delimiter ? f.delimiter : ',';
    h->in.header = s->samples.header ? s->samples.header : header;
    h->in.header_len = (uint32_t)strlen(h->in.header);
}

static void take_framing(const struct subject *s, struct harness *h)
{
    if (s->node) h->framing = s->node->framing;
    if (!s->node || s->stage->kind != LEAT_SOURCE) return;
    h->in.max_record_bytes = s->node->schema_in.max_record_bytes;
}

static void lock_cfg(struct harness *h)
{
    struct harness_array *cfg = &h->impl->array[0]; /* first array that harness_of() made */
    mprotect(cfg->map, cfg->room, PROT_READ);
    cfg->name = "what it may write: cfg is only read";
}

/* Makes a harness with the stage's configuration and input, without opening the stage. Each
 * instance writes its output files to a separate folder in s->dir. Returns NULL if the stage
 * accepts no input; *why is then the stage's message. */
static struct harness *subject_try(const struct subject *s, const char **why)
{
    struct harness *h = harness_of(s->plugin, s->stage->name);
    trial_watches(h);
    if (s->cfg) memcpy(h->cfg, s->cfg, s->stage->cfg_size);
    name_files(s, h);
    bool given = s->node && s->stage->kind != LEAT_SOURCE && subject_take_schema(s, h);
    if (!given) make_schema(s, h);
    give_header(s, h);
    take_framing(s, h);
    int errors = harness_discover(h);
    if (errors && h->in.has & LEAT_HAS_EXAMPLES && !given) {
        bound_examples(h, 2);
        errors = harness_discover(h);
    }
    if (!errors && s->locked) lock_cfg(h);
    if (!errors) return h;
    *why = strndup(h->said, strcspn(h->said, "\n"));
    return NULL;
}

struct harness *subject_new(const struct subject *s)
{
    const char *why;
    trial_step("negotiate");
    struct harness *h = subject_try(s, &why);
    if (!h)
        trial_skips("no input of this test suits it (%s): give a SCRIPT that uses the stage", why);
    return h;
}

void subject_fails(const struct harness *h, const char *call, int status)
{
    if (reads_made)
        trial_skips("it cannot read the file of this test (%.*s): give a SCRIPT that uses the "
                    "stage",
                    (int)strcspn(h->said, "\n"), h->said);
    trial_fails("%s returned %d: %s", call, status, h->said);
}

void subject_returned(struct harness *h, const char *call, int status)
{
    char why[300];
    if (status == LEAT_OK) return;
    if (!call_status_may_be(status, call, (struct call_status_of){.stopping = false}, why,
                            sizeof why))
        trial_fails("%s", why);
    trial_fails("%s returned %d: %s", call, status, h->said);
}

void subject_told(struct harness *h, const char *call, int status)
{
    if (status < 0 || !h->said[0]) return;
    harness_breach(h, BREACH_RETURNED,
                   "%s returned %d after host->fail (%.*s): return the status of host->fail, or "
                   "reject the record instead",
                   call, status, (int)strcspn(h->said, "\n"), h->said);
}

void subject_barrier(struct harness *h, uint64_t checkpoint)
{
    trial_step("barrier %llu", (unsigned long long)checkpoint);
    if (h->stage->barrier)
        subject_returned(h, "barrier", h->stage->barrier(&h->ctx, h->self, checkpoint));
}

struct harness *subject_open(const struct subject *s)
{
    struct harness *h = subject_new(s);
    trial_step("open");
    int status = harness_open(h, s->batch);
    if (status < 0) subject_fails(h, "open or start", status);
    return h;
}

void subject_close(struct harness *h)
{
    trial_step("stop and close");
    trial_forgets(h);
    harness_free(h);
}

bool subject_has_state(const struct subject *s)
{
    return s->stage->state->snapshot && s->stage->state->restore;
}

bool subject_merges(const struct subject *s)
{
    return subject_has_state(s) && s->stage->state->merge;
}

/* ---- the stages of a plugin ---- */

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

static const struct node *subject_node_of(const struct subjects *all, const char *stage)
{
    for (uint32_t i = 0; all->script.arena && i < all->script.n_nodes; i++) {
        const struct node *n = &all->script.node[i];
        if (n->stage && !strcmp(n->stage->name, stage)) return n;
    }
    return NULL;
}

/* ---- records of the script's source ---- */

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

/* Takes samples of records from the source, in a separate process because the source may crash. */
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
    return d->first ? d->first->text : "the stage is refused without a reason";
}

/* Sets the stage's configuration from its example. If the example is wrong, sets s->refused to the
 * reason. */
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
    s->refused = "the script does not use the stage";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        struct diag own = {.arena = &all->arena}; /* collects only the problems of this stage */
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
        plain_text_line(stderr, "leat: %s: %s", o->file,
                        why ? why : "this file is not a plugin of leat");
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
        s->node = subject_node_of(all, s->stage->name);
        s->node ? take_script(all, s) : take_example(all, o, known, s);
    }
    return LEAT_OK;
}

void subjects_free(struct subjects *all) { arena_free(&all->arena); }
