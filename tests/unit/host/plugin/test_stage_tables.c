/* test_stage_tables.c -- a stage's own reasons and figures: refused tables and their messages.
 *
 * Entries may have other sizes than the host's. */
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

#include "host/plugin/abi.h"
#include "host/plugin/stage_tables.h"

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b) { return LEAT_OK; }

static const struct leat_stage PLAIN = {
    .name = "keep.x", .kind = LEAT_TRANSFORM, .summary = "s", .process = process};

static const char *adopt(const struct leat_stage *s, struct arena *a, const struct leat_plugin **p)
{
    const struct leat_stage *list[] = {s};
    const struct leat_plugin plugin = {.magic = LEAT_MAGIC,
                                       .abi_major = LEAT_ABI_MAJOR,
                                       .size = sizeof plugin,
                                       .name = "p",
                                       .n_stages = 1,
                                       .stage_size = sizeof *s,
                                       .stages = list};
    return abi_adopt(&plugin, 0, a, p);
}

static void refused(const struct leat_stage *s, const char *words)
{
    struct arena a = {0};
    const struct leat_plugin *p;
    const char *wrong = adopt(s, &a, &p);
    ck_assert_msg(wrong && strstr(wrong, words), "%s: %s", words, wrong ? wrong : "is taken");
    ck_assert_ptr_nonnull(strstr(wrong, "stage keep.x: "));
    arena_free(&a);
}

static void reasons_refused(const struct leat_own_reason *r, uint32_t n, const char *words)
{
    struct leat_stage s = PLAIN;
    s.reasons = r;
    s.n_reasons = n;
    s.reason_size = sizeof *r;
    refused(&s, words);
}

#define TEXT_47 "a2345678901234567890123456789012345678901234567"

START_TEST(words_of_reasons_are_checked)
{
    reasons_refused((struct leat_own_reason[]){{"Stale", "Old."}}, 1,
                    "reason 1 is called 'Stale'; a name begins with a lower-case letter");
    reasons_refused((struct leat_own_reason[]){{"a", "A."}, {NULL, "Old."}}, 2,
                    "reason 2 is called '(nothing)'");
    reasons_refused((struct leat_own_reason[]){{"", "Old."}}, 1, "reason 1 is called ''");
    reasons_refused((struct leat_own_reason[]){{"two words", "Old."}}, 1, "called 'two words'");
    reasons_refused((struct leat_own_reason[]){{"9th", "Old."}}, 1, "called '9th'");
    reasons_refused((struct leat_own_reason[]){{TEXT_47 "8", "Old."}}, 1,
                    "at most 47 lower-case letters");
    reasons_refused((struct leat_own_reason[]){{"stale", ""}}, 1, "reason 'stale' has no text");
    reasons_refused((struct leat_own_reason[]){{"stale", NULL}}, 1, "reason 'stale' has no text");
    reasons_refused((struct leat_own_reason[]){{"a", "A."}, {"b", "B."}, {"a", "A."}}, 3,
                    "reason 'a' is listed twice: words must differ");
    reasons_refused(NULL, 1, "it announces 1 reasons and lists none");
    static struct leat_own_reason many[LEAT_MAX_REASONS + 1];
    reasons_refused(many, LEAT_MAX_REASONS + 1, "it has 257 reasons; at most 256 are possible");
}
END_TEST

START_TEST(words_of_the_host_are_its_own)
{
    for (int k = 1; k < LEAT_R_COUNT; k++) {
        const char *word = stage_tables_reason(&PLAIN, k);
        char words[100];
        ck_assert_ptr_nonnull(word);
        snprintf(words, sizeof words, "reason '%s' is one of the host's", word);
        reasons_refused((struct leat_own_reason[]){{word, "Again."}}, 1, words);
    }
    ck_assert_ptr_null(stage_tables_reason(&PLAIN, LEAT_R_NONE));
    ck_assert_ptr_null(stage_tables_reason(&PLAIN, -1));
    ck_assert_ptr_null(stage_tables_reason(&PLAIN, LEAT_R_OWN(0)));
}
END_TEST

