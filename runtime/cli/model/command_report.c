/* command_report.c -- `leat report`: a page on summaries and snapshots. See command.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/memory/memory.h"
#include "command_model.h"
#include "model_summary.h"
#include "cli/command_line/options.h"
#include "cli/summary/write_report.h"

/* ---- what is shown ---- */

enum { FIRST_BYTES = 64 };

/* JSON begins with a brace, a snapshot with a mark of its own. */
static bool is_json(const char *path)
{
    char text[FIRST_BYTES];
    struct stat st;
    FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    return text[strspn(text, " \t\r\n\xef\xbb\xbf")] == '{';
}

static int refuse(const char *path, int status, const char *why)
{
    log_message(LEAT_ERROR, "%s %s", path, why);
    return status;
}

static int load_summary(const char *path, json_t **to)
{
    json_error_t error;
    *to = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (*to) return LEAT_OK;
    log_message(LEAT_ERROR, "%s is no JSON: line %d: %s", path, error.line, error.text);
    return LEAT_EDATA;
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

static int load(const char *path, const struct command_line *c, struct registry *known, json_t **to)
{
    struct stat st;
    *to = NULL;
    if (stat(path, &st)) return refuse(path, LEAT_EIO, strerror(errno));
    int status = is_json(path) ? load_summary(path, to) : load_snapshot(path, c, known, to);
    const char *fault = status == LEAT_OK ? page_fault(*to) : NULL;
    return fault ? refuse(path, LEAT_EDATA, fault) : status;
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

/* A page must not replace what it is made of. */
static bool is_input(const struct command_line *c, const char *input)
{
    struct stat a, b;
    return !stat(input, &a) && !stat(c->report, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int refuse_output(const struct command_line *c)
{
    for (size_t i = 0; i <= c->n_operands; i++)
        if (is_input(c, i ? c->operand[i - 1] : c->script))
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
        status = load(i ? c->operand[i - 1] : c->script, c, known, &summary[i]);
    if (status == LEAT_OK)
        status = write_report(c->report, format, (const json_t *const *)summary, n);
    for (size_t i = 0; i < n; i++)
        json_decref(summary[i]);
    free(summary);
    return status;
}

int command_report(const struct command_line *c)
{
    struct registry known;
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
