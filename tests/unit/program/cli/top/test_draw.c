/* test_draw.c -- frames of figures, without a terminal: their content, and that they fit. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/cli/top/look.h"
#include "core/report/text_out.h"

static const char first[] =
    "{'pipeline': 'clicks', 'state': 'running', 'seconds': 100, 'records': 1000000,"
    " 'records_before': 400000, 'rejected': 250, 'rejections': {'fields': 250},"
    " 'rejection_examples': {'fields': 'a.csv:7: the row is short'}, 'lag': 1234567,"
    " 'memory': {'planned': 20971520, 'used': 10485760}, 'snapshots': {'age': 61.5},"
    " 'threads': ["
    "  {'stages': ['file', 'csv'], 'stages_busy': [10, 20], 'busy': 30, 'blocked': 60,"
    "   'starved': 10},"
    "  {'stages': ['model', 'top'], 'stages_busy': [79, 1], 'busy': 80, 'blocked': 0,"
    "   'starved': 20}],"
    " 'stages': ["
    "  {'id': 'file', 'plugin': 'source.file', 'in': 1000000, 'rejected': 0, 'metrics': {}},"
    "  {'id': 'csv', 'plugin': 'parse.csv', 'in': 1000000, 'rejected': 250, 'metrics': {}},"
    "  {'id': 'model', 'plugin': 'learn.awm', 'in': 999750, 'rejected': 0, 'in_order': true,"
    "   'memory': {'used': 2048, 'planned': 4096},"
    "   'metrics': {'examples': 999750, 'log_loss': 0.51234, 'log_loss_last': 0.4,"
    "               'log_loss_constant': 0.69, 'auc': 0.8125}},"
    "  {'id': 'counts', 'plugin': 'learn.frequent', 'in': 5, 'rejected': 0, 'in_order': false,"
    "   'metrics': {'examples': 5}},"
    "  {'id': 'top', 'plugin': 'sink.top', 'in': 999750, 'rejected': 0, 'metrics': {}}]}";

/* Figures ten seconds later. In that time the parser was busiest. */
static const char second[] =
    "{'pipeline': 'clicks', 'state': 'running', 'seconds': 110, 'records': 1020000,"
    " 'records_before': 400000, 'rejected': 250, 'threads': ["
    "  {'stages': ['file', 'csv'], 'stages_busy': [11, 28], 'busy': 39, 'blocked': 60,"
    "   'starved': 11},"
    "  {'stages': ['model', 'top'], 'stages_busy': [80, 1], 'busy': 81, 'blocked': 0,"
    "   'starved': 29}],"
    " 'stages': ["
    "  {'id': 'file', 'plugin': 'source.file', 'in': 1020000, 'rejected': 0},"
    "  {'id': 'csv', 'plugin': 'parse.csv', 'in': 1020000, 'rejected': 250},"
    "  {'id': 'model', 'plugin': 'learn.awm', 'in': 1019750, 'rejected': 0, 'in_order': true,"
    "   'metrics': {'examples': 1019750}}]}";

static const char top[] =
    "{'stage': 'model', 'examples': 999800, 'rows': ["
    " {'feature': 'user.country=Republic of the Congo and some more', 'weight': -8.5},"
    " {'feature': 'user.country=Republic of the Congo and some less', 'weight': 4.25},"
    " {'feature': 'a\\u001b[2Jb', 'weight': 0.125}]}";

/* Reads JSON written with ' in place of ". */
static json_t *json_of(const char *text)
{
    char *copy = strdup(text);
    for (char *s = copy; *s; s++)
        if (*s == '\'') *s = '"';
    json_error_t error;
    json_t *o = json_loads(copy, JSON_ALLOW_NUL, &error);
    ck_assert_msg(o != NULL, "%s in %s", error.text, text);
    free(copy);
    return o;
}

static char *drawn; /* the last frame, as text */

static struct view view_of(const char *status, const char *before, const char *answer)
{
    struct view v = {.target = "http://127.0.0.1:9100/",
                     .status = status ? json_of(status) : NULL,
                     .top = answer ? json_of(answer) : NULL,
                     .interval = 1};
    json_t *old = before ? json_of(before) : NULL;
    if (old) v.since = look_since(v.status, old);
    json_decref(old);
    return v;
}

