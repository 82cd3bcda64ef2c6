/* expand_rig.c -- implementation of expand_rig.h. */
#include "expand_rig.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "sdk/harness/harness_impl.h"
#include "host/lua/run.h"
#include "host/lua/stages.h"
#include "lua_rig.h"

/* Budgets of all kinds: rows leave early, or never have to. */
const struct expander expanders[] = {
    {"shape", "shape.window",
     "columns=count;mean(ms);quantile(ms,0.9);distinct(host) every=20s by=host", 0},
    {"shape", "shape.window", "columns=sum(ms);top(host,2) every=60s slide=20s late=filter", 0},
    {"shape", "shape.window", "columns=top(ms,4);count every=400s slide=100s values=32", 0},
    {"shape", "shape.window", "columns=top(ms,4);count every=40s by=host budget=60KB", 0},
    {"shape", "shape.window", "columns=count;min(ms) every=10s by=ms lateness=40s budget=8KB", 0},
    {"shape", "shape.sort", "lateness=5s", 0},
    {"shape", "shape.sort", "lateness=1000s late=pass budget=65536", 0},
    {"shape", "shape.reservoir", "k=40", 0},
    {"shape", "shape.reservoir", "k=5000 budget=65536", 0},
    {"json", "parse.container", "", EXPANDER_LINES},
    {"json", "parse.container", "max_message=4096 budget=65536", EXPANDER_LINES},
    {"json", "parse.elements", "each=a[*].b[*];c[*] pairs=true", EXPANDER_OBJECTS},
    {"results", "result.predictions", "columns=host,ms", EXPANDER_EXAMPLES},
    {"results", "result.top", "k=7", EXPANDER_ANSWERS},
    {"results", "result.changes", "k=7 weight_change=0.5", EXPANDER_ANSWERS},
    {"results", "result.metrics", "", EXPANDER_ANSWERS},
    {NULL, "lua.flat", "columns=host,ms:number,@end into=host,i:number state=calls", 0},
};
const uint32_t n_expanders = sizeof expanders / sizeof *expanders;

/* Makes up to three rows of a record; sometimes an error, and a row at the end. */
static const char FLAT[] = "local calls = 0\n"
                           "return function(emit, host, ms, at_end)\n"
                           "  calls = calls + 1\n"
                           "  for i = 1, calls % 4 do emit(host, i) end\n"
                           "  if calls % 97 == 0 then error('call ' .. calls) end\n"
                           "  if at_end then emit('calls', calls) end\n"
                           "end\n";

/* ---- the stage ---- */

/* Sets a list of names between semicolons, which may contain commas. */
static void set_list(struct harness *h, const char *param, const char *list)
{
    enum { MOST = 8 };
    const char **v = harness_room(h, MOST * sizeof *v), *end = list + strlen(list);
    uint32_t n = 0;
    for (const char *p = list; p < end; p += strcspn(p, ";") + 1) {
        ck_assert_uint_lt(n, MOST);
        v[n++] = harness_keep(h, p, strcspn(p, ";"));
    }
    harness_set_list(h, param, v, n);
}

static void set_all(struct harness *h, const char *with)
{
    char text[512], *save = NULL;
    snprintf(text, sizeof text, "%s", with);
    for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *value = strchr(p, '=');
        *value = 0;
        strchr(value + 1, ';') ? set_list(h, p, value + 1) : harness_set(h, p, value + 1);
    }
}

static struct harness *lua_harness(const char *stage)
{
    static struct arena functions; /* functions of all tests of the program */
    struct harness *h = harness_of(&lua_plugin, stage);
    ((struct lua_cfg *)h->cfg)->fn = rig_function(&functions, FLAT);
    return h;
}

struct harness *expander_try(const struct expander *e, uint32_t in, uint32_t made, int64_t allocs,
                             int *opened)
{
    struct harness *h = e->plugin ? harness_new(e->plugin, e->stage) : lua_harness(e->stage);
    set_all(h, e->with);
    harness_column(h, "host", LEAT_TEXT);
    harness_column(h, "ms", LEAT_NUMBER);
    harness_has(h, LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP);
    if (e->uses & EXPANDER_EXAMPLES) {
        harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_SCORE);
        h->in.score = LEAT_SCORE_MARGIN;
        h->in.examples_per_record = h->in.entries_per_record = 1;
    }
    h->made_records = made;
    ck_assert_msg(harness_negotiate(h) == 0, "%s: %s", e->stage, h->said);
    h->allocs_left = allocs;
    *opened = harness_open(h, in);
    h->allocs_left = -1;
    return h;
}

