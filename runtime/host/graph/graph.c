/* graph.c -- implementation of graph.h. */
#include "graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "linalg.h"
#include "node_diag.h"
#include "pure_calls.h"
#include "core/report/answer_report.h"
#include "host/params/params.h"

static const char *const on_error_names[] = {"reject", "fail", NULL};
static const char *const linalg_names[] = {"own", "openblas", NULL};
static const char *const figures_names[] = {"none", "table", "jsonl", "csv", NULL};

#define OPTION(FIELD, TYPE, DEF, MIN, MAX, UNIT, DOC)                                              \
    {                                                                                              \
        .name = #FIELD, .type = TYPE, .offset = offsetof(struct options, FIELD), .def = DEF,       \
        .min = MIN, .max = MAX, .unit = UNIT, .doc = DOC                                           \
    }

static const struct leat_param option_params[] = {
    OPTION(batch_rows, LEAT_INT, "1024", 1, 65535, "records", "most records in a batch"),
    OPTION(batch_bytes, LEAT_SIZE, "256KiB", 4096, 1 << 28, "bytes",
           "a batch is full once it holds this much text"),
    OPTION(threads, LEAT_INT, "3", 1, 64, NULL,
           "1: one thread for everything; 2: the source has its own thread; 3: learners have "
           "one, too; more: the others are lanes of the stages between, as far as these may run "
           "in lanes and read no files"),
    OPTION(seed, LEAT_INT, "1", 0, 9e15, NULL,
           "each stage's seed is made of this and its id (up to a brace, so several settings "
           "of one learner share a seed)"),
    LEAT_PARAM(struct options, linalg, LEAT_CHOICE, .def = "own", .choices = linalg_names,
               .doc =
                   "who computes the products of matrices of learners: own code, with the same "
                   "bytes on every machine; or the library OpenBLAS, which may be faster in large "
                   "products, and whose results differ in their last digits with its version "
                   "and the processor"),
    LEAT_PARAM(struct options, on_error, LEAT_CHOICE, .def = "reject", .choices = on_error_names,
               .doc = "a bad record is rejected and counted, or ends the run"),
    LEAT_PARAM(
        struct options, dead_letters, LEAT_PATH, .flags = LEAT_WRITES_FILE,
        .doc = "file for rejected records: JSON lines with place, stage, reason and the record; "
               "'-' is standard output"),
    OPTION(
        max_reject_ratio, LEAT_FLOAT, "0.25", 0, 1, NULL,
        "the run ends when more than this share of the records, or of the last 10,000, is "
        "rejected (from 1,000 records on; at the end of a shorter input, from 20 rejections on)"),
    OPTION(memory, LEAT_SIZE, NULL, 0, 1e15, "bytes",
           "leat does not start if the memory plan, an upper bound for the process, exceeds "
           "this; absent: no limit"),
    LEAT_PARAM(struct options, figures, LEAT_CHOICE, .def = "none", .choices = figures_names,
               .doc = "printed to standard output at the end, also under --quiet: a table of "
                      "the learners, best first, with a sentence on each difference; or a line "
                      "for each learner with all its figures"),
    LEAT_PARAM(struct options, progress_table, LEAT_BOOL, .flags = LEAT_OPERATIONAL, .def = "true",
               .doc = "print the figures of predictions to standard error while the run "
                      "learns, unless it is quiet; false: only with --progress always, for "
                      "pipelines whose answer is not a prediction"),
    LEAT_PARAM(struct options, asked, LEAT_STRING, .flags = LEAT_OPERATIONAL,
               .doc = "the question of this run in a few words, such as \"Predicted: price\": it "
                      "heads a report, with a count of records from a stage or from the labels of "
                      "the first learner"),
    LEAT_PARAM(
        struct options, counted, LEAT_STRING, .flags = LEAT_OPERATIONAL, .only_with = "asked",
        .doc =
            "the question with its counts, as a sentence, such as \"{positives} have ms > 60\" or "
            "\"{model.tokens} tokens make {model.pairs} pairs\": it stands in place of `asked`. "
            "{positives} is the number of records with a label above 0, {threshold} that of the "
            "label stage, {id.figure} a figure of a stage. A part between commas is left out if "
            "its figure is unknown"),
    LEAT_PARAM(
        struct options, answered, LEAT_STRING, .flags = LEAT_OPERATIONAL,
        .doc =
            "the answer as a sentence, such as \"{feature} has a rate of {rate %}\": it follows "
            "the question. A name is a column of the first row of the first answer. {last.NAME} "
            "is of the last row, {rows} their number, such as \"all 12\", or \"the first 200\" if "
            "there may be more; {best} is the learner that errs least, {best.NAME} a figure of "
            "it. {NAME %} is a share, {exp NAME} a power of e"),
};

