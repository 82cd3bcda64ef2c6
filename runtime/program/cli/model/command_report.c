/* command_report.c -- `leat report`: a page on summaries and snapshots. See command.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log/log.h"
#include "host/memory/memory.h"
#include "command_model.h"
#include "model_summary.h"
#include "program/cli/command_line/options.h"
#include "program/cli/summary/write_report.h"
#include "host/store/snapshot_dir.h"

/* ---- what is shown ---- */

enum { FIRST_BYTES = 64 };
enum content { CONTENT_NONE, CONTENT_JSON, CONTENT_SNAPSHOT, CONTENT_OTHER };

static const char give[] = "give the JSON of --summary, a snapshot, or the folder of --state";

static int refuse(const char *path, int status, const char *why, const char *cure)
{
    log_message(LEAT_ERROR, "%s: %s: %s", path, why, cure);
    return status;
}

/* JSON begins with a brace, a snapshot with a mark of its own. */
static enum content content_of(FILE *f)
{
    char text[FIRST_BYTES];
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    if (!n) return CONTENT_NONE;
    if (snapshot_begins(text, n)) return CONTENT_SNAPSHOT;
    return text[strspn(text, " \t\r\n\xef\xbb\xbf")] == '{' ? CONTENT_JSON : CONTENT_OTHER;
}

static int load_summary(const char *path, json_t **to)
{
    json_error_t error;
    *to = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (!*to)
        log_message(LEAT_ERROR, "%s: is no JSON: line %d: %s: write it again with --summary", path,
                    error.line, error.text);
    const char *fault = *to ? page_fault(*to) : NULL;
    if (fault) refuse(path, LEAT_EDATA, fault, give);
    return *to && !fault ? LEAT_OK : LEAT_EDATA;
}

static int load_snapshot(const char *path, const struct command_line *c, struct registry *known,
                         json_t **to)
{
    struct model m;
    int status = model_open(&m, path, c->memory, known);
    if (status == LEAT_OK) *to = model_summary(&m);
    model_close(&m);
    return status;
}

/* Learners that cannot be asked are on the page, with the reason. */
static bool lacks_answer(const json_t *summary)
{
    size_t i;
    json_t *answer;
    json_array_foreach(json_object_get(summary, "answers"), i, answer)
    {
        if (json_object_get(answer, "error")) return true;
    }
    return false;
}

/* What is no regular file, such as a folder, may hold snapshots. */
static int load(const char *path, const struct command_line *c, struct registry *known, json_t **to)
{
    struct stat st;
    *to = NULL;
    if (stat(path, &st)) return refuse(path, LEAT_EIO, "cannot be read", strerror(errno));
    FILE *f = S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    enum content content = f ? content_of(f) : CONTENT_SNAPSHOT;
    if (f) fclose(f);
    if (content == CONTENT_NONE) return refuse(path, LEAT_EDATA, "is empty", give);
    if (content == CONTENT_OTHER)
        return refuse(path, LEAT_EDATA, "is neither a summary nor a snapshot", give);
    return content == CONTENT_JSON ? load_summary(path, to) : load_snapshot(path, c, known, to);
}

/* Several are told apart by their names. */
static int load_one_of(size_t n, const char *path, const struct command_line *c,
                       struct registry *known, json_t **to)
{
    int status = load(path, c, known, to);
    if (status == LEAT_OK && n > 1) json_object_set_new(*to, "shown_as", json_string(path));
    return status;
}

static const char *input_of(const struct command_line *c, size_t i)
{
    return i ? c->operand[i - 1] : c->script;
}

/* The first that is not there; NULL: all are. */
static const char *missing_input(const struct command_line *c)
{
    struct stat st;
    for (size_t i = 0; i <= c->n_operands; i++)
        if (stat(input_of(c, i), &st) && errno == ENOENT) return input_of(c, i);
    return NULL;
}

/* ---- where it goes ---- */

/* PAGE_FORMATS, after a message: it is not known. */
static enum page_format format_of(const struct command_line *c)
{
    enum page_format format =
        c->format || !strcmp(c->report, "-") ? PAGE_HTML : page_format_of(c->report);
    while (c->format && format < PAGE_FORMATS && strcmp(page_formats[format], c->format))
        format++;
    if (format == PAGE_FORMATS && c->format)
        usage_error("--format takes html or md, not ", c->format);
    else if (format == PAGE_FORMATS)
        usage_error(
            "the name of a report ends in .html or .md, or --format html|md says which: -o ",
            c->report);
    return format;
}

static bool is_output(const struct command_line *c, const char *path)
{
    struct stat a, b;
    return !stat(path, &a) && !stat(c->report, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A page must not replace what it is made of, of a folder any of its snapshots. */
static bool is_input(const struct command_line *c, const char *input)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char name[32], path[PATH_MAX];
    bool is = is_output(c, input);
    int n = snapshot_dir_list(input, checkpoint);
    for (int i = 0; i < n && !is; i++) {
        snapshot_dir_name(checkpoint[i], name);
        snprintf(path, sizeof path, "%s/%s", input, name);
        is = is_output(c, path);
    }
    return is;
}

static int refuse_output(const struct command_line *c)
{
    for (size_t i = 0; i <= c->n_operands; i++)
        if (is_input(c, input_of(c, i)))
            return usage_error("the report would overwrite what it shows: -o ", c->report);
    return EXIT_DONE;
}

static int report_all(const struct command_line *c, enum page_format format, struct registry *known)
{
    size_t n = c->n_operands + 1;
    json_t **summary = memory_take(n * sizeof *summary);
    int status = LEAT_OK;
    memset(summary, 0, n * sizeof *summary);
    for (size_t i = 0; i < n && status == LEAT_OK; i++)
        status = load_one_of(n, input_of(c, i), c, known, &summary[i]);
    if (status == LEAT_OK)
        status = write_report(c->report, format, (const json_t *const *)summary, n);
    for (size_t i = 0; i < n; i++) {
        if (status == LEAT_OK && lacks_answer(summary[i])) status = LEAT_EDATA;
        json_decref(summary[i]);
    }
    free(summary);
    return status;
}

int command_report(const struct command_line *c)
{
    struct registry known;
    const char *missing = missing_input(c);
    if (missing) {
        refuse(missing, LEAT_EIO, "there is no such file", give);
        return EXIT_DATA;
    }
    if (!c->report)
        return usage_error("the output is missing: leat ",
                           "report SUMMARY.json|SNAPSHOT|DIR -o FILE.html|FILE.md");
    enum page_format format = format_of(c);
    if (format == PAGE_FORMATS || refuse_output(c) != EXIT_DONE) return EXIT_CONFIG;
    if (c->log_level >= 0) log_set_level(c->log_level);
    command_load_plugins(&known, c);
    int status = report_all(c, format, &known);
    registry_print_notices(&known, c->log_level >= LEAT_INFO, stderr);
    registry_free(&known);
    return status == LEAT_OK ? EXIT_DONE : status == LEAT_EARG ? EXIT_CONFIG : EXIT_DATA;
}