struct harness *expander_new(const struct expander *e, uint32_t in, uint32_t made)
{
    int opened;
    struct harness *h = expander_try(e, in, made, -1, &opened);
    ck_assert_msg(opened == LEAT_OK, "%s: %s", e->stage, h->said);
    return h;
}

/* ---- the stream ---- */

/* Returns the event time: a second after the previous record. Most come up to 15 s late, some much
 * later, and some have no time. */
static int64_t time_of(uint32_t k)
{
    uint64_t x = mix64(k + 1);
    int64_t late = x % 50 == 0 ? 200 : (int64_t)(x >> 8) % 15;
    return x % 61 == 0 ? -1 : (1700000000 + (int64_t)k - late) * 1000000000;
}

enum { CELLS = 512 };

static void put_cells(uint64_t x, char cells[CELLS])
{
    int n = snprintf(cells, CELLS, "host%u|", (unsigned)(x % 7));
    if (x % 11 == 0) n = snprintf(cells, CELLS, "\\N|");
    snprintf(cells + n, CELLS - (size_t)n, x % 13 ? "%u.5" : "\\N", (unsigned)(x >> 20) % 99);
}

/* Puts a line of CRI, or sometimes of json-file, or of nothing known. One line of eight ends a
 * message. */
static void put_line(uint64_t x, char cells[CELLS])
{
    const char *stream = x >> 8 & 1 ? "stdout" : "stderr";
    int n = (int)(x >> 20 & 255);
    if (x % 29 == 0)
        snprintf(cells, CELLS, "no line at all");
    else if (x % 17 == 0)
        snprintf(cells, CELLS, "{\"log\":\"%0*d%s\",\"stream\":\"%s\"}", n / 4, n,
                 x >> 9 & 7 ? "" : "\\n", stream);
    else
        snprintf(cells, CELLS, "2026-10-06T00:17:%02uZ %s %c %0*d", (unsigned)(x >> 40) % 60,
                 stream, x >> 9 & 7 ? 'P' : 'F', n, n);
}

/* Puts an object with up to six elements, or now and then something else. */
static void put_object(uint64_t x, char cells[CELLS])
{
    static const char elements[] = "{\"d\":1},{\"e\":[{\"key\":\"k\",\"value\":2}]},null,\"t\",";
    int n = x >> 8 & 1 ? (int)sizeof elements - 1 : 8;
    snprintf(cells, CELLS, "{\"r\":%u,\"%s\":[{\"b\":[%.*s3],\"x\":1},{\"b\":[]},{\"b\":[{}]}]}%s",
             (unsigned)(x >> 40), x % 7 ? "a" : "c", n, elements, x % 31 ? "" : ",");
}

static void put_record(const struct expander *e, uint64_t x, char cells[CELLS])
{
    if (e->uses & EXPANDER_LINES)
        put_line(x, cells);
    else if (e->uses & EXPANDER_OBJECTS)
        put_object(x, cells);
    else
        put_cells(x, cells);
}

static void add_record(const struct expander *e, struct harness *h, uint32_t k)
{
    uint64_t x = mix64(k + 1000);
    char cells[CELLS];
    put_record(e, x, cells);
    uint32_t r = harness_row(h, cells);
    h->b.timestamp[r] = time_of(k);
    if (x % 3) h->b.key[r] = (struct leat_str){h->b.raw[r].off, 3};
    if (!(e->uses & EXPANDER_EXAMPLES)) return;
    uint32_t example = harness_example(h, r, k % 2 ? 1.0f : -1.0f, "");
    h->b.score[example] = (float)(x % 200) / 100.0f - 1.0f;
}

/* Shows the learner's heaviest features after k records: ten of twenty, whose weights change. */
static void show_answer(struct harness *h, uint32_t k, bool last)
{
    enum { SHOWN = 10 };
    static char text[SHOWN][16];
    static const char *names[SHOWN];
    static uint32_t len[SHOWN];
    static double values[2 * SHOWN];
    static struct leat_table t;
    for (uint32_t i = 0; i < SHOWN; i++) {
        uint64_t x = mix64(k * 100 + i);
        len[i] = (uint32_t)snprintf(text[i], sizeof text[i], "f%u", (unsigned)(2 * i + x % 2));
        names[i] = text[i];
        values[2 * i] = 20.0 - i + (double)(x % 5) / 4;
        values[2 * i + 1] = (double)k;
    }
    t = (struct leat_table){.size = sizeof t,
                            .kind = LEAT_QUERY_TOP,
                            .learner = "model",
                            .examples = k,
                            .time = time_of(k),
                            .last = last,
                            .n_columns = 2,
                            .n_rows = SHOWN,
                            .columns = harness_answers,
                            .names = names,
                            .name_len = len,
                            .values = values};
    ck_assert_int_eq(h->stage->asker->show(&h->ctx, h->self, &t), LEAT_OK);
}