const struct leat_stage graph_options = {
    .name = "pipeline",
    .summary = "options of the pipeline as a whole",
    .example =
        "return leat.pipeline \"name\" { stage, stage, seed = 7, dead_letters = \"bad.jsonl\" }",
    LEAT_PARAMS(option_params, struct options)};

static const char *const common_keys[] = {"id", "lanes", "was"};
/* MAX_ID: most bytes of an id, which is part of the name of a snapshot's section. */
enum { N_COMMON = 3, MAX_ID = 200 };

static void find_type(struct graph *g, struct node *n, struct registry *known, struct diag *d)
{
    const struct stage_type *type = registry_find(known, n->name);
    n->type = type;
    n->stage = type ? type->stage : NULL;
    if (!type && !n->reported)
        diag_add(d, DIAG_ERROR, n->at, NULL, NULL, "%s",
                 registry_missing(known, n->name, g->arena));
}

/* True if s is a valid name. Names appear unchanged in JSON, messages and metrics, so they must be
 * UTF-8 without control characters. */
static bool graph_is_name(const char *s)
{
    for (const unsigned char *p = (const unsigned char *)s; *p; p++)
        if (*p < ' ' || *p == 127) return false;
    json_t *text = json_string(s); /* NULL if s is not UTF-8 */
    json_decref(text);
    return text && *s;
}

static void graph_take_name(const struct node *n, const struct setting *s, const char **to,
                            struct diag *d)
{
    if (s->value.type != VALUE_TEXT || !graph_is_name(s->value.text))
        diag_add(d, DIAG_ERROR, n->at, n->name, s->key,
                 "%s must be a name in quotes, of printable characters (UTF-8)", s->key);
    else if (strlen(s->value.text) > MAX_ID)
        diag_add(d, DIAG_ERROR, n->at, n->name, s->key, "%s is longer than %d bytes", s->key,
                 MAX_ID);
    else
        *to = s->value.text;
}

/* Takes the host's own parameters out of the settings: id, was and lanes. n->lanes is 0 if the
 * script does not set it. */
static void take_common(struct node *n, struct diag *d)
{
    size_t kept = 0;
    n->lanes = 0;
    for (size_t i = 0; i < n->n_settings; i++) {
        struct setting s = n->settings[i];
        if (s.key && (!strcmp(s.key, "id") || !strcmp(s.key, "was"))) {
            graph_take_name(n, &s, *s.key == 'i' ? &n->id : &n->was, d);
        } else if (s.key && !strcmp(s.key, "lanes")) {
            char *end = "";
            long v = s.value.type == VALUE_INT    ? (long)s.value.integer
                     : s.value.type == VALUE_TEXT ? strtol(s.value.text, &end, 10)
                                                  : 0;
            if (*end) v = 0;
            if (v < 1 || v > GRAPH_MAX_LANES)
                diag_add(d, DIAG_ERROR, n->at, n->name, "lanes",
                         "lanes must be a number from 1 to %d", GRAPH_MAX_LANES);
            else
                n->lanes = (int)v;
        } else {
            n->settings[kept++] = s;
        }
    }
    n->n_settings = kept;
}

/* Sets the nodes' ids and labels. A stage without an id gets the last part of its type as its id:
 * "awm", then "awm2", … */
