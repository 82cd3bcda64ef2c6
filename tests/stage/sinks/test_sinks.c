/* test_sinks.c -- the built sinks in the harness: their files are read back, JSON by jansson. */
#include "support/suite.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/harness.h"

/* ---- files ---- */

static char path[64];
static char text[1 << 20];
static size_t text_len;

static const char *new_path(void)
{
    strcpy(path, "/tmp/leat_sinks_XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    return path;
}

static const char *read_back(void)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    text_len = fread(text, 1, sizeof text - 1, f);
    text[text_len] = 0;
    fclose(f);
    return text;
}

/* Stops the sink and reads its output. */
static const char *finish(struct harness *h)
{
    harness_free(h);
    read_back();
    unlink(path);
    return text;
}

/* Returns the n-th line of the text as JSON. */
static json_t *json_line(int n)
{
    const char *at = text;
    json_error_t e;
    while (n-- > 0)
        at = strchr(at, '\n') + 1;
    json_t *j = json_loadb(at, strcspn(at, "\n"), 0, &e);
    ck_assert_msg(j != NULL, "%s: %s", e.text, at);
    return j;
}

/* ---- sink.predictions ---- */

static struct harness *predictions(const char *format)
{
    struct harness *h = harness_new("sinks", "sink.predictions");
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_SCORE | LEAT_HAS_LABEL);
    h->in.score = LEAT_SCORE_MARGIN;
    h->in.examples_per_record = 2;
    h->in.entries_per_record = 2;
    harness_set(h, "path", new_path());
    harness_set(h, "format", format);
    return h;
}

static void predict(struct harness *h, uint32_t r, float label, float score)
{
    uint32_t e = harness_example(h, r, label, "1:1");
    h->b.score[e] = score;
}

static void give_key(struct harness *h, uint32_t r, const char *key)
{
    uint32_t len = (uint32_t)strlen(key), off = leat_add_bytes(&h->b, len);
    memcpy(h->b.bytes + off, key, len);
    h->b.key[r] = (struct leat_str){off, len};
}

START_TEST(predictions_are_tag_score_label_a_line)
{
    struct harness *h = predictions("tsv");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    predict(h, harness_record(h, "a"), 1, 0.5f);
    predict(h, harness_record(h, "b"), -1, -0.1f);
    predict(h, harness_record(h, "c"), NAN, 1e-7f);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    harness_clear(h);
    predict(h, harness_record(h, "d"), 3.25f, 16777216);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(finish(h), "tag\tscore\tlabel\n"
                                "1\t0.5\t1\n2\t-0.1\t-1\n3\t1e-07\t\n1\t16777216\t3.25\n");
}
END_TEST

START_TEST(predictions_use_the_key_as_tag_and_quote_it)
{
    struct harness *h = predictions("csv");
    harness_has(h, LEAT_HAS_KEY);
    harness_set(h, "heading", "false");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (uint32_t r = 0; r < 3; r++)
        predict(h, harness_record(h, "x"), 1, (float)r);
    give_key(h, 0, "say \"a,b\"");
    give_key(h, 2, "plain");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(finish(h), "\"say \"\"a,b\"\"\",0,1\n2,1,1\nplain,2,1\n");
}
END_TEST

START_TEST(predictions_in_json_parse_and_carry_columns)
{
    struct harness *h = predictions("jsonl");
    harness_has(h, LEAT_HAS_KEY);
    harness_column(h, "carrier", LEAT_TEXT);
    harness_column(h, "delay", LEAT_NUMBER);
    harness_set(h, "columns", "delay,carrier");
    harness_set(h, "probability", "true");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    uint32_t r = harness_row(h, "A\"\xff|12.5");
    predict(h, r, 1, 0);
    give_key(h, r, "k\n1");
    predict(h, harness_row(h, "\\N|\\N"), NAN, 2);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    finish(h);
    json_t *j = json_line(0);
    ck_assert_str_eq(json_string_value(json_object_get(j, "tag")), "k\n1");
    ck_assert(json_number_value(json_object_get(j, "probability")) == 0.5);
    ck_assert(json_number_value(json_object_get(j, "delay")) == 12.5);
    ck_assert_str_eq(json_string_value(json_object_get(j, "carrier")), "A\"\xef\xbf\xbd");
    json_decref(j);
    j = json_line(1);
    ck_assert_int_eq(json_integer_value(json_object_get(j, "tag")), 2);
    ck_assert_double_eq_tol(json_number_value(json_object_get(j, "probability")),
                            1 / (1 + exp(-2.0)), 1e-7);
    ck_assert(json_is_null(json_object_get(j, "label")));
    ck_assert(json_is_null(json_object_get(j, "delay")));
    ck_assert(json_is_null(json_object_get(j, "carrier")));
    json_decref(j);
}
END_TEST

