/* page.c -- implementation of page.h: the head, the order of the parts, and the command. */
#include "page.h"

#include <errno.h>
#include <leat/plugin.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/report/private_file.h"
#include "fields.h"
#include "host/log/log.h"
#include "parts.h"

/* ---- the head ---- */

/* Returns the inputs for the first sentence: " of what.csv.zst" or " of 3 inputs". */
static const char *page_names_of(const struct page *p)
{
    const json_t *inputs = field(p->summary, "inputs");
    const char *only = NULL;
    double n = 0;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i), *names = field(input, "names");
        double more = field_number(input, "more");
        n += (double)json_array_size(names) + (more > 0 ? more : 0);
        if (json_array_size(names)) only = json_string_value(json_array_get(names, 0));
    }
    if (n == 1 && only) return arena_printf(p->arena, " of %s", only);
    return n > 1 ? arena_printf(p->arena, " of %s", field_counted(n, "input", p->arena)) : "";
}

static double page_bytes_of(const struct page *p)
{
    const json_t *inputs = field(p->summary, "inputs");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        double bytes = field_number(json_array_get(inputs, i), "bytes");
        if (bytes > 0) sum += bytes;
    }
    return sum;
}

/* Returns the event times for the first sentence: "; event time 2026-01-01 … to …". */
static const char *page_times_of(const struct page *p)
{
    const json_t *times = field(p->summary, "event_time");
    const char *first = field_moment(field_text(times, "first"), p->arena),
               *last = field_moment(field_text(times, "last"), p->arena);
    if (!*last) return "";
    if (!*first) return arena_printf(p->arena, "; event time until %s", last);
    return arena_printf(p->arena, "; event time %s to %s", first, last);
}

static const char *page_made_of(const struct page *p)
{
    const char *finished = field_text(p->summary, "finished"),
               *saved = field_text(p->summary, "saved");
    const char *how = json_is_true(field(p->summary, "interrupted")) ? ", stopped by a signal" : "";
    if (*finished)
        return arena_printf(p->arena, "; run of %s%s", field_moment(finished, p->arena), how);
    return *saved ? arena_printf(p->arena, "; snapshot of %s", field_moment(saved, p->arena)) : "";
}

/* Returns the number of records without a value in the column that label.quantile uses. */
static const char *without_value(const struct page *p)
{
    const json_t *stages = field(p->summary, "stages");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(stages); i++) {
        double n = field_number(field(json_array_get(stages, i), "metrics"), "without_value");
        if (n > 0) sum += n;
    }
    return sum > 0 ? arena_printf(p->arena, ", %s without a value", field_count(sum, p->arena))
                   : "";
}

/* Prints "95,759 records of a.csv (1.5 MB), 2 rejected; run of 2026-11-26 19:39:07 UTC". */
static void put_facts(const struct page *p)
{
    double bytes = page_bytes_of(p), rejected = field_number(p->summary, "rejected");
    const char *size =
        bytes > 0 ? arena_printf(p->arena, " (%s)", field_bytes(bytes, p->arena)) : "";
    const char *bad = rejected > 0
                          ? arena_printf(p->arena, ", %s rejected", field_count(rejected, p->arena))
                          : "";
    page_say(p, SHEET_PLAIN,
             arena_printf(p->arena, "%s%s%s%s%s%s%s.",
                          field_counted(field_number(p->summary, "records"), "record", p->arena),
                          page_names_of(p), size, bad, without_value(p), page_times_of(p),
                          page_made_of(p)));
}

static const char *question_of(const struct page *p)
{
    const char *question = field_text(p->summary, "question");
    const json_t *answer = json_array_get(field(p->summary, "answers"), 0);
    if (*question) return question;
    return *field_text(answer, "title") ? field_text(answer, "title")
                                        : field_text(p->summary, "pipeline");
}

/* Returns the title of the summary. If there are several summaries on the page, appends the
 * summary's file: "Heaviest features: monday.snapshot". */
static const char *title_of(const struct page *p)
{
    const char *name = field_text(p->summary, "shown_as");
    return *name ? arena_printf(p->arena, "%s: %s", question_of(p), name) : question_of(p);
}

static void part_head(const struct page *p)
{
    const char *error = field_text(p->summary, "error");
    p->sheet->language->title(
        p->sheet,
        arena_printf(p->arena, "leat report, pipeline %s", field_text(p->summary, "pipeline")),
        title_of(p));
    if (*error) page_say(p, SHEET_WARNING, arena_printf(p->arena, "the run failed: %s", error));
    const char *asked = field_text(p->summary, "asked"),
               *answered = field_text(p->summary, "answered");
    if (*asked) page_say(p, SHEET_LEAD, arena_printf(p->arena, "%s.", asked));
    if (*answered) page_say(p, SHEET_LEAD, arena_printf(p->arena, "%s.", answered));
    part_counted(p);
    put_facts(p);
}

