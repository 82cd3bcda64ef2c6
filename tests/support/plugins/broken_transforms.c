/* broken_transforms.c -- transforms that each break one law of `leat plugin test`.
 *
 * Three break none: whole.length adds the length of a text as a column, whole.word makes an example
 * of each, whole.refuse rejects all. tests/system/plugin_test.sh names each law. */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/plugin.h>

struct cfg {
    const char *column;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .def = "alpha", .doc = "whose length it is"),
};

struct self {
    uint64_t batches, records;
    char *block;
    const char *kept;
    double *number;
};

typedef int process_fn(struct leat_ctx *, void *, struct leat_batch *);

/* ---- columns ---- */

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct cfg *c = cfg;
    uint32_t index;
    int status = n->column(n, "column", c->column, LEAT_TAKES_TEXT, &index);
    return status < 0 ? status : n->add_column(n, "length", 6, LEAT_NUMBER, NULL);
}

static const struct leat_column *find(const struct leat_ctx *ctx, uint32_t *index)
{
    const char *name = ((const struct cfg *)ctx->cfg)->column;
    for (*index = 0; strcmp(ctx->in->column[*index].name, name) != 0; ++*index) {
    }
    return &ctx->in->column[*index];
}

static struct leat_str cell(const struct leat_ctx *ctx, const struct leat_batch *b, uint32_t r)
{
    uint32_t c;
    find(ctx, &c);
    return b->column[c].text[r];
}

static double *made(const struct leat_ctx *ctx, struct leat_batch *b)
{
    return b->column[ctx->in->n_columns].number;
}

static int length(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct self *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = cell(ctx, b, r);
        made(ctx, b)[r] = s.len == LEAT_NULL ? (double)NAN : s.len;
    }
    st->batches++;
    st->records += b->n_sel;
    return LEAT_OK;
}

/* ---- the process ends, or does not ---- */

static int on_third(struct leat_ctx *ctx, void *self, struct leat_batch *b, void (*what)(void))
{
    if (((struct self *)self)->batches == 2) what();
    return length(ctx, self, b);
}

static void leave(void) { exit(0); }
static void crash(void) { raise(SIGSEGV); }
static void loop(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

#define ON_THIRD(NAME, WHAT)                                                                       \
    static int NAME(struct leat_ctx *ctx, void *self, struct leat_batch *b)                        \
    {                                                                                              \
        return on_third(ctx, self, b, WHAT);                                                       \
    }
ON_THIRD(exits, leave)
ON_THIRD(crashes, crash)
ON_THIRD(aborts, abort)
ON_THIRD(hangs, loop)

/* Writes more lines than are shown, the last one with a colour. */
static void speak_and_abort(void)
{
    for (int i = 1; i <= 300; i++)
        fprintf(stderr, "word %d\n", i);
    fputs("the \033[31mlast word", stderr);
    abort();
}
ON_THIRD(aborts_with_words, speak_and_abort)

static void leave_at_once(void) { _exit(0); }
ON_THIRD(exits_at_once, leave_at_once)

static int exits_open(struct leat_ctx *ctx, void *self) { exit(3); }

/* ---- values of calls ---- */

static int fails(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        if (cell(ctx, b, r).len == 0) return ctx->host->fail(ctx, LEAT_EDATA, "an empty cell");
    return length(ctx, self, b);
}

/* Fails without a message, as code that forgets to return a value does. */
static int fails_quietly(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        if (cell(ctx, b, r).len == 0) ctx->host->fail(ctx, LEAT_EDATA, "an empty cell");
    return length(ctx, self, b);
}

static int refuse(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "it is of no format");
    return LEAT_OK;
}

static int fails_always(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ctx->host->fail(ctx, LEAT_EDATA, "no sum");
    return length(ctx, self, b);
}

static int returns_7(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return length(ctx, self, b) + 7;
}

static int overflows(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    char copy[32];
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = cell(ctx, b, r);
        for (uint32_t i = 0; s.len != LEAT_NULL && i < s.len; i++)
            ((volatile char *)copy)[i] = leat_text(b, s)[i];
    }
    return length(ctx, self, b);
}

/* ---- batches ---- */

static int unfilled(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        if (r % 5) made(ctx, b)[r] = 1;
    return LEAT_OK;
}