static void figure_refused(struct leat_figure f, const char *words)
{
    struct leat_stage s = PLAIN;
    const struct leat_figure both[] = {{"first", "1", "the first", LEAT_GAUGE}, f};
    s.figures = both;
    s.n_figures = 2;
    s.figure_size = sizeof f;
    refused(&s, words);
}

START_TEST(figures_are_checked)
{
    figure_refused((struct leat_figure){"Late", "1", "x", LEAT_GAUGE}, "figure 2 is called 'Late'");
    figure_refused((struct leat_figure){"late", "1", "x", 0},
                   "figure 'late' has kind 0; it must be 1 or 2 (enum leat_figure_kind)");
    figure_refused((struct leat_figure){"late", "1", "x", 3}, "has kind 3");
    figure_refused((struct leat_figure){"late", "1", "", LEAT_GAUGE}, "figure 'late' has no text");
    figure_refused((struct leat_figure){"first", "1", "x", LEAT_GAUGE}, "is listed twice");
    figure_refused((struct leat_figure){"late", NULL, "x", LEAT_GAUGE},
                   "figure 'late' has the unit '(nothing)'; a unit is a word, such as bytes");
    figure_refused((struct leat_figure){"late", "per cent", "x", LEAT_GAUGE},
                   "the unit 'per cent'");
    figure_refused((struct leat_figure){"late", "ms", "x", LEAT_GAUGE},
                   "figure 'late' has the unit 'ms': give its values in seconds");
    figure_refused((struct leat_figure){"late", "percent", "x", LEAT_GAUGE}, "values in ratio");
    struct leat_stage s = PLAIN;
    s.n_figures = 2;
    refused(&s, "it announces 2 figures and lists none");
    s.n_figures = LEAT_MAX_FIGURES + 1;
    refused(&s, "it has 65 figures; at most 64 are possible");
}
END_TEST

/* Longer entries, as in a plugin built with other headers. */
struct longer_reason {
    struct leat_own_reason is;
    const char *more;
};
struct longer_figure {
    struct leat_figure is;
    uint64_t more[3];
};

START_TEST(entries_of_younger_plugins_are_taken_and_shorter_ones_refused)
{
    const struct longer_reason reasons[] = {{{"a", "A."}, "?"}, {{TEXT_47, "B."}, "?"}};
    const struct longer_figure figures[] = {{{"a", "bytes", "x", LEAT_GAUGE}, {1, 2, 3}},
                                            {{"b", "records", "y", LEAT_COUNTER}, {4, 5, 6}}};
    struct leat_stage s = PLAIN;
    struct arena a = {0};
    const struct leat_plugin *p;
    s.reasons = &reasons[0].is;
    s.n_reasons = 2;
    s.reason_size = sizeof *reasons;
    s.figures = &figures[0].is;
    s.n_figures = 2;
    s.figure_size = sizeof *figures;
    ck_assert_pstr_eq(adopt(&s, &a, &p), NULL);
    const struct leat_stage *is = p->stages[0];
    ck_assert_str_eq(stage_tables_reason(is, LEAT_R_OWN(1)), TEXT_47);
    ck_assert_ptr_null(stage_tables_reason(is, LEAT_R_OWN(2)));
    ck_assert_str_eq(stage_tables_figure(is, "b")->unit, "records");
    ck_assert_ptr_null(stage_tables_figure(is, "c"));
    arena_free(&a);
    s.reason_size = sizeof(char *);
    refused(&s, "its reasons have 8 bytes each, at least 16 are needed");
    s.reason_size = sizeof *reasons;
    s.figure_size = 24;
    refused(&s, "its figures have 24 bytes each, at least 28 are needed");
}
END_TEST

LEAT_SUITE("stage_tables", words_of_reasons_are_checked, words_of_the_host_are_its_own,
           figures_are_checked, entries_of_younger_plugins_are_taken_and_shorter_ones_refused)