START_TEST(predictions_leave_out_what_was_filtered)
{
    struct harness *h = predictions("tsv");
    harness_set(h, "heading", "false");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    for (uint32_t r = 0; r < 4; r++)
        predict(h, harness_record(h, "x"), 1, (float)r);
    h->b.ex_sel[0] = 1, h->b.ex_sel[1] = 3;
    h->b.n_ex_sel = 2;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(finish(h), "2\t1\t1\n4\t3\t1\n");
}
END_TEST

START_TEST(predictions_read_back_as_the_same_scores)
{
    static float score[3000];
    struct harness *h = predictions("csv");
    harness_set(h, "heading", "false");
    ck_assert_int_eq(harness_open(h, 3000), LEAT_OK);
    srand(1);
    for (int i = 0; i < 3000; i++) {
        score[i] = ldexpf((float)rand() / 1e9f - 1, rand() % 40 - 25);
        predict(h, harness_record(h, "x"), 1, score[i]);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    finish(h);
    char *at = text;
    for (int i = 0; i < 3000; i++) {
        ck_assert_int_eq(strtol(at, &at, 10), i + 1);
        ck_assert(strtof(at + 1, &at) == score[i]);
        at = strchr(at, '\n') + 1;
    }
    ck_assert(*at == 0);
}
END_TEST

START_TEST(probability_of_a_value_and_unknown_columns_are_refused)
{
    struct harness *h = predictions("csv");
    h->in.score = LEAT_SCORE_VALUE;
    ck_assert_int_eq(harness_negotiate(h), 0);
    harness_set(h, "probability", "true");
    harness_set(h, "columns", "carrier");
    ck_assert_int_eq(harness_negotiate(h), 2);
    ck_assert(says(h, "probability: ") && says(h, "columns: "));
    finish(h);
}
END_TEST

/* ---- sink.file ---- */

static struct harness *file(const char *format)
{
    struct harness *h = harness_new("sinks", "sink.file");
    harness_set(h, "path", new_path());
    harness_set(h, "format", format);
    return h;
}

static void three_columns(struct harness *h)
{
    harness_column(h, "name", LEAT_TEXT);
    harness_column(h, "delay, min", LEAT_NUMBER);
    harness_column(h, "note", LEAT_TEXT);
}

START_TEST(raw_records_come_out_as_they_arrived)
{
    struct harness *h = file("raw");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    static const char *const records[] = {"plain", "", "\"quoted\nline\"", "\xff\xfe,;"};
    for (int i = 0; i < 4; i++)
        harness_record(h, records[i]);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(finish(h), "plain\n\n\"quoted\nline\"\n\xff\xfe,;\n");
}
END_TEST

START_TEST(records_longer_than_the_buffer_come_out_whole)
{
    struct harness *h = file("raw");
    ck_assert_int_eq(harness_open(h, 1200), LEAT_OK); /* large enough for the records */
    static char big[200001];
    for (size_t i = 0; i + 1 < sizeof big; i++)
        big[i] = (char)('a' + i % 23);
    for (int i = 0; i < 3; i++) {
        harness_record(h, "short");
        harness_record(h, big);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        harness_clear(h);
    }
    finish(h);
    ck_assert_uint_eq(text_len, 3 * (6 + sizeof big));
    for (int i = 0; i < 3; i++) {
        const char *at = text + i * (6 + sizeof big);
        ck_assert(!memcmp(at, "short\n", 6) && !memcmp(at + 6, big, sizeof big - 1));
    }
}
END_TEST

START_TEST(csv_has_a_heading_and_tells_empty_from_missing)
{
    struct harness *h = file("csv");
    three_columns(h);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    harness_row(h, "a,b|1.5|say \"x\"");
    harness_row(h, "|\\N|\\N");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(finish(h), "name,\"delay, min\",note\n"
                                "\"a,b\",1.5,\"say \"\"x\"\"\"\n"
                                "\"\",,\n");
}
END_TEST

START_TEST(tsv_writes_the_chosen_columns_in_their_order)
{
    struct harness *h = file("tsv");
    three_columns(h);
    harness_set(h, "columns", "note,name");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    harness_row(h, "n\t1|2|x\\y");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(finish(h), "note\tname\nx\\\\y\tn\\t1\n");
}
END_TEST

START_TEST(json_lines_parse_and_keep_every_digit)
{
    struct harness *h = file("jsonl");
    three_columns(h);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    harness_row(h, "\x01\"\\|0.30000000000000004|caf\xc3\xa9 \xc3");
    harness_row(h, "\\N|\\N|");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    finish(h);
    json_t *j = json_line(0);
    ck_assert_str_eq(json_string_value(json_object_get(j, "name")), "\x01\"\\");
    ck_assert(json_number_value(json_object_get(j, "delay, min")) == 0.1 + 0.2);
    ck_assert_str_eq(json_string_value(json_object_get(j, "note")), "caf\xc3\xa9 \xef\xbf\xbd");
    json_decref(j);
    j = json_line(1);
    ck_assert(json_is_null(json_object_get(j, "name")));
    ck_assert(json_is_null(json_object_get(j, "delay, min")));
    ck_assert_str_eq(json_string_value(json_object_get(j, "note")), "");
    json_decref(j);
}
END_TEST

START_TEST(appending_keeps_the_file_and_writes_no_second_heading)
{
    for (int turn = 0; turn < 3; turn++) {
        struct harness *h = harness_new("sinks", "sink.file");
        harness_set(h, "path", turn ? path : new_path());
        harness_set(h, "append", turn < 2 ? "true" : "false");
        harness_set(h, "format", "csv");
        harness_column(h, "n", LEAT_NUMBER);
        ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
        harness_row(h, turn ? "2" : "1");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        harness_free(h);
        ck_assert_str_eq(read_back(), turn == 0 ? "n\n1\n" : turn == 1 ? "n\n1\n2\n" : "n\n2\n");
    }
    unlink(path);
}
END_TEST

START_TEST(sinks_that_share_a_file_do_not_break_each_others_lines)
{
    struct harness *h[2];
    char line[2][100];
    new_path();
    for (int i = 0; i < 2; i++) {
        h[i] = harness_new("sinks", "sink.file");
        harness_set(h[i], "path", path);
        harness_set(h[i], "append", "true");
        ck_assert_int_eq(harness_open(h[i], 500), LEAT_OK);
        memset(line[i], 'a' + i, 90 + (size_t)i);
        line[i][90 + i] = 0;
    }
    for (int turn = 0; turn < 10; turn++) /* seven buffers each */
        for (int i = 0; i < 2; i++) {
            harness_clear(h[i]);
            for (int r = 0; r < 500; r++)
                harness_record(h[i], line[i]);
            ck_assert_int_eq(harness_process(h[i]), LEAT_OK);
        }
    harness_free(h[0]);
    finish(h[1]);
    int lines = 0;
    for (char *at = text; *at; at = strchr(at, '\n') + 1, lines++) {
        int i = at[0] - 'a';
        ck_assert(i == 0 || i == 1);
        ck_assert_uint_eq(strcspn(at, "\n"), strlen(line[i]));
        ck_assert_uint_eq(strspn(at, i ? "b" : "a"), strlen(line[i]));
    }
    ck_assert_int_eq(lines, 10000);
}
END_TEST

START_TEST(columns_that_cannot_be_are_refused)
{
    struct harness *h = file("csv");
    expect_errors(h, 1, "format: csv needs columns");
    three_columns(h);
    ck_assert_int_eq(harness_negotiate(h), 0);
    harness_set(h, "columns", "nmae");
    ck_assert_int_eq(harness_negotiate(h), 1);
    harness_set(h, "format", "raw");
    expect_refused(h, "columns: has a meaning only for");
    finish(h);
}
END_TEST

/* ---- errors and standard output ---- */

START_TEST(every_batch_is_in_the_file_at_once)
{
    struct harness *h = file("raw");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    harness_record(h, "early");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(read_back(), "early\n");
    finish(h);
}
END_TEST

START_TEST(a_full_disk_ends_the_run_with_the_reason_once)
{
    for (int records = 1; records <= 4000; records += 3999) { /* less and more than a buffer */
        struct harness *h = harness_new("sinks", "sink.file");
        harness_set(h, "path", "/dev/full");
        ck_assert_int_eq(harness_open(h, 4000), LEAT_OK);
        for (int i = 0; i < records; i++)
            harness_record(h, "twenty bytes or some");
        ck_assert_int_eq(harness_process(h), LEAT_EIO);
        ck_assert_str_eq(h->said, "cannot write /dev/full: No space left on device\n");
        ck_assert_int_eq(h->stage->barrier(&h->ctx, h->self, 1), LEAT_EIO);
        harness_free(h); /* the second stop must not fail */
    }
}
END_TEST

START_TEST(a_reader_that_goes_away_ends_the_run)
{
    signal(SIGPIPE, SIG_IGN);
    new_path();
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct harness *h = harness_new("sinks", "sink.file");
    harness_set(h, "path", path);
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    close(reader);
    harness_record(h, "nobody reads this");
    ck_assert_int_eq(harness_process(h), LEAT_EIO);
    ck_assert(says(h, "Broken pipe"));
    harness_free(h);
    unlink(path);
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_is_named)
{
    static const char *const sinks[][2] = {{"sinks", "sink.file"},
                                           {"sinks", "sink.predictions"},
                                           {"sinks", "sink.top"},
                                           {"sinks", "sink.metrics"}};
    for (size_t i = 0; i < 4; i++) {
        struct harness *h = harness_new(sinks[i][0], sinks[i][1]);
        harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_SCORE);
        harness_column(h, "c", LEAT_TEXT);
        if (i < 2) harness_set(h, "columns", "c");
        if (i < 2) harness_set(h, "format", "csv");
        harness_set(h, "path", "/nonexistent/out.txt");
        ck_assert_int_eq(harness_open(h, 10), LEAT_EIO);
        ck_assert_str_eq(h->said, "cannot open /nonexistent/out.txt: No such file or directory\n");
        harness_set(h, "path", "");
        ck_assert_int_eq(harness_negotiate(h), 1);
        harness_free(h);
    }
}
END_TEST