static void name_nodes(struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        for (uint32_t j = 0; j < i && n->id; j++)
            if (g->node[j].id && !strcmp(g->node[j].id, n->id))
                diag_add(d, DIAG_ERROR, n->at, n->name, "id",
                         "id '%s' belongs to the stage in line %d already; ids must differ", n->id,
                         g->node[j].at.line);
    }
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        const char *dot = strchr(n->name, '.');
        const char *base = dot ? dot + 1 : n->name;
        for (int k = 1; !n->id; k++) {
            const char *id = k == 1 ? base : arena_printf(g->arena, "%s%d", base, k);
            if (!graph_find(g, id)) n->id = id;
        }
        n->label = arena_printf(g->arena, "%s (%s)", n->id, n->name);
    }
}

const char *graph_first_id(const struct node *n) { return n->was ? n->was : n->id; }

/* Checks that at most one stage continues the state of each earlier stage (`was`). */
static void check_was(const struct graph *g, const struct node *n, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes && n->was; i++) {
        const struct node *other = &g->node[i];
        if (!strcmp(other->id, n->was))
            node_error(
                d, n, "was",
                "parameter was = \"%s\": the pipeline has a stage with this id, which keeps its "
                "own state: remove was, or rename that stage",
                n->was);
        else if (other->was && other->index < n->index && !strcmp(other->was, n->was))
            node_error(d, n, "was",
                       "parameter was = \"%s\": %s takes over this state already: "
                       "remove one of the two",
                       n->was, other->label);
    }
}

static void check_lanes(const struct node *n, struct diag *d)
{
    if (n->lanes > 1 && n->stage && !(n->stage->caps & LEAT_PARALLEL))
        node_error(d, n, "lanes",
                   "lanes = %d: %s depends on the order of records, so it cannot run in lanes",
                   n->lanes, n->name);
}

struct graph_place {
    const struct graph *graph;
    const struct node *node;
};

/* Returns the label of another stage in the pipeline that has parameter `key`; NULL if there is
 * none. */
static const char *taker_of(const void *of, const char *key)
{
    const struct graph_place *at = of;
    for (uint32_t i = 0; i < at->graph->n_nodes; i++) {
        const struct leat_stage *s = at->graph->node[i].stage;
        for (uint32_t k = 0; s && s != at->node->stage && k < s->n_params; k++)
            if (!strcmp(s->params[k].name, key)) return at->graph->node[i].label;
    }
    return NULL;
}

void graph_configure(struct graph *g, struct node *n, struct diag *d)
{
    if (!n->stage) return;
    n->cfg = arena_alloc(g->arena, n->stage->cfg_size + 1);
    const struct graph_place place = {g, n};
    struct param_scope scope = {.diag = d,
                                .at = n->at,
                                .stage = n->label,
                                .also = common_keys,
                                .n_also = N_COMMON,
                                .missing = n->not_given,
                                .taker = taker_of,
                                .of = &place,
                                .whole = n->whole,
                                .lenient = n->stage->kind == LEAT_SOURCE};
    struct diag unheard = {.arena = g->arena}; /* of a number that the script has not set */
    int filled = params_fill(n->stage, n->settings, n->n_settings, n->cfg, g->arena, &scope);
    if (filled < 0) return;
    if (filled == LEAT_LATER) d = &unheard;
    size_t before = d->errors;
    struct node_diag problems = node_diag_of(d, n);
    int status = n->stage->validate ? pure_validate(n, &problems.base) : LEAT_OK;
    if (status < 0 && d->errors == before)
        node_error(d, n, NULL, "the stage refuses its parameters");
    pure_is_kept(d, n, "validate", status, before);
    n->configured = d->errors == before;
}

static void wire(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        g->node[i].in = arena_alloc(g->arena, (g->n_edges + 1) * sizeof(uint32_t));
        g->node[i].out = arena_alloc(g->arena, (g->n_edges + 1) * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < g->n_edges; i++) {
        struct node *from = &g->node[g->edge[i].from], *to = &g->node[g->edge[i].to];
        from->out[from->n_out++] = i;
        to->in[to->n_in++] = i;
    }
}

/* Inserts a tee after each stage that feeds several others. A stage does so if leat.from() names it
 * although it already has a successor. */
