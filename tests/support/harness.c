/* harness.c -- see harness.h. */
#include "harness_columns.h"
#include "harness_impl.h"
#include "kernels/base/feature_id.h"
#include "plugin/abi.h"
#include "zeroed.h"

#include <check.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What the host hands to a stage, and whose it is. */
struct diag_of {
    struct leat_diag base;
    struct harness *h;
};
struct negotiation_of {
    struct leat_negotiation base;
    struct harness *h;
};
struct result_of {
    struct leat_result base;
    struct harness *h;
};

static struct harness *of_ctx(struct leat_ctx *ctx)
{
    return (struct harness *)((char *)ctx - offsetof(struct harness, ctx));
}

void *harness_room(struct harness *h, size_t bytes)
{
    ck_assert_uint_lt(h->impl->n_kept, sizeof h->impl->kept / sizeof *h->impl->kept);
    return h->impl->kept[h->impl->n_kept++] = calloc(1, bytes);
}

char *harness_keep(struct harness *h, const char *text, size_t len)
{
    return memcpy(harness_room(h, len + 1), text, len);
}

static void say(struct harness *h, const char *param, const char *format, va_list args)
{
    size_t n = strlen(h->said);
    if (param) n += (size_t)snprintf(h->said + n, sizeof h->said - n, "%s: ", param);
    if (n < sizeof h->said) vsnprintf(h->said + n, sizeof h->said - n, format, args);
    n = strlen(h->said);
    if (n + 1 < sizeof h->said) memcpy(h->said + n, "\n", 2);
}

/* ---- the host ---- */

#define MOST ((size_t)1 << 30)

static void *host_alloc(struct leat_ctx *ctx, size_t bytes)
{
    struct harness *h = of_ctx(ctx);
    ck_assert_msg(!h->impl->in_process || h->may_grow, "process() or expand() allocates");
    if (h->allocs_left == 0 || bytes > MOST) return NULL; /* MOST: lying states ask for anything */
    h->allocs_left -= h->allocs_left > 0;
    ck_assert_msg(h->impl->borrows || h->allocated + bytes <= h->impl->limit,
                  "%zu bytes besides %zu are more than it has planned", bytes, h->allocated);
    /* Before the memory, which is aligned to 64 bytes, its head. Pages of large blocks that nothing
     * uses are never touched. */
    char *whole = calloc(1, bytes + 192);
    struct harness_block *b = (void *)(((uintptr_t)whole + 63) & ~(uintptr_t)63);
    *b = (struct harness_block){h->impl->blocks, NULL, bytes, whole};
    if (b->next) b->next->before = b;
    h->impl->blocks = b;
    h->allocated += bytes;
    if (h->allocated > h->peak) h->peak = h->allocated;
    h->allocations++;
    return (char *)b + 64;
}

static void free_block(struct harness *h, struct harness_block *b)
{
    if (b->next) b->next->before = b->before;
    *(b->before ? &b->before->next : &h->impl->blocks) = b->next;
    h->allocated -= b->bytes;
    h->allocations--;
    free(b->allocated);
}

static void free_blocks(struct harness *h)
{
    while (h->impl->blocks)
        free_block(h, h->impl->blocks);
}

static void host_free(struct leat_ctx *ctx, void *p)
{
    if (p) free_block(of_ctx(ctx), (struct harness_block *)(void *)((char *)p - 64));
}

static int host_fail(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(of_ctx(ctx), NULL, format, args);
    va_end(args);
    return status;
}

static void host_log(struct leat_ctx *ctx, int level, const char *format, ...) {}

static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                        const char *format, ...)
{
    struct harness *h = of_ctx(ctx);
    ck_assert_uint_lt(r, b->n);
    if (b->status[r] == LEAT_ROW_REJECTED) return;
    b->status[r] = LEAT_ROW_REJECTED;
    b->reason[r] = (uint16_t)reason;
    b->touched = 1;
    ck_assert_uint_lt(h->n_rejections, HARNESS_NOTES);
    struct harness_rejection *j = &h->rejection[h->n_rejections++];
    j->record = r;
    j->reason = reason;
    va_list args;
    va_start(args, format);
    vsnprintf(j->text, sizeof j->text, format, args);
    va_end(args);
}

