/* model.c -- implementation of model.h: opens snapshots. */
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report/byte_size.h"
#include "core/text/plain_text.h"
#include "host/checkpoint/instance_state.h"
#include "host/checkpoint/splits.h"
#include "host/exec/plan/plan_memory.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/graph/fingerprint/free_change.h"
#include "host/graph/fingerprint/schema_json.h"
#include "host/graph/pure_calls.h"
#include "host/graph/stage_columns.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/memory/process_memory.h"
#include "host/plugin/abi.h"
#include "host/plugin/describe.h"
#include "host/params/param_type.h"
#include "host/store/snapshot_dir.h"

/* ---- opening a snapshot without its pipeline ---- */

int model_fail(struct model *m, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->fault, sizeof m->fault, format, args);
    va_end(args);
    log_message(LEAT_ERROR, "%s: %s", m->file, m->fault);
    return status;
}

/* Returns the bytes in the stage's plan, as of a split if the snapshot has splits. */
static uint64_t planned_bytes(const struct model *m, struct node *n)
{
    struct leat_plan p = {.size = sizeof p, .split = m->splits != NULL};
    bool planned = n->configured && n->stage->plan && pure_plan(n, &p) == LEAT_OK;
    return planned ? (uint64_t)n->lanes * (p.state_bytes + p.names_bytes + p.work_bytes) : 0;
}

