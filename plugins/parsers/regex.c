/* regex.c -- parse.regex: the named groups of a pattern as columns (PCRE2).
 *
 * `validate` compiles the pattern and reports mistakes in it. Each lane compiles the pattern again,
 * with PCRE2's just-in-time compiler if available. Limits stop a pattern that backtracks too often
 * on one record, or needs too much memory for it. They count PCRE2's steps and bytes, not time, so
 * all machines of one kind reject the same records. Cells are slices of the record; nothing is
 * copied. Usual lines of access logs need no PCRE2 (kernels/text/access_log.h). */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/text/access_log.h"
#include "log_formats.h"
#include "parser.h"
#include "parsers/docs.h"

/* MATCH_LIMIT: most steps for one record, some 10 ns each. JIT_STACK: bytes for deeply nested
 * groups. */
enum { MATCH_LIMIT = 1000000, JIT_STACK = 1 << 20, JIT_STACK_FIRST = 32 << 10, MAX_GROUPS = 1000 };

static const char *const unmatched_names[] = {"reject", "filter", NULL};
enum unmatched { REJECT, FILTER };

struct regex_cfg {
    const char *pattern;
    int32_t format, unmatched;
    const char *missing; /* text that means no value; if NULL, "-" for a named format */
};

/* A column that a later stage reads. */
struct regex_cell {
    uint32_t column, group; /* column: counted from the parser's first one */
};

struct regex_parser {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    /* pcre2_match(), or what it calls if the pattern is compiled just in time. */
    int (*run)(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t, pcre2_match_data *,
               pcre2_match_context *);
    uint32_t first; /* first column of this parser in the batch */
    uint32_t n;     /* number of cells */
    struct regex_cell *cell;
    const char *missing;
    size_t missing_len;
};

static const struct leat_param regex_params[] = {
    LEAT_PARAM(struct regex_cfg, pattern, LEAT_STRING, .flags = LEAT_POSITIONAL,
               .doc = "Perl-compatible regular expression; (?<name>…) makes a column"),
    LEAT_PARAM(struct regex_cfg, format, LEAT_CHOICE, .def = "pattern", .choices = log_format_names,
               .doc = "ready pattern: common or combined for access logs (nginx, Apache), "
                      "vhost_combined, forwarded_combined; syslog (RFC 3164), syslog3339 (rsyslog, "
                      "journalctl), syslog5424; haproxy, alb, auditd, cef",
               .replaces = "pattern"),
    LEAT_PARAM(struct regex_cfg, unmatched, LEAT_CHOICE, .def = "reject",
               .choices = unmatched_names,
               .doc = "a record that the pattern does not match is rejected, or left out"),
    LEAT_PARAM(struct regex_cfg, missing, LEAT_STRING,
               .doc = "text that means no value; with a `format`, by default \"-\""),
};

static const char *pattern_of(const struct regex_cfg *cfg)
{
    return cfg->format ? log_format_patterns[cfg->format] : cfg->pattern;
}

/* Compiles a pattern. Returns NULL if it is wrong, with the reason in `why` and the place in
 * *at. */
static pcre2_code *compile(const char *pattern, char why[256], size_t *at)
{
    int error;
    PCRE2_SIZE offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                     PCRE2_NEVER_BACKSLASH_C, &error, &offset, NULL);
    if (!code) pcre2_get_error_message(error, (PCRE2_UCHAR *)why, 256);
    *at = offset;
    return code;
}

static uint32_t info(const pcre2_code *code, uint32_t what)
{
    uint32_t n = 0;
    pcre2_pattern_info(code, what, &n);
    return n;
}

/* Returns name number i of the pattern, in alphabetical order, and sets *group to its group. */
static const char *name_at(const pcre2_code *code, uint32_t i, uint32_t *group)
{
    PCRE2_SPTR table = NULL;
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
    const unsigned char *entry = table + (size_t)i * info(code, PCRE2_INFO_NAMEENTRYSIZE);
    *group = (uint32_t)entry[0] << 8 | entry[1];
    return (const char *)entry + 2;
}

/* Returns the name of the first named group after group *group, and sets *group to its number; NULL
 * if there are no more. */
static const char *next_name(const pcre2_code *code, uint32_t *group)
{
    const char *next = NULL;
    uint32_t least = UINT32_MAX, at;
    for (uint32_t i = 0; i < info(code, PCRE2_INFO_NAMECOUNT); i++) {
        const char *name = name_at(code, i, &at);
        if (at <= *group || at >= least) continue;
        least = at;
        next = name;
    }
    if (next) *group = least;
    return next;
}