static void host_where(struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r,
                       const char **input, uint64_t *offset, uint64_t *line)
{
    *input = "test";
    *offset = b->raw[r].off;
    *line = of_ctx(ctx)->lines + r + 1;
}

static int host_column(struct leat_ctx *ctx, const char *name, uint32_t types, uint32_t *index)
{
    return harness_columns_find(ctx, of_ctx(ctx), name, types, index);
}

static void host_came_from(struct leat_ctx *ctx, struct leat_batch *out, uint32_t r,
                           struct leat_str input, uint64_t offset, uint64_t line)
{
    ck_assert(out == &of_ctx(ctx)->made && r < out->n);
    ck_assert_str_eq(leat_text(out, input), "test");
    of_ctx(ctx)->impl->came_from[r] = line;
}

static int host_name_input(struct leat_ctx *ctx, uint32_t input, const char *name)
{
    return LEAT_OK;
}

static void host_metric(struct leat_ctx *ctx, const char *name, double value)
{
    struct harness *h = of_ctx(ctx);
    uint32_t i = 0;
    while (i < h->n_metrics && strcmp(h->metric[i].name, name))
        i++;
    ck_assert_uint_lt(i, sizeof h->metric / sizeof *h->metric);
    h->metric[i] = (struct harness_metric){name, value};
    h->n_metrics += i == h->n_metrics;
}

static void host_lag(struct leat_ctx *ctx, int64_t total, const struct leat_lag *worst, uint32_t n)
{
}

static int host_no(struct leat_ctx *ctx) { return 0; }

static int64_t host_time_left(struct leat_ctx *ctx) { return INT64_MAX; }

static int host_sync_file(struct leat_ctx *ctx, int fd) { return LEAT_OK; }

static int host_stop_fd(struct leat_ctx *ctx) { return -1; }

static uint64_t host_seed(struct leat_ctx *ctx) { return of_ctx(ctx)->seed; }

static const struct leat_host host = {
    .size = sizeof host,
    .abi_major = LEAT_ABI_MAJOR,
    .abi_minor = LEAT_ABI_MINOR,
    .alloc = host_alloc,
    .free = host_free,
    .fail = host_fail,
    .log = host_log,
    .reject = host_reject,
    .where = host_where,
    .name_input = host_name_input,
    .metric = host_metric,
    .lag = host_lag,
    .stopping = host_no,
    .stop_fd = host_stop_fd,
    .time_left = host_time_left,
    .sync_file = host_sync_file,
    .seed = host_seed,
    .came_from = host_came_from,
    .column = host_column,
};

/* ---- life ---- */

static const struct leat_stage *find_stage(const struct leat_plugin *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_stages; i++) {
        const struct leat_stage *s = p->stages[i];
        if (!strcmp(s->name, name)) return s;
    }
    ck_abort_msg("plugin %s has no stage '%s'", p->name, name);
    return NULL;
}

struct harness *harness_of(const struct leat_plugin *plugin, const char *stage)
{
    struct harness *h = calloc(1, sizeof *h);
    const struct leat_plugin *p = NULL;
    h->impl = calloc(1, sizeof *h->impl);
    const char *refused = abi_adopt(plugin, 0, &h->impl->arena, &p);
    ck_assert_msg(!refused, "%s: %s", plugin->name, refused);
    h->stage = find_stage(p, stage);
    h->cfg = zeroed(h->stage->cfg_size);
    h->self = zeroed(h->stage->instance_size);
    h->in = (struct leat_schema){.size = sizeof h->in, .has = LEAT_HAS_RECORDS};
    h->allocs_left = -1;
    h->seed = 1;
    harness_defaults(h);
    return h;
}