static int model_lacks_memory(struct model *m, struct node *n)
{
    char size[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    return model_fail(m, LEAT_ENOMEM,
                      "there is not enough memory for the state of %s, which may take %s: %s",
                      n->label, byte_size(planned_bytes(m, n), size), memory_cure(cure));
}

static int refuse_memory(struct model *m, const struct run *r, struct node *n)
{
    char planned[BYTE_SIZE_TEXT], allowed[BYTE_SIZE_TEXT];
    return model_fail(m, LEAT_ENOMEM,
                      "%s may need %s by its parameters, and as much again to read its state; "
                      "all stages may take %s: --memory SIZE allows more",
                      n->label, byte_size(planned_bytes(m, n), planned),
                      byte_size(r->memory_max, allowed));
}

int model_tell(struct model *m, struct run *r, struct node *n, int status)
{
    if (n && r->memory_refused)
        refuse_memory(m, r, n);
    else if (n && status == LEAT_ENOMEM)
        model_lacks_memory(m, n);
    else
        model_fail(m, status, "%s", r->control.reason);
    r->memory_refused = false;
    atomic_store(&r->control.failed, 0);
    return status;
}

/* Prints the problems of parameters, and clears them. */
static int model_tell_problems(struct model *m)
{
    diag_print(&m->diag, stderr);
    snprintf(m->fault, sizeof m->fault, "the stage refuses its parameters");
    m->diag = (struct diag){.arena = &m->arena};
    return LEAT_EDATA;
}

/* ---- the snapshot file ---- */

static int read_directory(struct model *m, const char *path)
{
    char name[32];
    int status = snapshot_dir_newest(path, &m->from);
    if (status == LEAT_AGAIN)
        return model_fail(m, LEAT_EDATA,
                          "this folder has no snapshot: give the folder of --state, or a file "
                          "in it");
    if (status == LEAT_ENOMEM || status == LEAT_EIO) return status;
    if (status != LEAT_OK) return model_fail(m, status, "this folder has no intact snapshot");
    snapshot_dir_name(m->from.checkpoint, name);
    snprintf(m->file, sizeof m->file, "%.4096s/%s", path, name);
    return LEAT_OK;
}

/* Reads a snapshot. `listed`: path comes from a listing of a directory. If that file is gone,
 * because newer snapshots have replaced it, returns LEAT_AGAIN. */
static int model_read_file(struct model *m, const char *path, bool listed)
{
    snprintf(m->file, sizeof m->file, "%.4096s", path);
    int status = snapshot_read(&m->from, path);
    if (status == LEAT_EIO && listed && access(path, F_OK) && errno == ENOENT) return LEAT_AGAIN;
    if (status != LEAT_OK)
        log_message(LEAT_ERROR, "%s %s%s", m->file, m->from.error,
                    status == LEAT_EDATA ? ": give another snapshot, or its folder" : "");
    return status;
}

/* Reads the only snapshot of a pipe or of standard input. */
static int read_stream(struct model *m, const char *path)
{
    struct snapshot_stream in;
    void *bytes = NULL, *more = NULL;
    const char *name = NULL;
    size_t n;
    snprintf(m->file, sizeof m->file, "%.4096s", strcmp(path, "-") ? path : "standard input");
    int status = snapshot_stream_open(&in, path);
    if (status == LEAT_OK) status = snapshot_stream_next(&in, &bytes, &n, &name);
    const char *why = status == LEAT_OK ? NULL : in.error;
    if (status == LEAT_EOS)
        why = "is empty, and has no snapshot";
    else if (status == LEAT_OK && !bytes)
        why = "is no snapshot";
    else if (status == LEAT_OK && snapshot_stream_next(&in, &more, &(size_t){0}, &name) != LEAT_EOS)
        why = "has more than one snapshot: merge them first";
    free(more);
    if (why) {
        log_message(LEAT_ERROR, "%s %s", m->file, why);
        free(bytes);
        status = status == LEAT_OK || status == LEAT_EOS ? LEAT_EDATA : status;
    } else if ((status = snapshot_parse(&m->from, bytes, n)) != LEAT_OK) {
        log_message(LEAT_ERROR, "%s %s", m->file, m->from.error);
    }
    snapshot_stream_close(&in);
    return status;
}

static int read_snapshot(struct model *m, const char *path)
{
    struct stat st;
    if (!strcmp(path, "-")) return read_stream(m, path);
    if (stat(path, &st)) return model_read_file(m, path, false);
    if (!S_ISDIR(st.st_mode))
        return S_ISREG(st.st_mode) && !snapshot_file_is_text(path) ? model_read_file(m, path, false)
                                                                   : read_stream(m, path);
    snprintf(m->file, sizeof m->file, "%.4096s", path);
    return read_directory(m, path);
}

/* ---- nodes ---- */

static const char *member(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* Returns the stage's declaration in its plugin; NULL if no loaded plugin has the stage. */
static const struct leat_stage *declaration(const struct model *m, const struct node *n)
{
    const struct stage_type *known = m->known ? registry_find(m->known, n->name) : NULL;
    return known ? known->stage : NULL;
}

/* Makes a declaration for a stage that cannot be opened here. */
static const struct leat_stage *stand_in(struct model *m, const char *name, const char *kind)
{
    struct leat_stage *s = arena_alloc(&m->arena, sizeof *s);
    s->name = name;
    s->kind = !strcmp(kind, "source")    ? LEAT_SOURCE
              : !strcmp(kind, "learner") ? LEAT_LEARNER
              : !strcmp(kind, "sink")    ? LEAT_SINK
                                         : LEAT_TRANSFORM;
    abi_adopt_roles(s, &m->arena);
    return s;
}

static void take_settings(struct model *m, struct node *n, const json_t *parameters)
{
    const char *key;
    json_t *value;
    n->whole = true;
    n->settings = arena_alloc(&m->arena, (json_object_size(parameters) + 1) * sizeof *n->settings);
    json_object_foreach((json_t *)parameters, key, value)
    {
        const char *shown = json_string_value(value);
        if (shown)
            n->settings[n->n_settings++] =
                (struct setting){arena_strdup(&m->arena, key), param_unshow(shown, &m->arena)};
    }
}

static int take_schemas(struct model *m, struct node *n, const json_t *stage)
{
    const json_t *in = json_object_get(stage, "in"), *out = json_object_get(stage, "out");
    const char *wrong = schema_from_json(in, &m->arena, &n->schema_in);
    if (!wrong) wrong = schema_from_json(out, &m->arena, &n->schema_out);
    n->has_schema = in && out;
    if (!wrong) stage_columns_show_all(n, &m->arena);
    return wrong ? model_fail(m, LEAT_EDATA,
                              "section pipeline: %s: its schema has an impossible value: %s",
                              n->label, wrong)
                 : LEAT_OK;
}

/* Sets n->stage. The plugin's declaration decides whether the stage may be opened. The snapshot
 * does not decide it, because anybody may have made the snapshot. */
static int take_stage(struct model *m, struct node *n, const char *kind)
{
    const struct leat_stage *declared = declaration(m, n);
    if (declared && strcmp(describe_kind(declared), kind))
        return model_fail(m, LEAT_EDATA,
                          "section pipeline: %s: kind is %s in the snapshot; this stage is a %s",
                          n->label, kind, describe_kind(declared));
    if (model_can_open(m, n)) n->type = registry_find(m->known, n->name);
    n->stage = n->type ? n->type->stage : stand_in(m, n->name, kind);
    return LEAT_OK;
}

static int make_node(struct model *m, const json_t *stage, struct node *n)
{
    const char *id = member(stage, "id"), *name = member(stage, "stage"),
               *kind = member(stage, "kind");
    json_int_t lanes = json_integer_value(json_object_get(stage, "lanes"));
    if (!id || !name || !kind || lanes < 1 || lanes > 64)
        return model_fail(m, LEAT_EDATA,
                          "section pipeline: stage %u lacks id, stage, kind or lanes", n->index);
    n->kind = NODE_STAGE;
    n->id = id;
    n->was = member(stage, "was");
    n->name = name;
    n->label = arena_printf(&m->arena, "%s (%s)", id, name);
    n->at.file = m->file;
    n->lanes = (int)lanes;
    int status = take_schemas(m, n, stage);
    take_settings(m, n, json_object_get(stage, "parameters"));
    return status == LEAT_OK ? take_stage(m, n, kind) : status;
}

/* Returns the records that a source has read, by its section host/ID/LANE. */
static uint64_t records_of(const struct snapshot_section *host)
{
    struct state_reader r;
    uint64_t n = 0;
    if (state_reader_init(&r, host->bytes, host->n) == LEAT_OK) r.base.u64(&r.base, "in", &n);
    state_reader_free(&r);
    return n;
}

/* Sums up the records that the sources of a run have read. */
static uint64_t count_records(const struct model *m)
{
    size_t i;
    json_t *stage;
    uint64_t sum = 0;
    json_array_foreach(json_object_get(m->pipeline, "stages"), i, stage)
    {
        const char *id = member(stage, "id"), *kind = member(stage, "kind");
        char name[SNAPSHOT_NAME];
        if (!id || !kind || strcmp(kind, "source")) continue;
        snprintf(name, sizeof name, "host/%s/0", id);
        const struct snapshot_section *host = snapshot_find(&m->from, name);
        if (host) sum += records_of(host);
    }
    return sum;
}

/* Reads the sections `pipeline` and `splits`. */
static int read_pipeline(struct model *m)
{
    const struct snapshot_section *text = snapshot_find(&m->from, "pipeline");
    m->pipeline = text ? json_loadb(text->bytes, text->n, 0, NULL) : NULL;
    m->graph.name = member(m->pipeline, "pipeline");
    if (!m->graph.name || !json_is_array(json_object_get(m->pipeline, "stages")))
        return model_fail(m, LEAT_EDATA, "section pipeline %s",
                          text ? "cannot be read" : "is missing");
    m->splits = splits_read(&m->from);
    if (!m->splits && snapshot_find(&m->from, "splits"))
        return model_fail(m, LEAT_EDATA, "section splits cannot be read");
    m->own_records = count_records(m);
    m->records = m->own_records + splits_sum(m->splits, "records");
    return LEAT_OK;
}

static int make_graph(struct model *m)
{
    int read = read_pipeline(m);
    if (read != LEAT_OK) return read;
    if (m->learned) fingerprint_keep_learned(m->pipeline);
    const json_t *stages = json_object_get(m->pipeline, "stages");
    struct graph *g = &m->graph;
    g->n_nodes = (uint32_t)json_array_size(stages);
    g->node = arena_alloc(&m->arena, (g->n_nodes + 1) * sizeof *g->node);
    g->order = arena_alloc(&m->arena, (g->n_nodes + 1) * sizeof *g->order);
    g->options.seed = json_integer_value(json_object_get(m->pipeline, "seed"));
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        g->order[i] = &g->node[i];
        g->node[i].index = i;
        int status = make_node(m, json_array_get(stages, i), &g->node[i]);
        if (status != LEAT_OK) return status;
    }
    return LEAT_OK;
}

/* ---- instances ---- */

const struct snapshot_section *model_section(const struct model *m, const char *what,
                                             const struct node *n, int lane)
{
    char name[SNAPSHOT_NAME];
    snprintf(name, sizeof name, "%s/%s/%d", what, n->id, lane);
    return snapshot_find(&m->from, name);
}

/* Makes a query for each time of a next answer that the snapshot has. These queries only hold the
 * times; the learner never receives them. */
static void model_make_asks(struct model *m, struct instance *i)
{
    char field[32];
    struct state_reader r;
    uint64_t when;
    const struct snapshot_section *host = model_section(m, "host", i->node, (int)i->ctx.lane);
    if (!host) return;
    int status = state_reader_init(&r, host->bytes, host->n);
    i->learning.asks = arena_alloc(&m->arena, (r.n_fields + 1) * sizeof(struct ask *));
    for (; status == LEAT_OK; i->learning.n_asks++) {
        snprintf(field, sizeof field, "ask_%u", (unsigned)i->learning.n_asks);
        if (r.base.u64(&r.base, field, &when) != LEAT_OK) break;
        i->learning.asks[i->learning.n_asks] = arena_alloc(&m->arena, sizeof(struct ask));
    }
    state_reader_free(&r);
}

static int model_take_figures(struct model *m, struct node *n)
{
    int status = LEAT_OK;
    for (int lane = 0; lane < n->lanes && status == LEAT_OK; lane++) {
        struct instance *i = run_instance(&m->run, n, (uint32_t)lane);
        if (n->stage->kind == LEAT_LEARNER) {
            i->learning.progressive = instance_figures(n, &m->run.table);
            if (!i->learning.progressive)
                return model_fail(m, LEAT_ENOMEM, "there is not enough memory for the figures");
            model_make_asks(m, i);
        }
        status = instance_state_restore_host(i, &m->from, false);
    }
    return status == LEAT_OK ? status : model_tell(m, &m->run, n, status);
}

/* Parts of model_memory(), the default memory limit. There is a limit because the parameters in a
 * snapshot may demand any amount. Each section adds STORED times its size in the file, and WHOLE
 * times the size of its arrays with all zeros. FRESH is for stages without state, which reserve
 * more memory than they touch. */
static const uint64_t FRESH = UINT64_C(8) << 30;
enum { STORED = 16, WHOLE = 4 };

uint64_t model_memory(const struct snapshot *s)
{
    uint64_t bytes = FRESH;
    for (uint32_t i = 0; i < s->n; i++) {
        struct state_reader r;
        bytes += STORED * (uint64_t)s->section[i].n;
        if (strncmp(s->section[i].name, "stage/", 6)) continue;
        if (state_reader_init(&r, s->section[i].bytes, s->section[i].n) == LEAT_OK)
            bytes += WHOLE * state_reader_bytes(&r);
        state_reader_free(&r);
    }
    return bytes;
}

static void model_begin(struct model *m, struct registry *known, bool learned)
{
    *m = (struct model){.known = known, .learned = learned};
    m->diag.arena = m->graph.arena = &m->arena;
}

/* Makes the run of a snapshot. `status` is the result of reading the snapshot. */
static int make_run(struct model *m, int status, uint64_t memory)
{
    if (status == LEAT_OK) status = make_graph(m);
    if (status != LEAT_OK) m->graph.n_nodes = 0; /* an incomplete graph has no instances */
    run_init(&m->run, &m->graph);
    m->memory_given = memory > 0;
    m->run.memory_max = memory ? memory : model_memory(&m->from);
    if (status == LEAT_OK && (status = instance_state_run_read(&m->run, &m->from)) != LEAT_OK)
        model_tell(m, &m->run, NULL, status);
    for (uint32_t k = 0; k < m->graph.n_nodes && status == LEAT_OK; k++)
        status = model_take_figures(m, &m->graph.node[k]);
    return status;
}

static int open_bytes(struct model *m, const char *name, void *bytes, size_t n, uint64_t memory,
                      struct registry *known, bool learned)
{
    model_begin(m, known, learned);
    snprintf(m->file, sizeof m->file, "%.4096s", name);
    int status = snapshot_parse(&m->from, bytes, n);
    if (status != LEAT_OK) log_message(LEAT_ERROR, "%s %s", m->file, m->from.error);
    return make_run(m, status, memory);
}

int model_open(struct model *m, const char *path, uint64_t memory, struct registry *known)
{
    model_begin(m, known, false);
    return make_run(m, read_snapshot(m, path), memory);
}

/* Adds a split of what a run has learned, beside those that it began with. */
static void add_own_split(struct model *m)
{
    if (m->splits && !m->own_records) return;
    struct snapshot_section *section = calloc(m->graph.n_nodes + 1, sizeof *section);
    if (!section) memory_lost();
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const struct node *of = &m->graph.node[i];
        const struct snapshot_section *s = model_section(m, "stage", of, 0);
        if (s && of->stage->kind != LEAT_SINK) section[n++] = *s;
    }
    json_t *own = splits_one(NULL, m->own_records, 0, section, n);
    if (!m->splits) m->splits = json_array();
    splits_add(m->splits, own);
    json_decref(own);
    free(section);
}