static void set_trouble(struct view *v, const char *text)
{
    snprintf(v->trouble, sizeof v->trouble, "%s", text);
}

static void drop(struct view *v)
{
    json_decref(v->status);
    json_decref(v->since);
    json_decref(v->top);
}

static void draw(const struct view *v, size_t columns, size_t rows)
{
    size_t n;
    free(drawn);
    drawn = draw_frame(v, DRAW_TEXT, columns, rows, &n);
    ck_assert_uint_eq(n, strlen(drawn));
}

/* Searches the frame with runs of blanks as one blank, so that widths may change. */
static bool says(const char *text)
{
    char *flat = strdup(drawn), *to = flat;
    for (const char *s = drawn; *s; s++)
        if (*s != ' ' || (to > flat && to[-1] != ' ')) *to++ = *s;
    *to = 0;
    bool found = strstr(flat, text);
    if (!found) fprintf(stderr, "%s\nlacks: %s\n", flat, text);
    free(flat);
    return found;
}

START_TEST(the_figures_since_the_start)
{
    struct view v = view_of(first, NULL, top);
    draw(&v, 120, 50);
    ck_assert(says("clicks running for 1 min 40 s http://127.0.0.1:9100/\n"));
    ck_assert(
        says("records 1,000,000 6,000/s since the start rejected 250 (0.025 %) lag 1,234,567"));
    ck_assert(says("memory 10.0 MB of 20.0 MB planned snapshot 1 min 01 s ago"));
    ck_assert(says("bottleneck model (80 %)"));
    ck_assert(says("csv parse.csv 1,000,000 20.0 % 10.0 % 60.0 % 250"));
    ck_assert(says("> model learn.awm 999,750 79.0 % 20.0 % 0.0 % 0"));
    ck_assert(says("model 999,750 log loss 0.5123 0.4 0.69 0.8125"));
    ck_assert(says("counts 5 - - - - -"));
    ck_assert(says("model weight of its heaviest features after 999,800 examples"));
    ck_assert(says("rejected: 250 fields, the first: a.csv:7: the row is short"));
    drop(&v);
}
END_TEST

START_TEST(the_figures_since_the_look_before)
{
    struct view v = view_of(second, first, NULL);
    draw(&v, 120, 50);
    ck_assert(says("records 1,020,000 2,000/s rejected"));
    ck_assert(says("bottleneck csv (90 %)"));
    ck_assert(says("> csv parse.csv 1,020,000 2,000 80.0 % 10.0 % 0.0 % 250"));
    ck_assert(says("model learn.awm 1,019,750 2,000 10.0 % 90.0 % 0.0 % 0"));
    ck_assert(says("is being asked"));
    drop(&v);
}
END_TEST

/* The blocks of the line that ends so. */
static size_t bar_of(const char *name)
{
    size_t n = 0;
    const char *end = strstr(drawn, name), *at = memrchr(drawn, '\n', (size_t)(end - drawn));
    while ((at = strstr(at, "\xe2\x96\x88")) && at < end)
        n++, at += 3;
    return n;
}

START_TEST(bars_are_as_long_as_weights_are_large)
{
    struct view v = view_of(first, NULL,
                            "{'stage': 'model', 'rows': [{'feature': 'x', 'weight': -8},"
                            " {'feature': 'y', 'weight': 4}, {'feature': 'z', 'weight': 0}]}");
    draw(&v, 120, 50);
    ck_assert_uint_gt(bar_of(" x\n"), 20);
    ck_assert_uint_eq(bar_of(" y\n"), bar_of(" x\n") / 2);
    ck_assert_uint_eq(bar_of(" z\n"), 0);
    ck_assert(says("\n -8 ") && says("\n 4 ") && says("\n 0 z\n"));
    drop(&v);
}
END_TEST

static void fits(size_t columns, size_t rows)
{
    size_t lines = 0;
    for (char *line = drawn, *end; (end = strchr(line, '\n')); line = end + 1, lines++)
        ck_assert_msg(text_width(line, (size_t)(end - line)) <= columns, "%zu columns: %.*s",
                      columns, (int)(end - line), line);
    ck_assert_msg(lines <= rows, "%zu lines in %zu: %s", lines, rows, drawn);
    ck_assert_ptr_null(strchr(drawn, 0x1b));
}