struct harness *harness_new(const char *plugin, const char *stage)
{
    const char *build = getenv("B");
    char path[512];
    snprintf(path, sizeof path, "%s/lib/leat/plugins/%s.so", build ? build : "build/release",
             plugin);
    void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(dl, "%s", dlerror());
    const struct leat_plugin *p = dlsym(dl, "leat_plugin");
    ck_assert_msg(p != NULL, "%s exports no leat_plugin", path);
    struct harness *h = harness_of(p, stage);
    h->impl->dl = dl;
    return h;
}

void harness_free(struct harness *h)
{
    struct harness_impl *m = h->impl;
    if (m->started && h->stage->stop) ck_assert_int_ge(h->stage->stop(&h->ctx, h->self), 0);
    if (m->opened && h->stage->close) h->stage->close(&h->ctx, h->self);
    free_blocks(h);
    while (m->n_memory)
        free(m->memory[--m->n_memory]);
    while (m->n_kept)
        free(m->kept[--m->n_kept]);
    state_writer_free(&m->snapshot);
    free(h->cfg);
    free(h->self);
    arena_free(&m->arena);
    if (m->dl) dlclose(m->dl);
    free(m);
    free(h);
}

/* ---- schemas ---- */

void harness_column(struct harness *h, const char *name, enum leat_column_type type)
{
    ck_assert_uint_lt(h->in.n_columns, HARNESS_COLUMNS);
    h->impl->in_column[h->in.n_columns++] =
        (struct leat_column){.name = harness_keep(h, name, strlen(name)), .type = type};
    h->in.column = h->impl->in_column;
    h->in.has |= LEAT_HAS_COLUMNS;
    h->impl->negotiated = 0;
}

void harness_has(struct harness *h, uint32_t has)
{
    h->in.has |= has;
    h->impl->negotiated = 0;
}

uint32_t harness_field(struct harness *h, const char *name)
{
    ck_assert_uint_lt(h->in.n_fields, HARNESS_FIELDS);
    h->impl->in_field[h->in.n_fields] = harness_keep(h, name, strlen(name));
    h->in.fields = h->impl->in_field;
    return h->in.n_fields++;
}

static void diag_error(struct leat_diag *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(((struct diag_of *)d)->h, param, format, args);
    va_end(args);
    ((struct diag_of *)d)->h->errors++;
}

static void diag_warn(struct leat_diag *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(((struct diag_of *)d)->h, param, format, args);
    va_end(args);
    ((struct diag_of *)d)->h->warnings++;
}

static int find_column(struct leat_negotiation *n, const char *param, const char *name,
                       uint32_t types, uint32_t *index)
{
    return harness_columns_ask(n, ((struct negotiation_of *)n)->h, param, name, types, index);
}

static int add_column(struct leat_negotiation *n, const char *name, size_t len, uint32_t type,
                      uint32_t *index)
{
    struct harness *h = ((struct negotiation_of *)n)->h;
    uint32_t i = n->out->n_columns;
    if (index) *index = i;
    for (uint32_t j = 0; j < i; j++)
        if (strlen(n->out->column[j].name) == len && !memcmp(n->out->column[j].name, name, len)) {
            n->diag->error(n->diag, NULL, "there are two columns named '%.*s'", (int)len, name);
            return LEAT_EARG;
        }
    ck_assert_uint_lt(i, HARNESS_COLUMNS);
    h->impl->out_column[i] = (struct leat_column){.name = harness_keep(h, name, len), .type = type};
    n->out->n_columns++;
    n->out->has |= LEAT_HAS_COLUMNS;
    return LEAT_OK;
}

static void add_bounds(struct leat_negotiation *n, const struct leat_bounds *made)
{
    bounds_add(n->out, n->in, made);
}

static int add_field(struct leat_negotiation *n, const char *name)
{
    struct harness *h = ((struct negotiation_of *)n)->h;
    if (n->out->n_fields == HARNESS_FIELDS) return LEAT_ENOMEM;
    h->impl->out_field[n->out->n_fields] = harness_keep(h, name, strlen(name));
    return (int)n->out->n_fields++;
}

const char *const harness_answers[2] = {"weight", "count"};

static int name_answer(struct leat_negotiation *n, const char *const **names, uint32_t *count)
{
    *names = harness_answers;
    *count = sizeof harness_answers / sizeof *harness_answers;
    return LEAT_OK;
}