int model_open_learned(struct model *m, const char *path, uint64_t memory, struct registry *known)
{
    model_begin(m, known, true);
    int status = make_run(m, read_snapshot(m, path), memory);
    if (status == LEAT_OK) add_own_split(m);
    return status;
}

int model_open_learned_bytes(struct model *m, const char *name, void *bytes, size_t n,
                             uint64_t memory, struct registry *known)
{
    int status = open_bytes(m, name, bytes, n, memory, known, true);
    if (status == LEAT_OK) add_own_split(m);
    return status;
}

int model_open_listed(struct model *m, const char *file, uint64_t memory, struct registry *known)
{
    model_begin(m, known, false);
    return make_run(m, model_read_file(m, file, true), memory);
}

int model_open_bytes(struct model *m, const char *name, void *bytes, size_t n, uint64_t memory,
                     struct registry *known)
{
    return open_bytes(m, name, bytes, n, memory, known, false);
}

void model_close(struct model *m)
{
    run_close(&m->run);
    snapshot_free(&m->from);
    json_decref(m->pipeline);
    json_decref(m->splits);
    arena_free(&m->arena);
}

/* ---- stages ---- */

const char *model_closed(const struct model *m, const struct node *n)
{
    const struct leat_stage *s = declaration(m, n);
    if (!s) return n->has_schema ? NULL : "no plugin has this stage";
    if (s->kind == LEAT_SOURCE) return "a source would open its inputs";
    if (s->kind == LEAT_SINK) return "a sink would open its outputs";
    if (!s->state->restore) return "the stage restores no state";
    if (!fingerprint_lives_alone(s)) return "its functions are in the script";
    return n->has_schema ? NULL : "the snapshot has no schema of this stage";
}