static int beyond(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    length(ctx, self, b);
    made(ctx, b)[b->cap] = 1;
    return LEAT_OK;
}

static int beyond_self(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return length(ctx, self, b); /* its instance_size is 0 */
}

static int open_short(struct leat_ctx *ctx, void *self)
{
    char *p = ctx->host->alloc(ctx, 8);
    if (!p) return LEAT_ENOMEM;
    p[8] = 1;
    return LEAT_OK;
}

#define CHANGES(NAME, WHAT)                                                                        \
    static int NAME(struct leat_ctx *ctx, void *self, struct leat_batch *b)                        \
    {                                                                                              \
        length(ctx, self, b);                                                                      \
        for (LEAT_EACH_RECORD(b, r)) {                                                             \
            WHAT;                                                                                  \
        }                                                                                          \
        return LEAT_OK;                                                                            \
    }
CHANGES(changes_label, b->label[r] = 5)
CHANGES(changes_text, if (b->raw[r].len) b->bytes[b->raw[r].off] = '!')
CHANGES(changes_column, b->column[0].text[r].len = 0)
CHANGES(wrong_status, if (r == 3) b->status[r] = 77)
CHANGES(wrong_reject, ctx->host->reject(ctx, b, r + 4000000, LEAT_R_OTHER, "no such record"))

static int drops(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    length(ctx, self, b);
    if (b->n_sel) b->n_sel--;
    return LEAT_OK;
}

static int reads_all(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    unsigned sum = 0;
    for (uint32_t r = 0; r < b->n; r++) {
        struct leat_str s = cell(ctx, b, r);
        for (uint32_t i = 0; s.len != LEAT_NULL && i < s.len; i++)
            sum += (unsigned char)leat_text(b, s)[i];
    }
    ((volatile struct self *)self)->records += sum;
    return length(ctx, self, b);
}

static int keeps(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct self *st = self;
    if (st->kept) st->records += (unsigned char)*(volatile const char *)st->kept;
    st->kept = b->bytes;
    return length(ctx, self, b);
}

static int takes_first(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    made(ctx, b)[b->sel[0]] = 1;
    return length(ctx, self, b);
}

static int rejects_again(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (uint32_t r = 0; r < b->n; r++)
        if (b->status[r] == LEAT_ROW_FILTERED)
            ctx->host->reject(ctx, b, r, LEAT_R_OTHER, "it was out");
    return length(ctx, self, b);
}

static int numbers(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        made(ctx, b)[r] = r;
    return LEAT_OK;
}

static int counts(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        made(ctx, b)[r] = (double)((struct self *)self)->records++;
    return LEAT_OK;
}

static int counts_all(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    static double records;
    for (LEAT_EACH_RECORD(b, r))
        made(ctx, b)[r] = records++;
    return LEAT_OK;
}

/* ---- memory ---- */

static int open_large(struct leat_ctx *ctx, void *self)
{
    return ctx->host->alloc(ctx, 1 << 20) ? LEAT_OK : LEAT_ENOMEM;
}

static int open_unchecked(struct leat_ctx *ctx, void *self)
{
    *(volatile char *)ctx->host->alloc(ctx, 64) = 1;
    return LEAT_OK;
}

static int open_misnamed(struct leat_ctx *ctx, void *self)
{
    return ctx->host->alloc(ctx, 64) ? LEAT_OK : ctx->host->fail(ctx, LEAT_EIO, "no file");
}

static int allocates(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    void *p = ctx->host->alloc(ctx, 64);
    ctx->host->free(ctx, p);
    return length(ctx, self, b);
}

static int leaks(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    *(volatile char *)malloc(4096) = 1;
    return length(ctx, self, b);
}

/* ---- the process ---- */

static void *sleeps(void *of)
{
    sleep(30);
    return of;
}

static void make_thread(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sleeps, NULL);
}

#define ONCE(NAME, WHAT)                                                                           \
    static int NAME(struct leat_ctx *ctx, void *self, struct leat_batch *b)                        \
    {                                                                                              \
        if (!((struct self *)self)->batches) WHAT;                                                 \
        return length(ctx, self, b);                                                               \
    }