/* What comes out of a stage before it has said anything. One that makes other records begins with
 * none of their columns. */
static void begin_schema(struct harness *h)
{
    struct harness_impl *m = h->impl;
    const uint32_t kept = LEAT_HAS_RECORDS | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP;
    h->out = h->in;
    if (h->stage->expand)
        h->out = (struct leat_schema){.size = sizeof h->out, .has = h->in.has & kept, .derived = 1};
    memcpy(m->out_column, m->in_column, sizeof m->in_column);
    memcpy(m->out_field, m->in_field, sizeof m->in_field);
    h->out.column = m->out_column;
    h->out.fields = m->out_field;
    h->out.has |= h->stage->makes;
}

int harness_negotiate(struct harness *h)
{
    struct harness_impl *m = h->impl;
    h->said[0] = 0;
    h->errors = h->warnings = 0;
    struct diag_of diag = {{sizeof diag.base, 0, diag_error, diag_warn}, h};
    ck_assert_msg(!(h->stage->needs & ~h->in.has), "the test's input lacks what the stage needs");
    if (h->stage->validate) h->stage->validate(h->cfg, &diag.base);
    harness_columns_begin(h, HARNESS_COLUMNS);
    begin_schema(h);
    struct negotiation_of n = {.base = {.size = sizeof n.base,
                                        .in = &m->node.shown_in,
                                        .out = &h->out,
                                        .diag = &diag.base,
                                        .column = find_column,
                                        .add_column = add_column,
                                        .add_field = add_field,
                                        .answer = name_answer,
                                        .add_bounds = add_bounds},
                               .h = h};
    if (!h->errors && h->stage->negotiate) {
        int s = h->stage->negotiate(h->cfg, &n.base);
        ck_assert_msg(s >= 0 || h->errors, "negotiate failed without a word");
    }
    m->negotiated = 1;
    return h->errors;
}

struct leat_plan harness_plan(struct harness *h)
{
    struct leat_plan plan = {.size = sizeof plan};
    if (h->stage->plan)
        ck_assert_int_ge(h->stage->plan(h->cfg, &h->impl->node.shown_in, &h->out, &plan), 0);
    return plan;
}

/* ---- batches ---- */

/* Each array in a block of its own, exactly as long as promised: a sanitizer sees every overrun. */
static void *array(struct harness *h, size_t n, size_t size)
{
    ck_assert_uint_lt(h->impl->n_memory, sizeof h->impl->memory / sizeof *h->impl->memory);
    void *p = malloc(n > 0 ? n * size : 1);
    memset(p, 0xa5, n * size); /* nothing may count on zeros */
    return h->impl->memory[h->impl->n_memory++] = p;
}

#define ARRAY(FIELD, N) (b->FIELD = array(h, (N), sizeof *b->FIELD))

static void make_records(struct harness *h, struct leat_batch *b, const struct leat_schema *s)
{
    ARRAY(bytes, b->cap_bytes);
    ARRAY(sel, b->cap);
    ARRAY(status, b->cap);
    ARRAY(reason, b->cap);
    ARRAY(raw, b->cap);
    ARRAY(label, b->cap);
    ARRAY(weight, b->cap);
    ARRAY(extent, b->cap_extents);
    if (s->has & LEAT_HAS_KEY) ARRAY(key, b->cap);
    if (s->has & LEAT_HAS_TIMESTAMP) ARRAY(timestamp, b->cap);
    if (s->has & LEAT_HAS_HEADERS) ARRAY(headers, b->cap);
    uint32_t columns = b == &h->b ? harness_columns_room(h) : s->n_columns;
    ARRAY(column, columns);
    for (uint32_t i = 0; i < columns; i++)
        if (i < s->n_columns || i >= HARNESS_COLUMNS) ARRAY(column[i].text, b->cap);
}

