/* elements.c -- parse.elements: the elements of arrays in a JSON object as records.
 *
 *     {"a":[{"b":1,"c":[{"d":2},{"d":3}]}]}     each = a[*].c[*]   ->   {"d":2,"b":1} {"d":3,"b":1}
 *
 * A record is written as JSON: the members of the element, then those of the objects around it, the
 * inner ones first, without the members that lead to the element. It is never longer than the
 * record that it comes from. A record that does not fit into the batch is made in the next call,
 * which walks to it again. */
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "element_text.h"
#include "json/docs.h"
#include "json_index.h"
#include "kernels/text/json.h"
#include "kernels/text/json_path.h"

enum {
    RECORD_BYTES = 1 << 20, /* longest record if the source sets no limit */
    MAX_PATHS = 16,
    MAX_STEPS = 32,
    MAX_KEYS = 1024,            /* bytes of a path */
    ELEMENTS_BYTES = 256 << 20, /* text that may be made of any record …             */
    ELEMENTS_TIMES = 64         /* … or so many times its bytes, if that is more */
};

static const char *const elements_formats[] = {"paths", "otlp", NULL};
enum { PATHS, OTLP };

static const char *const elements_otlp[] = {
    "resourceLogs[*].scopeLogs[*].logRecords[*]",
    "resourceSpans[*].scopeSpans[*].spans[*]",
    "resourceMetrics[*].scopeMetrics[*].metrics[*].*.dataPoints[*]",
};

struct elements_cfg {
    struct leat_strings each;
    int32_t format, pairs;
};

struct elements_path {
    const char *text;
    uint32_t n;
    struct json_step step[MAX_STEPS];
    char keys[MAX_KEYS];
};

/* An object on the way to an element, and the key of its member on that way. */
struct elements_level {
    uint32_t object, key;
    uint32_t after;  /* next member; JSON_NO_TOKEN: none. Found once, not for each element */
    uint64_t around; /* while st->measures: bytes around the member, of the outer levels, too */
};

struct elements {
    struct json_index *index;
    struct json_paths none; /* json_read() with no paths checks a text */
    struct json_node root;
    struct elements_path *path;
    uint32_t n_paths;
    uint32_t max_bytes;
    uint32_t at;   /* next record of the incoming batch            */
    uint64_t made; /* elements of that record that were given before */

    /* Members of the record that is walked: */
    struct element_text w; /* the record, and where the text of an element goes */
    struct leat_batch *in, *out;
    uint32_t r;
    uint64_t passed; /* elements so far */
    bool empty;      /* an array on the way has no elements */
    bool measures;   /* elements are not made, but `bytes` adds them up, to at most `most` */
    uint64_t bytes, most;
    struct elements_level level[MAX_STEPS];
};

static const struct leat_param elements_params[] = {
    LEAT_PARAM(struct elements_cfg, each, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "path of the elements, such as Records[*] or a[*].b[*]; * stands for any key "
                      "with an object; a record may have one of several paths"),
    LEAT_PARAM(struct elements_cfg, format, LEAT_CHOICE, .def = "paths",
               .choices = elements_formats,
               .doc = "otlp: the log records, spans and data points of OpenTelemetry's JSON",
               .replaces = "each"),
    LEAT_PARAM(struct elements_cfg, pairs, LEAT_BOOL, .def = "false",
               .doc =
                   "make an object of each array of objects with `key` and `value`, and take the "
                   "values of OpenTelemetry ({\"intValue\":\"5\"}) out of theirs"),
};

/* ---- before the run ---- */

static const char *elements_path_at(const struct elements_cfg *cfg, uint32_t i)
{
    if (cfg->format == OTLP)
        return i < sizeof elements_otlp / sizeof *elements_otlp ? elements_otlp[i] : NULL;
    return i < cfg->each.n ? cfg->each.v[i] : NULL;
}

/* Reads a path. Returns NULL, or what is wrong with it. */
static const char *elements_read_path(struct elements_path *p, const char *text,
                                      struct json_path_fault *fault)
{
    size_t n = strlen(text);
    struct json_step step[MAX_KEYS];
    *fault = (struct json_path_fault){.why = NULL};
    if (n > MAX_KEYS) return "is longer than 1,024 bytes";
    p->text = text;
    p->n = json_path_read(text, (uint32_t)n, step, p->keys, fault);
    if (!p->n) return "is no path";
    if (p->n > MAX_STEPS) return "has more than 32 steps";
    if (step[p->n - 1].kind != JSON_ALL)
        return "must end in [*], as the path of the elements of an array does";
    memcpy(p->step, step, p->n * sizeof *step);
    return NULL;
}