START_TEST(memory_that_is_denied_is_reported_and_none_is_lost)
{
    int opened = 0;
    for (int allowed = 0; !opened; allowed++) {
        struct harness *h = predictions("csv");
        harness_column(h, "c", LEAT_TEXT);
        harness_set(h, "columns", "c");
        h->allocs_left = allowed;
        int s = harness_open(h, 10);
        opened = s == LEAT_OK;
        if (!opened) ck_assert_int_eq(s, LEAT_ENOMEM);
        ck_assert_int_lt(allowed, 10);
        finish(h);
    }
}
END_TEST

START_TEST(standard_output_is_written_and_left_open)
{
    int saved = dup(STDOUT_FILENO), to = open(new_path(), O_WRONLY);
    fflush(stdout);
    dup2(to, STDOUT_FILENO);
    struct harness *h = harness_new("sinks", "sink.file");
    int s = harness_open(h, 10);
    harness_record(h, "to the terminal");
    harness_process(h);
    harness_free(h);
    int open_still = fcntl(STDOUT_FILENO, F_GETFD);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(to);
    ck_assert_int_eq(s, LEAT_OK);
    ck_assert_int_ge(open_still, 0);
    ck_assert_str_eq(read_back(), "to the terminal\n");
    unlink(path);
}
END_TEST