static void make_examples(struct harness *h, struct leat_batch *b, const struct leat_schema *s)
{
    ARRAY(ex_sel, b->cap_examples);
    ARRAY(ex_start, b->cap_examples + 1);
    ARRAY(ex_record, b->cap_examples);
    ARRAY(ex_label, b->cap_examples);
    ARRAY(ex_weight, b->cap_examples);
    ARRAY(score, b->cap_examples);
    ARRAY(id, b->cap_entries);
    ARRAY(value, b->cap_entries);
    ARRAY(part, b->cap_parts);
    if (s->has & LEAT_HAS_NAMES) ARRAY(name, b->cap_entries);
    b->ex_start[0] = 0;
}

static void make_batch(struct harness *h, struct leat_batch *b, const struct leat_schema *s,
                       uint32_t records)
{
    uint32_t text = 4096 + 256 * records;
    uint32_t by_text = (uint32_t)bounds_entries_of_text(s, text);
    *b = (struct leat_batch){.size = sizeof *b,
                             .cap = records,
                             .cap_bytes =
                                 text * (1 + s->copies_text) +
                                 records * (s->added_bytes_per_record + harness_columns_bytes(h)) +
                                 s->added_names * LEAT_ADDED_NAME,
                             .fill_bytes = text,
                             .n_columns = s->n_columns,
                             .cap_extents = LEAT_EXTENTS,
                             .cap_examples = records * s->examples_per_record,
                             .cap_entries = records * s->entries_per_record + by_text,
                             .cap_parts = records * s->parts_per_record + by_text + s->added_names,
                             .fields = s->fields};
    make_records(h, b, s);
    make_examples(h, b, s);
}

static void make_batches(struct harness *h, uint32_t records)
{
    bool expands = h->stage->expand != NULL;
    struct leat_batch *b = &h->made;
    make_batch(h, &h->b, expands ? &h->in : &h->out, records);
    if (!expands) return;
    make_batch(h, b, &h->out, h->made_records ? h->made_records : records);
    ARRAY(from, b->cap);
    h->impl->came_from = array(h, b->cap, sizeof *h->impl->came_from);
}

/* As the host does. */
static void set_limit(struct harness *h)
{
    struct leat_plan p = harness_plan(h);
    uint64_t all = p.state_bytes + p.names_bytes + p.work_bytes;
    h->impl->limit = all + all / 8 + (64 << 10);
}

int harness_open(struct harness *h, uint32_t records)
{
    struct harness_impl *m = h->impl;
    if (!m->negotiated) ck_assert_msg(harness_negotiate(h) == 0, "%s", h->said);
    make_batches(h, records);
    h->ctx = (struct leat_ctx){.size = sizeof h->ctx,
                               .host = &host,
                               .id = "stage",
                               .cfg = h->cfg,
                               .in = &m->node.shown_in,
                               .out = &h->out};
    set_limit(h);
    int s = h->stage->open ? h->stage->open(&h->ctx, h->self) : LEAT_OK;
    if (s < 0) free_blocks(h);
    if (s < 0) return s;
    m->opened = 1;
    s = h->stage->start ? h->stage->start(&h->ctx, h->self) : LEAT_OK;
    m->started = s >= 0;
    return s;
}

static struct leat_str text_in(struct leat_batch *b, const char *text, size_t len)
{
    uint32_t off = leat_add_bytes(b, (uint32_t)len);
    ck_assert_uint_ne(off, LEAT_NULL);
    memcpy(b->bytes + off, text, len);
    return (struct leat_str){off, (uint32_t)len};
}

/* Like ck_assert_msg, which writes to a file whether it holds or not: too slow for every entry. */
static void must(int holds, const char *what)
{
    if (!holds) ck_abort_msg("%s", what);
}

static void empty_cell(union leat_cells cells, uint32_t type, uint32_t r)
{
    if (type == LEAT_NUMBER)
        cells.number[r] = (double)NAN;
    else if (type == LEAT_BOOLEAN)
        cells.boolean[r] = LEAT_NO_BOOLEAN;
    else if (type == LEAT_INT64 || type == LEAT_TIME)
        cells.int64[r] = LEAT_NO_INT64;
    else
        cells.text[r] = (struct leat_str){0, LEAT_NULL};
}