static void insert_tees(struct graph *g)
{
    uint32_t n = g->n_nodes, add = 0;
    uint32_t *outs = arena_alloc(g->arena, (n + 1) * sizeof *outs);
    for (uint32_t i = 0; i < g->n_edges; i++)
        if (++outs[g->edge[i].from] == 2 && g->node[g->edge[i].from].kind != NODE_TEE &&
            g->node[g->edge[i].from].kind != NODE_ROUTE)
            add++;
    if (!add) return;
    struct node *node = arena_alloc(g->arena, (n + add) * sizeof *node);
    struct edge *edge = arena_alloc(g->arena, (g->n_edges + add) * sizeof *edge);
    memcpy(node, g->node, n * sizeof *node);
    memcpy(edge, g->edge, g->n_edges * sizeof *edge);
    uint32_t n_edges = g->n_edges;
    for (uint32_t i = 0; i < n; i++) {
        if (outs[i] < 2 || node[i].kind == NODE_TEE || node[i].kind == NODE_ROUTE) continue;
        uint32_t t = g->n_nodes++;
        node[t] = (struct node){
            .kind = NODE_TEE, .index = t, .name = "leat.tee", .at = node[i].at, .lanes = 1};
        for (uint32_t j = 0; j < g->n_edges; j++)
            if (edge[j].from == i) edge[j].from = t;
        edge[n_edges++] = (struct edge){.from = i, .to = t};
    }
    g->node = node;
    g->edge = edge;
    g->n_edges = n_edges;
}

static void check_ports(const struct node *n, struct diag *d)
{
    uint32_t kind = n->stage ? n->stage->kind : 0;
    if (n->kind == NODE_STAGE && !n->stage) return;
    if (kind == LEAT_SOURCE && n->n_in)
        node_error(d, n, NULL,
                   "a source cannot have a stage before it: join several sources with "
                   "leat.merge { { source, … }, { source, … } }");
    if (kind != LEAT_SOURCE && !n->n_in)
        node_error(d, n, NULL,
                   "no records reach this stage: put a source before it, and leave a branch of "
                   "a fork open (in a route, [\"*\"] = {} takes all other records)");
    if (n->kind == NODE_STAGE && n->n_in > 1)
        node_error(d, n, NULL, "%u streams reach this stage: put leat.merge() before it",
                   (unsigned)n->n_in);
    if (!n->n_out && kind != LEAT_SINK && kind != LEAT_LEARNER)
        node_error(
            d, n, NULL,
            "no stage takes its output: end with a sink (leat.sink.null {} discards records)");
}

/* Sorts the nodes into g->order: sources first, each node after its feeders. Nodes on a cycle, or
 * after one, stay out. */
static void sort_nodes(struct graph *g, struct diag *d)
{
    uint32_t *waits = arena_alloc(g->arena, (g->n_nodes + 1) * sizeof *waits), done = 0;
    g->order = arena_alloc(g->arena, (g->n_nodes + 1) * sizeof *g->order);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        waits[i] = g->node[i].n_in;
        if (!waits[i]) g->order[done++] = &g->node[i];
    }
    for (uint32_t k = 0; k < done; k++)
        for (uint32_t j = 0; j < g->order[k]->n_out; j++) {
            uint32_t to = g->edge[g->order[k]->out[j]].to;
            if (--waits[to] == 0) g->order[done++] = &g->node[to];
        }
    for (uint32_t i = 0; i < g->n_nodes && done < g->n_nodes; i++)
        if (waits[i])
            node_error(d, &g->node[i], NULL,
                       "the stage is in a cycle, or after one: a stage must not receive its "
                       "own output");
}

/* Returns the number of lanes after a source: the threads that are left by the sources and by the
 * learners, shared by all sources. */
static int lanes_of_threads(const struct graph *g)
{
    int sources = 0, lanes = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        sources += g->node[i].stage && g->node[i].stage->kind == LEAT_SOURCE;
    if (sources) lanes = ((int)g->options.threads - 1 - sources) / sources;
    return lanes > 1 ? lanes : 1;
}

/* True if each lane would read a file of its own, such as a table that it keeps. */
static bool lanes_read_files(const struct leat_stage *s)
{
    uint64_t flags = 0;
    for (uint32_t i = 0; i < s->n_params; i++)
        flags |= s->params[i].flags;
    return flags & LEAT_READS_FILE;
}

/* Sets the default number of lanes. A stage that can run in lanes keeps the lanes of the stage
 * before it, because merging them would only cost time. After a source it has those that the option
 * `threads` leaves, unless each would read a file. */