START_TEST(null_takes_everything)
{
    struct harness *h = harness_new("sinks", "sink.null");
    ck_assert_int_eq(harness_open(h, 10), LEAT_OK);
    harness_record(h, "x");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->b.n_sel, 1);
    harness_free(h);
}
END_TEST

/* ---- sink.top ---- */

static struct harness *top(const char *format)
{
    struct harness *h = harness_new("sinks", "sink.top");
    harness_set(h, "path", new_path());
    harness_set(h, "format", format);
    return h;
}

static const char *const columns[] = {"weight", "relative_risk", "support_outliers", "count"};
static const char *const names[] = {"payee=VERIZON & office=\"SAA\", x", "caf\xc3\xa9\x1b[2J",
                                    "9007199254740993"};
static const uint32_t name_len[] = {31, 9, 16};
static const double values[] = {2.3456789, 123.4, 0.1234, 1234567,  -0.5,    1.0,
                                NAN,       12,    0.25,   INFINITY, 0.00051, 3};

static struct leat_table answer(uint32_t rows, uint32_t last)
{
    return (struct leat_table){.size = sizeof(struct leat_table),
                               .kind = LEAT_QUERY_TOP,
                               .learner = "model",
                               .examples = 36000,
                               .seconds = 1.2345,
                               .last = last,
                               .n_columns = 4,
                               .n_rows = rows,
                               .columns = columns,
                               .names = names,
                               .name_len = name_len,
                               .values = values};
}