static int regex_validate(const void *config, struct leat_diag *d)
{
    const struct regex_cfg *cfg = config;
    char why[256] = "";
    size_t at;
    const char *pattern = pattern_of(cfg);
    if (!pattern || !*pattern) {
        d->error(d, "pattern",
                 "is missing: give one with named groups, such as [[(?<host>\\S+) "
                 "(?<status>\\d+)]], or a format");
        return LEAT_OK;
    }
    pcre2_code *code = compile(pattern, why, &at);
    if (!code && pattern[at])
        d->error(d, "pattern", "cannot be compiled: %s before '%.20s'", why, pattern + at);
    else if (!code)
        d->error(d, "pattern", "cannot be compiled: %s at its end", why);
    else if (info(code, PCRE2_INFO_CAPTURECOUNT) > MAX_GROUPS)
        d->error(d, "pattern", "has more than %d groups", MAX_GROUPS);
    else if (!info(code, PCRE2_INFO_NAMECOUNT))
        d->error(d, "pattern",
                 "names no column: write each part that becomes a column as (?<name>…)");
    pcre2_code_free(code);
    return LEAT_OK;
}

static int regex_negotiate(const void *config, struct leat_negotiation *n)
{
    char why[256];
    size_t at;
    pcre2_code *code = compile(pattern_of(config), why, &at);
    int status = code ? LEAT_OK : LEAT_ENOMEM;
    uint32_t group = 0;
    for (const char *name; status == LEAT_OK && (name = next_name(code, &group));)
        status = n->add_column(n, name, strlen(name), LEAT_TEXT, NULL);
    pcre2_code_free(code);
    return status;
}

static int regex_plan(const void *config, const struct leat_schema *in,
                      const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes = (out->n_columns - in->n_columns) * sizeof(struct regex_cell) + JIT_STACK;
    return LEAT_OK;
}

static void regex_close(struct leat_ctx *ctx, void *self)
{
    struct regex_parser *st = self;
    pcre2_match_context_free(st->context);
    pcre2_jit_stack_free(st->stack);
    pcre2_match_data_free(st->match);
    pcre2_code_free(st->code);
    ctx->host->free(ctx, st->cell);
}

/* Lists the columns that a later stage reads. */
static void regex_choose(struct leat_ctx *ctx, struct regex_parser *st)
{
    uint32_t group = 0;
    for (uint32_t i = 0; st->first + i < ctx->out->n_columns && next_name(st->code, &group); i++)
        if (ctx->host->is_read(ctx, st->first + i))
            st->cell[st->n++] = (struct regex_cell){i, group};
}

/* Compiles the pattern just in time. If that fails, PCRE2 interprets it. A pattern with (*UTF)
 * needs pcre2_match(), which checks that the record is UTF-8. */
static void regex_speed_up(struct regex_parser *st)
{
    bool compiled = !pcre2_jit_compile(st->code, PCRE2_JIT_COMPLETE);
    st->run = compiled && !(info(st->code, PCRE2_INFO_ALLOPTIONS) & PCRE2_UTF) ? pcre2_jit_match
                                                                               : pcre2_match;
}

static int regex_open(struct leat_ctx *ctx, void *self)
{
    const struct regex_cfg *cfg = ctx->cfg;
    struct regex_parser *st = self;
    char why[256];
    size_t at;
    st->first = ctx->in->n_columns;
    st->missing = cfg->missing ? cfg->missing : cfg->format ? "-" : "";
    st->missing_len = strlen(st->missing);
    st->cell = ctx->host->alloc(ctx, (ctx->out->n_columns - st->first) * sizeof *st->cell);
    st->code = compile(pattern_of(cfg), why, &at);
    st->match = st->code ? pcre2_match_data_create_from_pattern(st->code, NULL) : NULL;
    st->context = pcre2_match_context_create(NULL);
    st->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK, NULL);
    if (!st->cell || !st->match || !st->context || !st->stack) {
        regex_close(ctx, st);
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the pattern");
    }
    regex_choose(ctx, st);
    regex_speed_up(st);
    pcre2_set_match_limit(st->context, MATCH_LIMIT);
    pcre2_set_heap_limit(st->context, JIT_STACK / 1024);
    pcre2_jit_stack_assign(st->context, NULL, st->stack);
    return LEAT_OK;
}