ONCE(prints, puts("here I am"))
ONCE(walks, if (chdir("/")) return LEAT_EIO)
ONCE(masks, umask(0777))
ONCE(speaks, setlocale(LC_NUMERIC, "C.UTF-8"))
ONCE(listens, signal(SIGUSR1, SIG_DFL))
ONCE(opens, if (open("/dev/null", O_RDONLY) < 0) return LEAT_EIO)
ONCE(exports, setenv("BROKEN", "yes", 1))
ONCE(rounds, fesetround(FE_UPWARD))
ONCE(spawns, make_thread())

/* ---- purity ---- */

static int validate_writes(const void *cfg, struct leat_diag *d)
{
    ((struct cfg *)(uintptr_t)cfg)->column = "alpha";
    return LEAT_OK;
}

static int negotiate_other(const void *cfg, struct leat_negotiation *n)
{
    static int calls;
    int status = negotiate(cfg, n);
    return status < 0 || ++calls % 2 ? status : n->add_column(n, "another", 7, LEAT_TEXT, NULL);
}

/* ---- examples ---- */

static int negotiate_examples(const void *cfg, struct leat_negotiation *n)
{
    const struct leat_bounds made = {
        .examples_per_record = 1, .entries_per_record = 2, .parts_per_record = 2};
    n->add_bounds(n, &made);
    return n->add_field(n, "text") < 0 ? LEAT_ENOMEM : LEAT_OK;
}

/* Makes an example whose only feature is the number of bytes; `more` spoils it. */
static int make_examples(struct leat_batch *b, void (*more)(struct leat_batch *, int, int))
{
    for (LEAT_EACH_RECORD(b, r)) {
        int e = leat_add_example(b, r), i = leat_add_entry(b, b->raw[r].len + 1, 1);
        if (e < 0 || i < 0) return LEAT_EFULL;
        b->name[i] = (struct leat_name){{leat_add_part(b, 0, b->raw[r])}};
        if (more) more(b, e, i);
    }
    return LEAT_OK;
}

static void be_nan(struct leat_batch *b, int e, int i) { b->value[i] = NAN; }
static void begin_late(struct leat_batch *b, int e, int i) { b->ex_start[e] += 1000000; }
static void lack_part(struct leat_batch *b, int e, int i) { b->name[i].part[1] = 999999; }

#define EXAMPLES(NAME, MORE)                                                                       \
    static int NAME(struct leat_ctx *ctx, void *self, struct leat_batch *b)                        \
    {                                                                                              \
        return make_examples(b, MORE);                                                             \
    }
EXAMPLES(word, NULL)
EXAMPLES(nan_value, be_nan)
EXAMPLES(wrong_start, begin_late)
EXAMPLES(wrong_part, lack_part)

/* Makes an entry of each byte, though it has declared two a record. */
static int too_many(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r)) {
        leat_add_example(b, r);
        for (uint32_t k = 0; k < b->raw[r].len; k++) {
            int i = leat_add_entry(b, k + 1, 1);
            if (i < 0) return ctx->host->fail(ctx, LEAT_EFULL, "no room for entry %u", k);
            b->name[i] = (struct leat_name){{0}};
        }
    }
    return LEAT_OK;
}

/* ---- the list ---- */

#define TRANSFORM(ID, NAME, ...)                                                                   \
    static const struct leat_stage ID = {.name = NAME,                                             \
                                         .summary = "a stage for tests",                           \
                                         .doc = "It adds the length of a text.",                   \
                                         .example = "leat.stage(\"" NAME "\", {})",                \
                                         .kind = LEAT_TRANSFORM,                                   \
                                         LEAT_PARAMS(params, struct cfg),                          \
                                         __VA_ARGS__}
#define INSTANCE .instance_size = sizeof(struct self)
#define LENGTH(ID, ...)                                                                            \
    TRANSFORM(s_##ID, "broken." #ID, INSTANCE, .negotiate = negotiate,                             \
              LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS), __VA_ARGS__)
#define PROCESS(ID) LENGTH(ID, .process = ID)
#define WORD(ID, NAME)                                                                             \
    TRANSFORM(s_##ID, NAME, INSTANCE, .negotiate = negotiate_examples, .process = ID,              \
              LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES))

TRANSFORM(s_length, "whole.length", INSTANCE, .negotiate = negotiate, .process = length,
          .caps = LEAT_PARALLEL, LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS));
TRANSFORM(s_refuse, "whole.refuse", INSTANCE, .negotiate = negotiate, .process = refuse,
          .caps = LEAT_PARALLEL, LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS));