static void show(struct harness *h, struct leat_table t)
{
    ck_assert_int_eq(h->stage->asker->show(&h->ctx, h->self, &t), LEAT_OK);
}

START_TEST(top_asks_for_what_its_parameters_say)
{
    struct harness *h = top("table");
    struct leat_ask a = {.size = sizeof a};
    ck_assert_int_eq(h->stage->asker->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.kind == LEAT_QUERY_TOP && a.k == 20 && a.min_count == 0 && !a.of);
    ck_assert(a.every.ns == 0 && a.every.examples == 0);
    harness_set(h, "k", "7");
    harness_set(h, "of", "model");
    harness_set(h, "min_count", "30");
    harness_set(h, "every", "10s");
    ck_assert_int_eq(h->stage->asker->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.k == 7 && a.min_count == 30 && a.every.ns == 10000000000);
    ck_assert_str_eq(a.of, "model");
    finish(h);
}
END_TEST

START_TEST(top_passes_on_its_conditions)
{
    struct harness *h = top("table");
    struct leat_ask a = {.size = sizeof a};
    ck_assert_int_eq(h->stage->asker->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.min_support == 0 && a.min_risk_ratio == 0 && a.min_odds_gain == 0);
    harness_set(h, "min_support", "0.001");
    harness_set(h, "min_risk_ratio", "2");
    harness_set(h, "min_odds_gain", "1");
    ck_assert_int_eq(h->stage->asker->ask(h->cfg, &a), LEAT_OK);
    ck_assert(a.min_support == 0.001 && a.min_risk_ratio == 2 && a.min_odds_gain == 1);
    harness_set(h, "min_odds_gain", "0.9");
    ck_assert_int_eq(harness_negotiate(h), 1);
    finish(h);
}
END_TEST

START_TEST(top_table_is_aligned_and_harmless)
{
    struct harness *h = top("table");
    harness_set(h, "title", "What explains the outliers");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    show(h, answer(0, 0));
    show(h, answer(3, 1));
    ck_assert_str_eq(
        finish(h),
        "What explains the outliers (model, 36,000 examples, 1.2 s)\n"
        "none\n"
        "\n"
        "What explains the outliers (model, 36,000 examples)\n"
        "#  weight  relative risk  support outliers      count  feature\n"
        "1   2.346          123.4            12.3 %  1,234,567  payee=VERIZON & office=\"SAA\", x\n"
        "2  -0.500            1.0                 -         12  caf\xc3\xa9?[2J\n"
        "3   0.250            inf             0.1 %          3  9007199254740993\n");
}
END_TEST