static void set_cell(union leat_cells cells, uint32_t type, uint32_t r, const char *text,
                     struct leat_str slice)
{
    if (type == LEAT_NUMBER)
        cells.number[r] = strtod(text, NULL);
    else if (type == LEAT_BOOLEAN)
        cells.boolean[r] = *text == 't';
    else if (type == LEAT_INT64 || type == LEAT_TIME)
        cells.int64[r] = strtoll(text, NULL, 10);
    else
        cells.text[r] = slice;
}

uint32_t harness_bytes(struct harness *h, const void *raw, size_t n)
{
    struct leat_batch *b = &h->b;
    struct leat_str text = text_in(b, raw, n);
    int r = leat_add_record(b, text.off, text.len);
    must(r >= 0, "there is no room for a record");
    b->sel[b->n_sel++] = (uint32_t)r;
    if (b->timestamp) b->timestamp[r] = 0;
    if (b->key) b->key[r] = (struct leat_str){0, LEAT_NULL};
    for (uint32_t i = 0; i < h->in.n_columns; i++)
        empty_cell(b->column[i], h->in.column[i].type, (uint32_t)r);
    return (uint32_t)r;
}

uint32_t harness_record(struct harness *h, const char *raw)
{
    return harness_bytes(h, raw, strlen(raw));
}

uint32_t harness_row(struct harness *h, const char *cells)
{
    struct leat_batch *b = &h->b;
    uint32_t r = harness_record(h, cells), at = b->raw[r].off;
    for (uint32_t i = 0; i < h->in.n_columns; i++) {
        uint32_t len = (uint32_t)strcspn(cells, "|");
        int missing = len == 2 && !memcmp(cells, "\\N", 2);
        if (!missing)
            set_cell(b->column[i], h->in.column[i].type, r, cells, (struct leat_str){at, len});
        at += len + (cells[len] == '|');
        cells += len + (cells[len] == '|');
    }
    return r;
}

uint32_t harness_example(struct harness *h, uint32_t r, float label, const char *features)
{
    struct leat_batch *b = &h->b;
    b->label[r] = label;
    int e = leat_add_example(b, r);
    must(e >= 0, "set in.examples_per_record");
    b->score[e] = 0.0f;
    b->ex_sel[b->n_ex_sel++] = (uint32_t)e;
    for (char *end = (char *)features; *end;) {
        uint64_t id = strtoull(end, &end, 10);
        must(*end == ':', "an entry is id:value");
        int i = leat_add_entry(b, id, strtof(end + 1, &end));
        must(i >= 0, "set in.entries_per_record");
        if (b->name) b->name[i] = (struct leat_name){{0, 0, 0}};
        while (*end == ' ')
            end++;
    }
    return (uint32_t)e;
}

uint32_t harness_tokens(struct harness *h, const char *text)
{
    struct leat_batch *b = &h->b;
    uint32_t r = harness_record(h, text), off = b->raw[r].off;
    uint32_t e = harness_example(h, r, (float)NAN, "");
    for (const char *p = text; *p;) {
        uint32_t len = (uint32_t)strcspn(p, " ");
        struct leat_str at = {off + (uint32_t)(p - text), len};
        int i = leat_add_entry(b, feature_id_name(p, len), 1.0f);
        must(i >= 0, "set in.entries_per_record");
        b->name[i] = (struct leat_name){{leat_add_part(b, LEAT_NO_FIELD, at)}};
        p += len + (p[len] == ' ');
    }
    return e;
}

/* ---- work ---- */

static void select_again(struct leat_batch *b, uint32_t examples_before)
{
    for (uint32_t e = examples_before; e < b->n_examples; e++)
        b->ex_sel[b->n_ex_sel++] = e;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->n_sel; k++)
        if (b->status[b->sel[k]] == LEAT_ROW_OK) b->sel[kept++] = b->sel[k];
    b->n_sel = kept;
    kept = 0;
    for (uint32_t k = 0; k < b->n_ex_sel; k++)
        if (b->status[b->ex_record[b->ex_sel[k]]] == LEAT_ROW_OK) b->ex_sel[kept++] = b->ex_sel[k];
    b->n_ex_sel = kept;
    b->touched = 0;
}