WORD(word, "whole.word");
WORD(nan_value, "broken.nan_value");
WORD(wrong_start, "broken.wrong_start");
WORD(wrong_part, "broken.wrong_part");
WORD(too_many, "broken.too_many");
PROCESS(exits);
PROCESS(exits_at_once);
PROCESS(aborts_with_words);
PROCESS(crashes);
PROCESS(aborts);
PROCESS(hangs);
LENGTH(exits_open, .process = length, .open = exits_open);
PROCESS(fails);
PROCESS(fails_quietly);
PROCESS(fails_always);
PROCESS(returns_7);
PROCESS(overflows);
PROCESS(unfilled);
PROCESS(beyond);
TRANSFORM(s_beyond_self, "broken.beyond_self", .negotiate = negotiate, .process = beyond_self,
          LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS));
LENGTH(beyond_block, .process = length, .open = open_short);
TRANSFORM(s_changes_label, "broken.changes_label", INSTANCE, .negotiate = negotiate,
          .process = changes_label, LEAT_FLOW(LEAT_HAS_COLUMNS | LEAT_HAS_LABEL, LEAT_HAS_COLUMNS));
PROCESS(changes_text);
PROCESS(changes_column);
PROCESS(wrong_status);
PROCESS(wrong_reject);
PROCESS(drops);
PROCESS(reads_all);
PROCESS(keeps);
PROCESS(takes_first);
PROCESS(rejects_again);
PROCESS(numbers);
LENGTH(counts, .process = counts);
LENGTH(counts_lanes, .process = counts, .caps = LEAT_PARALLEL);
LENGTH(counts_all, .process = counts_all, .caps = LEAT_STATEFUL);
LENGTH(large, .process = length, .open = open_large);
LENGTH(unchecked, .process = length, .open = open_unchecked);
LENGTH(misnamed, .process = length, .open = open_misnamed);
PROCESS(allocates);
PROCESS(leaks);
PROCESS(prints);
PROCESS(walks);
PROCESS(masks);
PROCESS(speaks);
PROCESS(listens);
PROCESS(opens);
PROCESS(exports);
PROCESS(rounds);
PROCESS(spawns);
LENGTH(writes_cfg, .process = length, .validate = validate_writes);
TRANSFORM(s_other_schema, "broken.other_schema", INSTANCE, .negotiate = negotiate_other,
          .process = length, LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS));
static const struct leat_stage s_undescribed = {
    .name = "broken.undescribed",
    .summary = "it says nothing",
    .doc = "It has no example.",
    .kind = LEAT_TRANSFORM,
    INSTANCE,
    LEAT_PARAMS(params, struct cfg),
    .negotiate = negotiate,
    .process = length,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS),
};
static const struct leat_stage s_misled = {
    .name = "broken.misled",
    .summary = "its example is wrong",
    .doc = "It has another parameter.",
    .example = "leat.stage(\"broken.misled\", { colum = \"alpha\" })",
    .kind = LEAT_TRANSFORM,
    INSTANCE,
    LEAT_PARAMS(params, struct cfg),
    .negotiate = negotiate,
    .process = length,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS),
};

LEAT_PLUGIN("broken_transforms", "1.0", "Apache-2.0", "transforms that break laws", &s_length,
            &s_word, &s_refuse, &s_nan_value, &s_wrong_start, &s_wrong_part, &s_too_many, &s_exits,
            &s_exits_at_once, &s_aborts_with_words, &s_crashes, &s_aborts, &s_hangs, &s_exits_open,
            &s_fails, &s_fails_quietly, &s_fails_always, &s_returns_7, &s_overflows, &s_unfilled,
            &s_beyond, &s_beyond_self, &s_beyond_block, &s_changes_label, &s_changes_text,
            &s_changes_column, &s_wrong_status, &s_wrong_reject, &s_drops, &s_reads_all, &s_keeps,
            &s_takes_first, &s_rejects_again, &s_numbers, &s_counts, &s_counts_lanes, &s_counts_all,
            &s_large, &s_unchecked, &s_misnamed, &s_allocates, &s_leaks, &s_prints, &s_walks,
            &s_masks, &s_speaks, &s_listens, &s_opens, &s_exports, &s_rounds, &s_spawns,
            &s_writes_cfg, &s_other_schema, &s_undescribed, &s_misled);