START_TEST(top_json_parses_and_has_null_for_no_value)
{
    struct harness *h = top("jsonl");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    show(h, answer(0, 0));
    show(h, answer(3, 1));
    finish(h);
    json_t *j = json_line(0);
    ck_assert(json_is_false(json_object_get(j, "last")));
    ck_assert_uint_eq(json_array_size(json_object_get(j, "top")), 0);
    json_decref(j);
    j = json_line(1);
    ck_assert_str_eq(json_string_value(json_object_get(j, "learner")), "model");
    ck_assert_int_eq(json_integer_value(json_object_get(j, "examples")), 36000);
    ck_assert_ptr_null(json_object_get(j, "seconds")); /* equal runs write equal bytes */
    json_t *rows = json_object_get(j, "top"), *first = json_array_get(rows, 0);
    ck_assert_uint_eq(json_array_size(rows), 3);
    ck_assert_str_eq(json_string_value(json_object_get(first, "feature")), names[0]);
    ck_assert(json_number_value(json_object_get(first, "weight")) == 2.3456789);
    ck_assert(json_number_value(json_object_get(first, "count")) == 1234567);
    ck_assert(json_is_null(json_object_get(json_array_get(rows, 1), "support_outliers")));
    ck_assert(json_is_null(json_object_get(json_array_get(rows, 2), "relative_risk")));
    json_decref(j);
}
END_TEST

START_TEST(top_csv_has_one_heading_for_all_reports)
{
    struct harness *h = top("csv");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    show(h, answer(1, 0));
    show(h, answer(2, 1));
    ck_assert_str_eq(
        finish(h),
        "learner,examples,rank,feature,weight,relative_risk,support_outliers,count\n"
        "model,36000,1,\"payee=VERIZON & office=\"\"SAA\"\", x\",2.3456789,123.4,0.1234,1234567\n"
        "model,36000,1,\"payee=VERIZON & office=\"\"SAA\"\", x\",2.3456789,123.4,0.1234,1234567\n"
        "model,36000,2,caf\xc3\xa9\x1b[2J,-0.5,1,,12\n");
}
END_TEST

/* For any magnitude, the cells of a column end under the end of its heading. */
START_TEST(top_table_columns_end_together_whatever_the_numbers)
{
    static const double magnitudes[] = {0,       1e-300, 3e-6, 1e-4, 0.99996,
                                        9.99996, 1e3,    1e8,  1e9,  1e300};
    static const char *const one[] = {"weight"};
    static const char *const two_names[] = {"a", "b"};
    static const uint32_t lens[] = {1, 1};
    struct harness *h = top("table");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    size_t n = sizeof magnitudes / sizeof *magnitudes;
    for (size_t i = 0; i < n; i++) {
        double v[2] = {magnitudes[i], -magnitudes[i] / 3};
        struct leat_table t = answer(2, 1);
        t.n_columns = 1;
        t.columns = one;
        t.names = two_names;
        t.name_len = lens;
        t.values = v;
        show(h, t);
    }
    finish(h);
    const char *line = text;
    for (size_t i = 0; i < n; i++) { /* blank, title, heading, two rows */
        if (i) line = strchr(line, '\n') + 1;
        line = strchr(line, '\n') + 1;
        size_t end = (size_t)(strstr(line, "weight") + 6 - line);
        line = strchr(line, '\n') + 1;
        for (int r = 0; r < 2; r++) {
            ck_assert_msg(strcspn(line, "ab") == end + 2, "%s", line);
            double back = strtod(line + 1, NULL), want = r ? -magnitudes[i] / 3 : magnitudes[i];
            ck_assert_double_le(fabs(back - want), 2e-3 * magnitudes[i]);
            line = strchr(line, '\n') + 1;
        }
    }
    ck_assert(*line == 0);
}
END_TEST