static void settle_default_lanes(const struct graph *g, struct node *n)
{
    const struct node *before = graph_before(g, n);
    n->lanes = 1;
    if (!n->stage || !(n->stage->caps & LEAT_PARALLEL) || !before || !before->stage) return;
    n->shares_threads = before->stage->kind == LEAT_SOURCE || before->shares_threads;
    if (!n->shares_threads)
        n->lanes = before->lanes;
    else if (!lanes_read_files(n->stage))
        n->lanes = before->shares_threads ? before->lanes : lanes_of_threads(g);
}

/* Sets the lanes of all nodes. Nodes that a cycle keeps out of g->order get one lane. */
static void settle_lanes(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes && g->order[i]; i++)
        if (!g->order[i]->lanes) settle_default_lanes(g, g->order[i]);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!g->node[i].lanes) g->node[i].lanes = 1;
}

/* True if a stage has an unknown type (reported elsewhere). That stage may be the wanted
 * learner. */
static bool has_unknown(const struct graph *g)
{
    bool found = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        found |= g->node[i].kind == NODE_STAGE && !g->node[i].stage;
    return found;
}

static void unknown_learner(struct graph *g, const struct node *n, struct diag *d)
{
    const char **ids = arena_alloc(g->arena, (g->n_nodes + 1) * sizeof *ids);
    size_t k = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && g->node[i].stage->kind == LEAT_LEARNER) ids[k++] = g->node[i].id;
    const char *near = diag_suggest(n->ask.of, ids, k);
    if (!near && k == 1) near = ids[0];
    node_error(d, n, "of", "of = \"%s\": no stage has this id%s%s%s", n->ask.of,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void unknown_column(struct graph *g, const struct node *n, const char *name,
                           const char *const *known, uint32_t n_known, struct diag *d)
{
    const char *near = diag_suggest(name, known, n_known), *list = known[0];
    for (uint32_t i = 1; i < n_known; i++)
        list = arena_printf(g->arena, "%s, %s", list, known[i]);
    node_error(d, n, "columns", "%s has no column '%s'%s%s%s (columns: %s)", n->asked->label, name,
               near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

/* Reports columns that the script requests and that the learner's answer does not have. */
static void check_columns(struct graph *g, const struct node *n, struct diag *d)
{
    const struct node *learner = n->asked;
    uint32_t all = 0;
    if (!n->ask.columns.n || !learner->configured || !learner->stage->learner->columns) return;
    const char *const *column = pure_columns(learner, &all);
    const char **known = arena_alloc(g->arena, (all + 1) * sizeof *known);
    uint32_t n_known = answer_report_names(column, all, known);
    for (uint32_t i = 0; i < n->ask.columns.n; i++) {
        const char *name = n->ask.columns.v[i];
        uint32_t k = 0;
        while (k < n_known && !answer_report_is(name, known[k]))
            k++;
        if (k == n_known) unknown_column(g, n, name, known, n_known, d);
    }
}

/* Returns the nearest learner before input i of n, or NULL. */
static struct node *learner_of_input(struct graph *g, const struct node *n, uint32_t i)
{
    struct node *before = &g->node[g->edge[n->in[i]].from];
    return before->stage && before->stage->kind == LEAT_LEARNER ? before
                                                                : graph_learner(g, before, NULL);
}

/* Returns the ids of the learners in the other branches of the merge before n, such as "wm, awm".
 * Returns "" if there are none, or if a learner follows the merge. */
static const char *other_learners(struct graph *g, const struct node *n)
{
    const char *ids = "";
    const struct node *asked = n->asked;
    while (n->n_in == 1 && n != asked)
        n = graph_before(g, n);
    for (uint32_t i = 1; i < n->n_in && n != asked; i++) {
        const struct node *other = learner_of_input(g, n, i);
        bool known = !other || other == asked;
        for (uint32_t j = 1; j < i; j++)
            known |= other == learner_of_input(g, n, j);
        if (!known) ids = arena_printf(g->arena, "%s%s%s", ids, *ids ? ", " : "", other->id);
    }
    return ids;
}

/* Warns that the answers are those of one of several learners, which the script did not choose. */
static void warn_of_others(struct graph *g, const struct node *n, struct diag *d)
{
    struct node_diag to = node_diag_of(d, n);
    const char *others = n->ask.of ? "" : other_learners(g, n);
    if (*others)
        to.base.warn(&to.base, "of",
                     "the answers are those of %s; the other learners are %s: give of = \"%s\", "
                     "or the id of another",
                     n->asked->id, others, n->asked->id);
}

static void find_asked(struct graph *g, struct node *n, struct diag *d)
{
    if (!n->configured || !n->stage->asker->ask) return;
    n->ask.size = sizeof n->ask;
    if (!pure_is_kept(d, n, "ask", pure_ask(n, &n->ask), d->errors)) return;
    n->asked = graph_learner(g, n, n->ask.of);
    if (n->asked && (n->asked->stage->learner->query || n->ask.kind == LEAT_QUERY_METRICS)) {
        check_columns(g, n, d);
        warn_of_others(g, n, d);
        return;
    }
    const struct node *named = n->ask.of ? graph_find(g, n->ask.of) : NULL;
    if (n->ask.of && !named)
        unknown_learner(g, n, d);
    else if (named && (named->stage || named->kind != NODE_STAGE))
        node_error(d, n, "of", "of = \"%s\" is not a learner: name one before this stage",
                   n->ask.of);
    else if (!named && !has_unknown(g))
        node_error(d, n, NULL,
                   "this stage asks a learner for its model, but there is no learner before it");
}

int graph_link(struct graph *g, struct registry *known, struct diag *d)
{
    struct param_scope scope = {.diag = d, .at = g->at, .stage = "pipeline"};
    params_fill(&graph_options, g->settings, g->n_settings, &g->options, g->arena, &scope);
    const char *lacks = linalg_choose(g->options.linalg, g->arena);
    if (lacks) diag_add(d, DIAG_ERROR, g->at, "pipeline", "linalg", "%s", lacks);
    if (!g->name || !graph_is_name(g->name))
        diag_add(d, DIAG_ERROR, g->at, "pipeline", NULL,
                 "the pipeline's name must consist of printable characters (UTF-8)");
    if (!g->n_nodes) diag_add(d, DIAG_ERROR, g->at, "pipeline", NULL, "the pipeline has no stages");
    insert_tees(g);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        take_common(&g->node[i], d);
    name_nodes(g, d);
    wire(g);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        if (n->kind == NODE_STAGE) {
            find_type(g, n, known, d);
            check_lanes(n, d);
            check_was(g, n, d);
            graph_configure(g, n, d);
        }
        check_ports(n, d);
    }
    sort_nodes(g, d);
    settle_lanes(g);
    for (uint32_t i = 0; i < g->n_nodes && !graph_has_cycle(g); i++)
        if (g->node[i].kind == NODE_STAGE) find_asked(g, &g->node[i], d);
    return d->errors ? LEAT_EARG : LEAT_OK;
}

bool graph_has_cycle(const struct graph *g)
{
    return !g->order || (g->n_nodes && !g->order[g->n_nodes - 1]);
}

struct node *graph_find(const struct graph *g, const char *id)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].id && !strcmp(g->node[i].id, id)) return &g->node[i];
    return NULL;
}

enum leat_score graph_score(const struct node *learner)
{
    bool makes = learner->stage->makes & LEAT_HAS_SCORE;
    return makes ? (enum leat_score)learner->schema_out.score : LEAT_SCORE_NONE;
}

struct node *graph_before(const struct graph *g, const struct node *n)
{
    return n->n_in ? &g->node[g->edge[n->in[0]].from] : NULL;
}

/* Searches all inputs, depth first. The search ends, because the graph has no cycles. */
struct node *graph_learner(const struct graph *g, const struct node *n, const char *of)
{
    for (uint32_t i = 0; i < n->n_in; i++) {
        struct node *before = &g->node[g->edge[n->in[i]].from];
        if (before->stage && before->stage->kind == LEAT_LEARNER &&
            (!of || !strcmp(before->id, of)))
            return before;
        struct node *found = graph_learner(g, before, of);
        if (found) return found;
    }
    return NULL;
}