START_TEST(every_size_of_terminal_holds_its_frame)
{
    struct view v = view_of(first, NULL, top), w = view_of(second, first, NULL);
    v.live = w.live = true;
    set_trouble(&w, "http://127.0.0.1:9100/ does not answer: Connection refused");
    for (size_t columns = 1; columns < 170; columns += columns < 90 ? 1 : 13)
        for (size_t rows = 1; rows < 60; rows += rows < 26 ? 1 : 9) {
            draw(&v, columns, rows);
            fits(columns, rows);
            draw(&w, columns, rows);
            fits(columns, rows);
        }
    v.help = true;
    draw(&v, 80, 24);
    fits(80, 24);
    drop(&v);
    drop(&w);
}
END_TEST

START_TEST(names_stay_distinct_where_they_are_cut)
{
    struct view v = view_of(first, NULL, top);
    for (size_t columns = 50; columns < 100; columns++) {
        draw(&v, columns, 60);
        char *more = strstr(drawn, "more\n"), *less = strstr(drawn, "less\n");
        ck_assert_ptr_nonnull(more);
        ck_assert_ptr_nonnull(less);
        ck_assert(says("a?[2Jb"));
    }
    drop(&v);
}
END_TEST

START_TEST(the_keys_are_on_the_last_row)
{
    struct view v = view_of(first, NULL, top);
    v.live = v.paused = true;
    for (size_t rows = 8; rows < 40; rows += 8) {
        draw(&v, 80, rows);
        size_t lines = 0;
        char *last = drawn;
        for (char *s = drawn; *s; s++)
            if (*s == '\n') lines++, last = s[1] ? s + 1 : last;
        ck_assert_uint_eq(lines, rows);
        ck_assert_int_eq(strncmp(last, "paused  q quit", 14), 0);
    }
    drop(&v);
}
END_TEST

START_TEST(a_narrow_terminal_has_the_first_keys)
{
    struct view v = view_of(first, NULL, top);
    v.live = true;
    draw(&v, 40, 10);
    ck_assert(says("\nq quit Tab next learner p pause\n"));
    drop(&v);
}
END_TEST

START_TEST(many_stages_leave_room_for_the_answer)
{
    char many[20000] = "{'pipeline': 'p', 'state': 'running', 'seconds': 1, 'records': 1,"
                       " 'threads': [{'stages': ['s37'], 'stages_busy': [9], 'busy': 9,"
                       " 'starved': 1, 'blocked': 0}], 'stages': [{'id': 'model',"
                       " 'plugin': 'learn.awm', 'in_order': true, 'in': 1}";
    for (int k = 0; k < 60; k++)
        sprintf(many + strlen(many), ", {'id': 's%d', 'plugin': 'p.q', 'in': 1}", k);
    strcat(many, "]}");
    struct view v = view_of(many, NULL, top);
    v.live = true;
    draw(&v, 80, 24);
    fits(80, 24);
    ck_assert(says("\n> s37 "));
    ck_assert(says("more, less busy"));
    ck_assert(says("model weight of its heaviest features"));
    ck_assert(says("a?[2Jb"));
    drop(&v);
}
END_TEST

START_TEST(a_run_that_is_gone_keeps_its_figures)
{
    struct view v = view_of(second, first, NULL);
    setenv("TZ", "UTC", 1);
    set_trouble(&v, "http://127.0.0.1:9100/ does not answer: Connection refused");
    v.seen_ns = UINT64_C(1700000000000000000);
    draw(&v, 200, 50);
    ck_assert(says("clicks no answer"));
    ck_assert(says("Connection refused. These figures are from 22:13:20.\n"));
    ck_assert(says("records 1,020,000"));
    drop(&v);
    v = view_of(NULL, NULL, NULL);
    draw(&v, 80, 24);
    ck_assert(says("waiting for the first answer"));
}
END_TEST