static void refuse_unmatched(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r)
{
    const struct regex_cfg *cfg = ctx->cfg;
    if (cfg->unmatched == FILTER)
        leat_filter(b, r);
    else if (cfg->format)
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "the record is not a line of format %s",
                          log_format_names[cfg->format]);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "the record does not match the pattern");
}

enum { STEPS, NESTED };
static const struct leat_own_reason reasons[] = {
    {"too_many_steps", "The pattern takes too many steps on the record."},
    {"too_nested", "The pattern needs too much memory on the record."},
};

static void regex_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int result)
{
    if (result == PCRE2_ERROR_NOMATCH)
        refuse_unmatched(ctx, b, r);
    else if (result == PCRE2_ERROR_MATCHLIMIT)
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(STEPS),
                          "the pattern takes more than %d steps on this record: make its "
                          "repetitions possessive (++, *+), or less ambiguous",
                          MATCH_LIMIT);
    else if (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21)
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX,
                          "the record is not UTF-8, but the pattern has (*UTF): remove (*UTF), or "
                          "set the encoding of the source");
    else
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(NESTED),
                          "the pattern needs more than %d bytes on this record: nest its groups "
                          "less, or make their repetitions possessive (++, *+)",
                          JIT_STACK);
}

/* Sets a cell to text[from .. to) of the record. Sets it to no value if `from` is PCRE2_UNSET, or
 * if this is the text that means no value. */
static void regex_put(const struct regex_parser *st, struct leat_batch *b, uint32_t r,
                      uint32_t column, size_t from, size_t to)
{
    struct leat_str raw = b->raw[r], *cell = &b->column[st->first + column].text[r];
    *cell = (struct leat_str){raw.off, LEAT_NULL};
    if (from == PCRE2_UNSET || to < from) return;
    if (st->missing_len && to - from == st->missing_len &&
        !memcmp(leat_text(b, raw) + from, st->missing, to - from))
        return;
    *cell = (struct leat_str){raw.off + (uint32_t)from, (uint32_t)(to - from)};
}

/* Sets the cells of a usual line of an access log. Returns false if the record is none. */
static bool regex_split_log(const struct regex_parser *st, bool combined, struct leat_batch *b,
                            uint32_t r)
{
    struct access_log log;
    if (!access_log_split(leat_text(b, b->raw[r]), b->raw[r].len, combined, &log)) return false;
    log.from[ACCESS_LOG_REQUEST] = log.to[ACCESS_LOG_REQUEST] = PCRE2_UNSET;
    for (uint32_t i = 0; i < st->n; i++) {
        uint32_t part = st->cell[i].column; /* the columns are the parts */
        regex_put(st, b, r, part, log.from[part], log.to[part]);
    }
    return true;
}

static void regex_parse_record(struct leat_ctx *ctx, const struct regex_parser *st,
                               struct leat_batch *b, uint32_t r)
{
    struct leat_str raw = b->raw[r];
    const char *text = leat_text(b, raw);
    if (!raw.len) {
        leat_filter(b, r);
        return;
    }
    int32_t format = ((const struct regex_cfg *)ctx->cfg)->format;
    bool combined = format == LOG_FORMAT_COMBINED;
    if ((combined || format == LOG_FORMAT_COMMON) && regex_split_log(st, combined, b, r)) return;
    int result = st->run(st->code, (PCRE2_SPTR)text, raw.len, 0, 0, st->match, st->context);
    if (result < 0) {
        regex_reject(ctx, b, r, result);
        return;
    }
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(st->match);
    for (uint32_t i = 0; i < st->n; i++) {
        uint32_t group = st->cell[i].group;
        regex_put(st, b, r, st->cell[i].column, at[2 * group], at[2 * group + 1]);
    }
}

static int regex_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        regex_parse_record(ctx, self, b, r);
    return LEAT_OK;
}

const struct leat_stage parse_regex = {
    .name = "parse.regex",
    .summary = "the named groups of a regular expression, access logs and syslog, to columns",
    .doc = regex_doc,
    .example = "leat.parse.regex { format = \"combined\" }",
    PARSER_OF_COLUMNS,
    LEAT_PARAMS(regex_params, struct regex_cfg),
    LEAT_REASONS(reasons),
    LEAT_INSTANCE(struct regex_parser, regex_open, regex_close),
    .validate = regex_validate,
    .negotiate = regex_negotiate,
    .plan = regex_plan,
    .framing = parser_of_lines,
    .process = regex_process,
};