int harness_process(struct harness *h)
{
    uint32_t before = h->b.n_examples;
    union leat_cells *all = harness_columns_show(h);
    select_again(&h->b, before);
    h->impl->in_process = 1;
    int s = h->stage->process(&h->ctx, h->self, &h->b);
    h->impl->in_process = 0;
    h->b.column = all;
    ck_assert_uint_le(h->b.n_examples, h->b.cap_examples);
    ck_assert_uint_le(h->b.n_entries, h->b.cap_entries);
    ck_assert_uint_le(h->b.n_parts, h->b.cap_parts);
    ck_assert_uint_eq(h->b.ex_start[h->b.n_examples], h->b.n_entries);
    select_again(&h->b, before);
    h->b.seq++;
    return s;
}

void harness_empty(struct leat_batch *b)
{
    b->n = b->n_sel = b->n_bytes = b->n_extents = b->touched = 0;
    b->n_examples = b->n_entries = b->n_parts = b->n_ex_sel = 0;
    b->ex_start[0] = 0;
}

void harness_clear(struct harness *h)
{
    harness_empty(&h->b);
    h->n_rejections = 0;
}

/* A stage that says before the run which columns it answers with keeps its word. */
static void check_promised(const struct harness *h, const char *const *names, uint32_t n)
{
    uint32_t n_promised = 0;
    if (!h->stage->learner->columns) return;
    const char *const *promised = h->stage->learner->columns(h->cfg, &n_promised);
    ck_assert_uint_eq(n, n_promised);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_str_eq(names[i], promised[i]);
}

static int result_columns(struct leat_result *r, const char *const *names, uint32_t n)
{
    struct harness_answer *a = &((struct result_of *)r)->h->impl->answer;
    check_promised(((struct result_of *)r)->h, names, n);
    ck_assert_uint_le(n, HARNESS_FIGURES);
    a->n_columns = n;
    memcpy(a->column, names, n * sizeof *names);
    return LEAT_OK;
}

static int result_row(struct leat_result *r, const char *name, size_t len, const double *values)
{
    struct harness_answer *a = &((struct result_of *)r)->h->impl->answer;
    if (a->n_rows == HARNESS_NOTES) return LEAT_EFULL;
    snprintf(a->name[a->n_rows], HARNESS_TEXT, "%.*s", (int)len, name);
    memcpy(a->value[a->n_rows++], values, a->n_columns * sizeof *values);
    return LEAT_OK;
}

const struct harness_answer *harness_query(struct harness *h, uint32_t kind, uint32_t k,
                                           uint32_t min_count)
{
    struct leat_query q = {.size = sizeof q, .kind = kind, .k = k, .min_count = min_count};
    struct result_of r = {{sizeof r.base, 0, result_columns, result_row, NULL}, h};
    memset(&h->impl->answer, 0, sizeof h->impl->answer);
    h->impl->borrows = 1;
    ck_assert_int_eq(h->stage->learner->query(&h->ctx, h->self, &q, &r.base), LEAT_OK);
    h->impl->borrows = 0;
    return &h->impl->answer;
}

double harness_metric(const struct harness *h, const char *name)
{
    for (uint32_t i = 0; i < h->n_metrics; i++)
        if (!strcmp(h->metric[i].name, name)) return h->metric[i].value;
    return (double)NAN;
}

const char *harness_name(const struct harness *h, uint32_t i)
{
    static char text[2][HARNESS_TEXT];
    static int turn;
    char *out = text[turn ^= 1];
    size_t n = leat_name_text(&h->b, i, out, HARNESS_TEXT - 1);
    out[n < HARNESS_TEXT - 1 ? n : HARNESS_TEXT - 1] = 0;
    return out;
}

const struct harness_rejection *harness_rejected(const struct harness *h, uint32_t r)
{
    for (uint32_t i = 0; i < h->n_rejections; i++)
        if (h->rejection[i].record == r) return &h->rejection[i];
    return NULL;
}
