/* broken_sources.c -- sources of numbered lines that each break one law of `leat plugin test`.
 *
 * whole.numbered breaks none. tests/system/plugin_test.sh names each law. */
#include <stdio.h>
#include <stdlib.h>

#include <leat/plugin.h>

enum { LINE_BYTES = 12 }; /* "line 000001\n" */

struct cfg {
    int64_t records;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, records, LEAT_INT, .def = "4000", .min = 1, .max = 1e6 - 1,
               .doc = "how many it gives"),
};
struct numbered {
    uint64_t next;      /* number of the next line, from 0 */
    uint64_t restored;  /* line at which it continued */
    uint32_t lacks;     /* a fault: lacks the name of its input after a restore */
    void *held[1 << 8]; /* a fault, too */
    uint32_t n_held;
};

static void add_line(struct numbered *st, struct leat_batch *b, uint64_t offset, uint64_t line)
{
    char text[LINE_BYTES + 1];
    snprintf(text, sizeof text, "line %06llu\n", (unsigned long long)st->next % 1000000);
    const uint32_t off = leat_add_bytes(b, LINE_BYTES);
    memcpy(b->bytes + off, text, LINE_BYTES);
    leat_add_record_at(b, off, LINE_BYTES - 1, 0, offset, line);
    st->next++;
}

static int give(struct leat_ctx *ctx, struct numbered *st, struct leat_batch *b, uint64_t offset,
                uint64_t line)
{
    const uint64_t end = (uint64_t)((const struct cfg *)ctx->cfg)->records;
    if (!st->lacks) ctx->host->name_input(ctx, 0, "numbers.txt");
    while (b->n < b->cap && st->next < end)
        add_line(st, b, (st->next - offset) * LINE_BYTES, st->next - line + 1);
    return st->next < end ? LEAT_OK : LEAT_EOS;
}

static int numbered(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return give(ctx, self, b, 0, 0);
}

static int lines_anew(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return give(ctx, self, b, 0, ((struct numbered *)self)->restored);
}

static int offsets_anew(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return give(ctx, self, b, ((struct numbered *)self)->restored, 0);
}

static int named_once(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct numbered *st = self;
    st->lacks = st->next > 0;
    return give(ctx, st, b, 0, 0);
}

/* ---- memory ---- */

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->work_bytes = sizeof((struct numbered *)0)->held / sizeof(void *) * 64;
    return LEAT_OK;
}

static int holds(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct numbered *st = self;
    if (st->n_held < sizeof st->held / sizeof *st->held)
        st->held[st->n_held++] = ctx->host->alloc(ctx, 64);
    return numbered(ctx, self, b);
}

static int borrows(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ctx->host->free(ctx, ctx->host->alloc(ctx, 64));
    return numbered(ctx, self, b);
}

static int forgets(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    *(void *volatile *)((struct numbered *)self)->held = malloc(600);
    return numbered(ctx, self, b);
}

/* ---- states ---- */

static int save(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->u64(w, "next", ((struct numbered *)self)->next);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct numbered *st = self;
    uint64_t next;
    if (r->u64(r, "next", &next)) return LEAT_EDATA;
    st->next = st->restored = next;
    return LEAT_OK;
}

#define SOURCE_OF(ID, NAME)                                                                        \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a source for tests",                                                           \
        .doc = "It gives numbered lines.",                                                         \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_SOURCE,                                                                       \
        .makes = LEAT_HAS_RECORDS,                                                                 \
        .instance_size = sizeof(struct numbered),                                                  \
        LEAT_PARAMS(params, struct cfg),                                                           \
        .plan = plan,                                                                              \
        .source = LEAT_ROLE(leat_source, .produce = ID),                                           \
        .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = save, .restore = restore),        \
    }
SOURCE_OF(numbered, "whole.numbered");
SOURCE_OF(lines_anew, "broken.lines_anew");
SOURCE_OF(offsets_anew, "broken.offsets_anew");
SOURCE_OF(named_once, "broken.named_once");
SOURCE_OF(holds, "broken.holds");
SOURCE_OF(borrows, "broken.borrows");
SOURCE_OF(forgets, "broken.forgets");

LEAT_PLUGIN("broken_sources", "1.0", "Apache-2.0", "sources that break laws", &s_numbered,
            &s_lines_anew, &s_offsets_anew, &s_named_once, &s_holds, &s_borrows, &s_forgets);