START_TEST(top_table_fits_a_terminal_and_only_there)
{
    struct winsize size = {.ws_row = 24, .ws_col = 78};
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    ck_assert_int_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
    int held = open(ptsname(terminal), O_RDWR | O_NOCTTY); /* keeps the output from being lost */
    struct harness *h = harness_new("sinks", "sink.top");
    harness_set(h, "path", ptsname(terminal));
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    show(h, answer(3, 1));
    harness_free(h);
    ssize_t n = read(terminal, text, sizeof text - 1);
    ck_assert_int_gt(n, 0);
    text[n] = 0;
    close(held);
    close(terminal);
    /* With headings in two lines and without the support among inliers, the name has room. */
    ck_assert_ptr_nonnull(strstr(text, "           relative   support\r\n"
                                       "#  weight      risk  outliers      count  feature\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "1,234,567  payee=VERIZON & office=\"SAA\", x\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "9007199254740993\r\n"));
}
END_TEST

START_TEST(top_tells_of_a_full_disk)
{
    struct harness *h = harness_new("sinks", "sink.top");
    harness_set(h, "path", "/dev/full");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    struct leat_table t = answer(3, 1);
    ck_assert_int_eq(h->stage->asker->show(&h->ctx, h->self, &t), LEAT_EIO);
    ck_assert(says(h, "/dev/full: No space left"));
    harness_free(h);
}
END_TEST

/* ---- sink.metrics ---- */

START_TEST(metrics_are_json_lines_with_null_for_no_value)
{
    static const char *const figures[] = {"examples", "error_rate", "auc"};
    static const char *const who[] = {"model"};
    static const uint32_t len[] = {5};
    static const double v[] = {36000, 0.125, NAN};
    struct harness *h = harness_new("sinks", "sink.metrics");
    harness_set(h, "path", new_path());
    struct leat_ask a = {.size = sizeof a};
    h->stage->asker->ask(h->cfg, &a);
    ck_assert(a.kind == LEAT_QUERY_METRICS && a.every.ns == 1000000000);
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    struct leat_table t = answer(1, 0);
    t.kind = LEAT_QUERY_METRICS;
    t.n_columns = 3;
    t.columns = figures;
    t.names = who;
    t.name_len = len;
    t.values = v;
    show(h, t);
    ck_assert_str_eq(read_back(), "{\"learner\":\"model\",\"examples\":36000,\"seconds\":1.235,"
                                  "\"error_rate\":0.125,\"auc\":null}\n");
    t.n_rows = 0;
    show(h, t);
    finish(h);
    json_decref(json_line(1));
}
END_TEST

LEAT_SUITE(
    "sinks", predictions_are_tag_score_label_a_line, predictions_use_the_key_as_tag_and_quote_it,
    predictions_in_json_parse_and_carry_columns, predictions_leave_out_what_was_filtered,
    predictions_read_back_as_the_same_scores,
    probability_of_a_value_and_unknown_columns_are_refused, raw_records_come_out_as_they_arrived,
    records_longer_than_the_buffer_come_out_whole, csv_has_a_heading_and_tells_empty_from_missing,
    tsv_writes_the_chosen_columns_in_their_order, json_lines_parse_and_keep_every_digit,
    appending_keeps_the_file_and_writes_no_second_heading,
    sinks_that_share_a_file_do_not_break_each_others_lines, columns_that_cannot_be_are_refused,
    every_batch_is_in_the_file_at_once, a_full_disk_ends_the_run_with_the_reason_once,
    a_reader_that_goes_away_ends_the_run, a_file_that_cannot_be_opened_is_named,
    memory_that_is_denied_is_reported_and_none_is_lost, standard_output_is_written_and_left_open,
    null_takes_everything, top_asks_for_what_its_parameters_say, top_passes_on_its_conditions,
    top_table_is_aligned_and_harmless, top_json_parses_and_has_null_for_no_value,
    top_csv_has_one_heading_for_all_reports, top_table_columns_end_together_whatever_the_numbers,
    top_table_fits_a_terminal_and_only_there, top_tells_of_a_full_disk,
    metrics_are_json_lines_with_null_for_no_value)