bool model_can_open(const struct model *m, const struct node *n) { return !model_closed(m, n); }

/* Configures a stage. A stage with a growing table reserves the table's largest size, but touches
 * only the stored part. A merge holds COPIES of that part: the model, the input being read, and
 * their merge. */
static void configure(struct model *m, struct node *n)
{
    enum { COPIES = 3 };
    graph_configure(&m->graph, n, &m->diag);
    if (n->configured && !m->memory_given) m->run.memory_max += COPIES * plan_memory_usual(n);
}

int model_open_stage(struct model *m, struct node *n)
{
    const char *closed = model_closed(m, n);
    if (closed)
        return model_fail(m, LEAT_EARG, "%s: the stage cannot be opened: %s", n->label, closed);
    if (!n->type)
        return model_fail(m, LEAT_EARG, "%s: %s; give --plugin-path DIR if its plugin is elsewhere",
                          n->label, registry_missing(m->known, n->name, &m->arena));
    if (!n->configured) configure(m, n);
    if (!n->configured) return model_tell_problems(m);
    if (n->stage->needs & ~n->schema_in.has)
        return model_fail(m, LEAT_EDATA,
                          "section pipeline: %s: its input schema lacks what the stage needs",
                          n->label);
    for (int lane = 0; lane < n->lanes; lane++)
        run_instance(&m->run, n, (uint32_t)lane)->ctx.cfg = n->cfg;
    int status = run_open_stage(&m->run, n);
    return status == LEAT_OK ? status : model_tell(m, &m->run, n, status);
}

int model_restore_stage(struct model *m, struct node *n)
{
    int status = model_open_stage(m, n);
    if (status != LEAT_OK) return status;
    for (int lane = 0; lane < n->lanes && status == LEAT_OK; lane++)
        status = instance_state_restore_stage(run_instance(&m->run, n, (uint32_t)lane), &m->from);
    return status == LEAT_OK ? status : model_tell(m, &m->run, n, status);
}

struct node *model_find(struct model *m, const char *id)
{
    struct node *n = graph_find(&m->graph, id);
    const char *all = "none";
    for (uint32_t i = 0; i < m->graph.n_nodes; i++)
        all = i ? arena_printf(&m->arena, "%s, %s", all, m->graph.node[i].id) : m->graph.node[i].id;
    if (!n) model_fail(m, LEAT_EARG, "the snapshot has no stage %s; its stages are %s", id, all);
    return n;
}

uint64_t model_examples(const struct model *m, const struct node *n)
{
    const struct instance *i = run_instance(&m->run, n, 0);
    return i->learning.progressive ? progressive_examples(i->learning.progressive) : 0;
}

int64_t model_time(const struct model *m, const struct node *n)
{
    return (int64_t)run_instance(&m->run, n, 0)->learning.time_end - 1;
}