START_TEST(a_snapshot_has_its_age)
{
    struct view v = view_of(
        "{'pipeline': 'clicks', 'records': 7, 'rejected': 0, 'saved': '2026-03-01T12:00:00Z',"
        " 'age': 50, 'checkpoint': 42, 'stages': [{'id': 'm', 'plugin': 'learn.awm', 'in': 7,"
        " 'rejected': 0, 'state_bytes': 4096, 'in_order': true, 'metrics': {'examples': 7}}],"
        " 'answers': [{'learner': 'm', 'examples': 7, 'rows': [{'feature': 'g', 'count': 1234},"
        " {'feature': 'f\\u0000x', 'count': 3}]}]}",
        NULL, NULL);
    v.of_dir = true;
    v.seen_ns = 1000000000;
    v.now_ns = UINT64_C(31000000000);
    draw(&v, 100, 30);
    ck_assert(says("snapshot 42, 1 min 20 s ago saved 2026-03-01 12:00:00 UTC"));
    ck_assert(says("m learn.awm 7 0 4096 B"));
    ck_assert(says("m count of its first rows after 7 examples"));
    ck_assert(says("\n 3 ") && says(" f?x\n") && says("\n 1,234 ") && says(" g\n"));
    drop(&v);
}
END_TEST

START_TEST(what_is_missing_or_of_another_type_does_no_harm)
{
    static const char *const odd[] = {
        "{}", "{'pipeline': 7, 'stages': {}, 'threads': 1}",
        "{'stages': [1, null, {'id': {}, 'in_order': 1, 'metrics': []}], 'threads': [[], {}],"
        " 'answers': [3], 'lag': null, 'memory': 5, 'snapshots': [], 'rejections': {'x': {}}}",
        "{'seconds': 1e308, 'records': -1e308, 'records_before': 1e308, 'stages': [{'id': 'm',"
        " 'in_order': true, 'metrics': {'log_loss': 1e300, 'auc': -1e-300}, 'curve': [1, 2, 3]}]}"};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        struct view v = view_of(odd[k], odd[k], "{'stage': 'm', 'rows': [1, {'feature': 1}, {}]}");
        draw(&v, 120, 30);
        v.of_dir = true;
        draw(&v, 80, 24);
        fits(80, 24);
        drop(&v);
    }
}
END_TEST

/* The frame as a terminal gets it. */
static char *screen_of(const struct view *v, enum draw_kind kind)
{
    size_t n;
    return draw_frame(v, kind, 80, 24, &n);
}

START_TEST(a_screen_is_drawn_over_the_one_before)
{
    struct view v = view_of(first, NULL, top);
    v.live = true;
    char *text = screen_of(&v, DRAW_COLOURS), *plain = screen_of(&v, DRAW_SCREEN);
    size_t lines = 0, cleared = 0;
    for (char *s = text; *s; s++) {
        lines += *s == '\n';
        cleared += !strncmp(s, "\x1b[K", 3);
    }
    ck_assert_uint_eq(lines, 23); /* one more line would move all rows up */
    ck_assert_uint_eq(cleared, 24);
    ck_assert_int_eq(strncmp(text, "\x1b[H\x1b[K", 6), 0);
    ck_assert_ptr_nonnull(strstr(text, "\x1b[31m"));
    ck_assert_ptr_nonnull(strstr(text, "a?[2Jb"));
    ck_assert_ptr_null(strstr(text, "\x1b[2J"));
    ck_assert_ptr_null(strstr(plain, "\x1b[3"));
    ck_assert_ptr_nonnull(strstr(plain, "\x1b[1m"));
    free(text);
    free(plain);
    drop(&v);
}
END_TEST

LEAT_SUITE("draw", a_narrow_terminal_has_the_first_keys, a_screen_is_drawn_over_the_one_before,
           the_figures_since_the_start, the_figures_since_the_look_before,
           bars_are_as_long_as_weights_are_large, every_size_of_terminal_holds_its_frame,
           names_stay_distinct_where_they_are_cut, the_keys_are_on_the_last_row,
           many_stages_leave_room_for_the_answer, a_run_that_is_gone_keeps_its_figures,
           a_snapshot_has_its_age, what_is_missing_or_of_another_type_does_no_harm)