/* ---- the end: the command that repeats the run ---- */

static void part_again(const struct page *p)
{
    const char *command = field_text(p->summary, "command"),
               *version = field_text(p->summary, "version"), *file = field_text(p->summary, "file");
    double seed = field_number(p->summary, "seed");
    page_heading(p, "How to get this again");
    if (*command)
        p->sheet->language->code(p->sheet, command);
    else if (!*file)
        page_say(p, SHEET_NOTE,
                 "This summary has no command line: make it again with this version of leat.");
    if (*file) page_say(p, SHEET_PLAIN, arena_printf(p->arena, "Made of the snapshot %s.", file));
    if (*file)
        page_say(p, SHEET_NOTE,
                 "The command line is in the report of a run (--report, --summary).");
    if (strstr(command, "***")) page_say(p, SHEET_NOTE, "*** stands for possible secrets.");
    page_say(p, SHEET_PLAIN,
             arena_printf(p->arena,
                          "leat %s%s. The same input, seed and version give the same "
                          "numbers, whatever the number of threads.",
                          *version ? version : "(version not known)",
                          seed >= 0 ? arena_printf(p->arena, ", seed %.0f", seed) : ""));
}

/* ---- the page ---- */

const char *const page_formats[] = {"html", "md", NULL};

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);
    return n > k && !strcasecmp(path + n - k, end);
}

enum page_format page_format_of(const char *path)
{
    if (ends_in(path, ".html") || ends_in(path, ".htm")) return PAGE_HTML;
    return ends_in(path, ".md") ? PAGE_MARKDOWN : PAGE_FORMATS;
}

const char *page_fault(const json_t *summary)
{
    if (!json_is_object(summary) || !json_is_string(field(summary, "pipeline")) ||
        !json_is_array(field(summary, "stages")))
        return "is not a summary of a run: it lacks pipeline and stages";
    if (!json_array_size(field(summary, "stages")))
        return "has no stages: there is nothing to show";
    return NULL;
}

static void put_parts(const struct page *p)
{
    part_head(p);
    if (page_compares(p)) part_learners(p), part_warnings(p);
    part_answers(p);
    if (!page_compares(p)) part_warnings(p);
    part_written(p);
    if (!page_compares(p)) part_learners(p);
    part_over_time(p);
    part_changes(p);
    part_quality(p);
    part_data(p);
    part_settings(p);
    part_memory(p);
    part_again(p);
}

static const char *page_title_of(const json_t *summary)
{
    const char *question = field_text(summary, "question");
    return *question ? question : field_text(summary, "pipeline");
}

int page_write(FILE *out, enum page_format format, const json_t *const *summary, size_t n)
{
    char buf[4096];
    struct sheet sheet = {.language = format == PAGE_HTML ? &sheet_html : &sheet_markdown,
                          .out = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = out}};
    struct arena arena = {0};
    sheet.language->begin(&sheet, page_title_of(summary[0]));
    for (size_t i = 0; i < n; i++)
        put_parts(&(struct page){&sheet, summary[i], &arena});
    sheet.language->end(&sheet);
    arena_free(&arena);
    text_flush(&sheet.out);
    return sheet.out.failed;
}

/* Returns advice for an errno, or "". */
static const char *cure(int failed)
{
    switch (failed) {
    case ENOENT:
    case ENOTDIR:
        return ": make its folder first, or give another name";
    case EISDIR:
        return ": give the name of a file in it";
    case EACCES:
    case EPERM:
    case EROFS:
        return ": give a place that you may write to";
    case ENOSPC:
        return ": make room there, or give another place";
    default:
        return "";
    }
}

int page_write_file(const char *path, enum page_format format, const json_t *const *summary,
                    size_t n)
{
    FILE *out = private_file_open(path);
    if (format == PAGE_FORMATS) format = page_format_of(path);
    int failed = out ? page_write(out, format, summary, n) : errno;
    if (out && fflush(out) == EOF && !failed) failed = errno;
    if (out && out != stdout && fclose(out) == EOF && !failed) failed = errno;
    if (failed)
        log_message(LEAT_ERROR, "the report %s cannot be written: %s%s", path, strerror(failed),
                    cure(failed));
    return failed ? LEAT_EIO : LEAT_OK;
}