static int elements_validate(const void *config, struct leat_diag *d)
{
    const struct elements_cfg *cfg = config;
    struct elements_path p;
    struct json_path_fault fault;
    const char *text = elements_path_at(cfg, 0);
    if (!text)
        d->error(d, "each", "is missing: give a path such as \"Records[*]\", or format = \"otlp\"");
    if (cfg->each.n > MAX_PATHS) d->error(d, "each", "has more than %d paths", MAX_PATHS);
    for (uint32_t i = 0; i < MAX_PATHS && (text = elements_path_at(cfg, i)); i++) {
        const char *why = elements_read_path(&p, text, &fault);
        if (why && fault.why)
            d->error(d, "each", "'%s' %s: at byte %u %s is expected", text, why,
                     (unsigned)fault.at + 1, fault.why);
        else if (why)
            d->error(d, "each", "'%s' %s", text, why);
    }
    return LEAT_OK;
}

static int elements_framing(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

static int elements_negotiate(const void *config, struct leat_negotiation *n)
{
    n->add_bounds(n, &(struct leat_bounds){.copies_text = 1, .added_bytes_per_record = 2});
    return LEAT_OK;
}

static uint32_t elements_max_bytes(const struct leat_schema *in)
{
    return in->max_record_bytes ? in->max_record_bytes : RECORD_BYTES;
}

static int elements_plan(const void *config, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes = json_index_bytes(elements_max_bytes(in)) +
                    MAX_PATHS * (uint64_t)sizeof(struct elements_path);
    return LEAT_OK;
}

static void elements_close(struct leat_ctx *ctx, void *self)
{
    struct elements *st = self;
    json_index_free(st->index);
    ctx->host->free(ctx, st->path);
}

static int elements_open(struct leat_ctx *ctx, void *self)
{
    const struct elements_cfg *cfg = ctx->cfg;
    struct elements *st = self;
    struct json_path_fault fault;
    const char *text;
    st->none = (struct json_paths){.node = &st->root, .n_nodes = 1};
    st->w.pairs = cfg->pairs || cfg->format == OTLP;
    st->max_bytes = elements_max_bytes(ctx->in);
    st->path = ctx->host->alloc(ctx, MAX_PATHS * sizeof *st->path);
    if (!st->path) return LEAT_ENOMEM;
    while (st->n_paths < MAX_PATHS && (text = elements_path_at(cfg, st->n_paths)))
        elements_read_path(&st->path[st->n_paths++], text, &fault);
    st->index = json_index_new(st->max_bytes);
    if (st->index) return LEAT_OK;
    elements_close(ctx, st);
    return LEAT_ENOMEM;
}

/* True if a path begins with this key of the whole record: such members lead to other elements. */
static bool elements_leads(const struct elements *st, uint32_t key)
{
    for (uint32_t i = 0; i < st->n_paths; i++)
        if (element_is(&st->w, key, st->path[i].step[0].key, st->path[i].step[0].len)) return true;
    return false;
}

/* Writes the members of an object, without the one that leads to the element. `but`: the object's
 * level; NULL: all members. */
static void elements_write_members(struct elements *st, uint32_t object,
                                   const struct elements_level *but, char *before)
{
    uint32_t next;
    for (uint32_t k = element_first(&st->w, object); k != JSON_NO_TOKEN; k = next) {
        bool leads = but && k == but->key;
        next = leads ? but->after : element_next(&st->w, k + 2);
        if (leads || (!object && elements_leads(st, k))) continue;
        element_put(&st->w, before, 1);
        *before = ',';
        element_write_string(&st->w, k);
        element_put(&st->w, ":", 1);
        element_write(&st->w, k + 2);
    }
}

/* Writes the record of the element at `token`, which lies in `levels` objects. */
static void elements_write_record(struct elements *st, uint32_t token, uint32_t levels)
{
    char before = '{';
    uint32_t i = levels;
    if (element_kind(&st->w, token) == '{') {
        elements_write_members(st, token, NULL, &before);
    } else {
        element_put(&st->w, "{", 1);
        element_write_string(&st->w, st->level[levels - 1].key);
        element_put(&st->w, ":", 1);
        element_write(&st->w, token);
        before = ',';
    }
    while (i--)
        elements_write_members(st, st->level[i].object, &st->level[i], &before);
    if (before == '{') element_put(&st->w, "{", 1);
    element_put(&st->w, "}", 1);
}

/* ---- walking; functions return false if the batch is full ---- */

/* Returns the bytes of a value in the record. */
static uint64_t elements_span(const struct elements *st, uint32_t token)
{
    return st->w.text.at[json_after(&st->w.text, token)] - (uint64_t)st->w.text.at[token];
}

/* Adds the bytes of an element and of what surrounds it. Returns false if they are too many. */
static bool elements_measure(struct elements *st, uint32_t token, uint32_t levels)
{
    st->passed++;
    st->bytes += elements_span(st, token) + (levels ? st->level[levels - 1].around : 0);
    return st->bytes <= st->most;
}

/* Adds a record to the batch, with the key and the time of the incoming one. */
static bool elements_add(struct elements *st, uint32_t token, uint32_t levels)
{
    struct leat_batch *in = st->in, *out = st->out;
    bool again = out->n && out->from[out->n - 1] == st->r;
    struct leat_str key = in->key ? in->key[st->r] : (struct leat_str){0, LEAT_NULL};
    uint64_t room = (uint64_t)in->raw[st->r].len + 2 + (key.len == LEAT_NULL ? 0 : key.len);
    if (st->measures) return elements_measure(st, token, levels);
    if (st->passed++ < st->made) return true;
    if (out->n == out->cap || room > out->cap_bytes - out->n_bytes) return false;
    uint32_t off = out->n_bytes;
    st->w.to = out->bytes + off;
    elements_write_record(st, token, levels);
    out->n_bytes = (uint32_t)(st->w.to - out->bytes);
    uint32_t r = (uint32_t)leat_add_from(out, NULL, LEAT_NULL);
    out->raw[r] = (struct leat_str){off, out->n_bytes - off};
    out->from[r] = st->r;
    if (out->key) out->key[r] = again ? out->key[r - 1] : leat_copy_text(out, in, key);
    if (out->timestamp) out->timestamp[r] = in->timestamp ? in->timestamp[st->r] : -1;
    st->made++;
    return true;
}

static bool elements_walk(struct elements *st, uint32_t token, const struct elements_path *p,
                          uint32_t step, uint32_t levels);

/* Follows a path to the elements of an array. Another value is one element. */
static bool elements_walk_array(struct elements *st, uint32_t token, const struct elements_path *p,
                                uint32_t step, uint32_t levels)
{
    if (element_kind(&st->w, token) != '[') return elements_walk(st, token, p, step + 1, levels);
    uint32_t e = element_first(&st->w, token), k = 0;
    st->empty |= e == JSON_NO_TOKEN;
    for (; e != JSON_NO_TOKEN; e = element_next(&st->w, e), k++) {
        if (p->step[step].kind == JSON_ELEMENT && p->step[step].index != k) continue;
        if (!elements_walk(st, e, p, step + 1, levels)) return false;
    }
    return true;
}

static bool elements_walk_object(struct elements *st, uint32_t token, const struct elements_path *p,
                                 uint32_t step, uint32_t levels)
{
    const struct json_step *s = &p->step[step];
    bool any = s->len == 1 && *s->key == '*';
    if (element_kind(&st->w, token) != '{') return true;
    for (uint32_t k = element_first(&st->w, token); k != JSON_NO_TOKEN;
         k = element_next(&st->w, k + 2)) {
        if (any ? element_kind(&st->w, k + 2) != '{' : !element_is(&st->w, k, s->key, s->len))
            continue;
        uint64_t outer = levels ? st->level[levels - 1].around : 0;
        uint32_t next = element_next(&st->w, k + 2);
        st->level[levels] = (struct elements_level){token, k, next, outer};
        if (st->measures)
            st->level[levels].around += elements_span(st, token) - elements_span(st, k + 2);
        if (!elements_walk(st, k + 2, p, step + 1, levels + 1)) return false;
        if (!any) break;
    }
    return true;
}

static bool elements_walk(struct elements *st, uint32_t token, const struct elements_path *p,
                          uint32_t step, uint32_t levels)
{
    if (step == p->n) {
        st->empty |= element_kind(&st->w, token) == 'n';
        return element_kind(&st->w, token) == 'n' || elements_add(st, token, levels);
    }
    return p->step[step].kind == JSON_KEY ? elements_walk_object(st, token, p, step, levels)
                                          : elements_walk_array(st, token, p, step, levels);
}

/* Finds the tokens of record r. Returns false if it was rejected or filtered. */
static bool elements_index(struct leat_ctx *ctx, struct elements *st, uint32_t r)
{
    struct leat_batch *in = st->in;
    const uint32_t len = in->raw[r].len;
    uint32_t at = 0;
    st->w.text = (struct json_text){.text = leat_text(in, in->raw[r])};
    st->w.text.escapes = len && memchr(st->w.text.text, '\\', len);
    enum json_index_status status =
        len ? json_index_make(st->index, st->w.text.text, len, &st->w.text.at, &st->w.text.n)
            : JSON_INDEX_OK;
    enum json_fault fault =
        status == JSON_INDEX_OK ? json_read(&st->none, &st->w.text, &at) : JSON_UTF8;
    if (fault == JSON_BLANK) {
        leat_filter(in, r);
    } else if (status == JSON_INDEX_LONG) {
        ctx->host->reject(ctx, in, r, LEAT_R_TOO_LARGE,
                          "the record has %u bytes, but its source promised at most %u",
                          (unsigned)len, (unsigned)st->max_bytes);
    } else if (fault) {
        if (status != JSON_INDEX_OK) fault = json_check_strings(st->w.text.text, len, &at);
        ctx->host->reject(ctx, in, r, LEAT_R_SYNTAX, "byte %u is wrong: %s", (unsigned)at + 1,
                          json_fault_text(fault ? fault : JSON_UTF8));
    }
    return fault == JSON_OK;
}

/* Handles a record without elements. */
static void elements_none(struct leat_ctx *ctx, struct elements *st, uint32_t r)
{
    if (st->empty) {
        leat_filter(st->in, r);
        return;
    }
    ctx->host->reject(ctx, st->in, r, LEAT_R_FIELDS, "the record has nothing at %s%s",
                      st->path[0].text, st->n_paths > 1 ? ", nor at the other paths" : "");
}

/* Walks all paths. */
static bool elements_walk_all(struct elements *st)
{
    st->passed = 0;
    st->empty = false;
    for (uint32_t i = 0; i < st->n_paths; i++)
        if (!elements_walk(st, 0, &st->path[i], 0, 0)) return false;
    return true;
}

/* True if the elements, each with what surrounds it, are no more than may be made. Only records of
 * many tokens are measured. */
static bool elements_are_bounded(struct elements *st)
{
    const uint64_t len = st->in->raw[st->r].len;
    st->most = ELEMENTS_TIMES * len > ELEMENTS_BYTES ? ELEMENTS_TIMES * len : ELEMENTS_BYTES;
    if (st->made || st->w.text.n * len <= st->most) return true;
    st->bytes = 0;
    st->measures = true;
    bool bounded = elements_walk_all(st);
    st->measures = false;
    return bounded;
}

/* Makes the records of record r. Returns false if the batch is full. */
static bool elements_record(struct leat_ctx *ctx, struct elements *st, uint32_t r)
{
    st->r = r;
    if (!elements_index(ctx, st, r)) return true;
    if (!elements_are_bounded(st)) {
        ctx->host->reject(ctx, st->in, r, LEAT_R_TOO_LARGE,
                          "its elements, each with what surrounds it, have more than %u MiB: "
                          "split the record before, or give a path with less around it",
                          (unsigned)(st->most >> 20));
        return true;
    }
    if (!elements_walk_all(st)) {
        if (st->out->n) return false;
        ctx->host->reject(ctx, st->in, r, LEAT_R_TOO_LARGE, "the batch has no room for it");
        return true;
    }
    if (!st->passed) elements_none(ctx, st, r);
    return true;
}

static int elements_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                           struct leat_batch *out)
{
    struct elements *st = self;
    st->in = in;
    st->out = out;
    for (; st->at < in->n_sel; st->at++, st->made = 0)
        if (!elements_record(ctx, st, in->sel[st->at])) return LEAT_AGAIN;
    st->at = 0;
    return LEAT_OK;
}

const struct leat_stage parse_elements = {
    .name = "parse.elements",
    .summary = "the elements of arrays in JSON objects as records (OpenTelemetry, CloudTrail, …)",
    .doc = elements_doc,
    .example = "leat.parse.elements { \"Records[*]\" }, leat.parse.json {}",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARSER,
    LEAT_FLOW(LEAT_HAS_RECORDS, 0),
    LEAT_PARAMS(elements_params, struct elements_cfg),
    LEAT_INSTANCE(struct elements, elements_open, elements_close),
    .validate = elements_validate,
    .negotiate = elements_negotiate,
    .framing = elements_framing,
    .plan = elements_plan,
    .expand = elements_expand,
};
