/* subject.c -- see subject.h. */
#include "subject.h"

#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "host/plugin/call_status.h"
#include "host/plugin/params.h"
#include "records.h"
#include "trial.h"

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
    if (s->stage->online) return "it needs a server: give a SCRIPT that uses it";
    for (uint32_t i = 0; outside && i < s->stage->n_params; i++) {
        const struct leat_param *p = harness_param(s->stage, i);
        if (!subject_is_text(p) || p->type == LEAT_STRINGS || !(p->flags & LEAT_REQUIRED) ||
            p->flags & (LEAT_READS_FILE | LEAT_WRITES_FILE))
            continue;
        snprintf(why, sizeof why, "%s names what is outside: give a SCRIPT that uses it", p->name);
        return why;
    }
    return NULL;
}

/* ---- files ---- */

/* The parameter names one file, for reading or writing, instead of those of the example. */
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

/* "rows_{instance}" of a script: something of its own for each instance. */
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

static bool reads_made; /* a file that is made here */

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

/* nftw ends there. */
static int is_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return type == FTW_F;
}

bool subject_has_written(const struct subject *s, int instance)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%d", s->dir, instance);
    return nftw(path, is_file, 8, FTW_PHYS) == 1;
}

/* ---- input ---- */

/* As the stages before it in the script leave it. */
static bool take_schema(const struct subject *s, struct harness *h)
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

/* Bounds that records_add keeps. */
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

/* A header, where the parser asks for one. */
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
    struct harness_array *cfg = &h->impl->array[0]; /* the first that harness_of has made */
    mprotect(cfg->map, cfg->room, PROT_READ);
    cfg->name = "what it may write: cfg is only read";
}

struct harness *subject_try(const struct subject *s, const char **why)
{
    struct harness *h = harness_of(s->plugin, s->stage->name);
    trial_watches(h);
    if (s->cfg) memcpy(h->cfg, s->cfg, s->stage->cfg_size);
    name_files(s, h);
    bool given = s->node && s->stage->kind != LEAT_SOURCE && take_schema(s, h);
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
        trial_skips("no input that is made here suits it (%s); give a SCRIPT that uses it", why);
    return h;
}

void subject_fails(const struct harness *h, const char *call, int status)
{
    if (reads_made)
        trial_skips("it cannot take the file that is made here (%.*s); give a SCRIPT that uses it",
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
                   "%s returned %d after host->fail, which ends a run (%.*s): return what "
                   "host->fail returns, or reject the record",
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