/* ---- output ---- */

static void put(FILE *f, const struct leat_batch *b, struct leat_str s)
{
    if (s.len == LEAT_NULL)
        fprintf(f, " none");
    else
        fprintf(f, " '%.*s'", (int)s.len, b->bytes + s.off);
}

static void write_made(struct harness *h, void *to)
{
    const struct leat_batch *b = &h->made;
    for (uint32_t r = 0; r < b->n; r++) {
        fprintf(to, "%llu:", (unsigned long long)harness_came_from(h, r));
        put(to, b, b->raw[r]);
        if (b->key) put(to, b, b->key[r]);
        if (b->timestamp) fprintf(to, " %lld", (long long)b->timestamp[r]);
        fprintf(to, " %g %g |", (double)b->label[r], (double)b->weight[r]);
        for (uint32_t c = 0; c < b->n_columns; c++)
            if (h->out.column[c].type == LEAT_NUMBER)
                fprintf(to, " %.17g", b->column[c].number[r]);
            else
                put(to, b, b->column[c].text[r]);
        fprintf(to, "\n");
    }
}

static void give(struct harness *h, bool end, uint32_t first, FILE *made, FILE *rejected)
{
    size_t blocks = h->allocations, bytes = h->allocated;
    ck_assert_int_eq(harness_expand(h, end, write_made, made), LEAT_OK);
    ck_assert(h->allocations == blocks && h->allocated == bytes);
    for (uint32_t i = 0; i < h->n_rejections; i++)
        fprintf(rejected, "%u: %d %s\n", first + h->rejection[i].record, h->rejection[i].reason,
                h->rejection[i].text);
    harness_clear(h);
}

/* Returns the end of the batch that begins at record k. */
static uint32_t batch_end(uint32_t k, uint32_t in, uint32_t to)
{
    uint32_t asked = (k / EXPAND_ASKED + 1) * EXPAND_ASKED, end = k + in;
    if (end > asked) end = asked;
    return end < to ? end : to;
}

static void give_all(const struct expander *e, struct harness *h, uint32_t in, uint32_t from,
                     uint32_t to, FILE *made, FILE *rejected)
{
    bool answers = e->uses & EXPANDER_ANSWERS;
    for (uint32_t k = from, end; k < to; k = end) {
        end = batch_end(k, in, to);
        for (uint32_t i = k; i < end; i++)
            add_record(e, h, i);
        if (answers && k && k % EXPAND_ASKED == 0) show_answer(h, k, false);
        give(h, false, k, made, rejected);
    }
    if (to < EXPAND_RECORDS) return;
    if (answers) show_answer(h, to, true);
    give(h, true, to, made, rejected);
}

static void append(char **text, size_t *n, char *more, size_t n_more)
{
    *text = realloc(*text, *n + n_more + 1);
    memcpy(*text + *n, more, n_more + 1);
    *n += n_more;
    free(more);
}

void expander_run(const struct expander *e, struct harness *h, uint32_t in, uint32_t from,
                  uint32_t to, struct expanded *out)
{
    char *made, *rejected;
    size_t n_made, n_rejected;
    FILE *m = open_memstream(&made, &n_made), *r = open_memstream(&rejected, &n_rejected);
    h->lines = from;
    give_all(e, h, in, from, to, m, r);
    fclose(m), fclose(r);
    append(&out->made, &out->n_made, made, n_made);
    append(&out->rejected, &out->n_rejected, rejected, n_rejected);
}

struct expanded expanded_of(const struct expander *e, uint32_t in, uint32_t made)
{
    struct expanded x = {0};
    struct harness *h = expander_new(e, in, made);
    expander_run(e, h, in, 0, EXPAND_RECORDS, &x);
    harness_free(h);
    return x;
}

bool expanded_same(const struct expanded *a, const struct expanded *b)
{
    return !strcmp(a->made, b->made) && !strcmp(a->rejected, b->rejected);
}

void expanded_free(struct expanded *x)
{
    free(x->made), free(x->rejected);
    *x = (struct expanded){0};
}
