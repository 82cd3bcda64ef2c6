/* part_head.c -- the question, of what it was asked, and what makes the answer doubtful. */
#include <string.h>

#include "fields.h"
#include "parts.h"

/* "what.csv.zst", "3 inputs" */
static const char *names_of(const struct page *p)
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

static double bytes_of(const struct page *p)
{
    const json_t *inputs = field(p->summary, "inputs");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        double bytes = field_number(json_array_get(inputs, i), "bytes");
        if (bytes > 0) sum += bytes;
    }
    return sum;
}

/* "; event time 2026-01-01 … to …" */
static const char *times_of(const struct page *p)
{
    const json_t *times = field(p->summary, "event_time");
    const char *first = field_moment(field_text(times, "first"), p->arena),
               *last = field_moment(field_text(times, "last"), p->arena);
    if (!*last) return "";
    if (!*first) return arena_printf(p->arena, "; event time until %s", last);
    return arena_printf(p->arena, "; event time %s to %s", first, last);
}

static const char *made_of(const struct page *p)
{
    const char *finished = field_text(p->summary, "finished"),
               *saved = field_text(p->summary, "saved");
    const char *how = json_is_true(field(p->summary, "interrupted")) ? ", stopped by a signal" : "";
    if (*finished)
        return arena_printf(p->arena, "; run of %s%s", field_moment(finished, p->arena), how);
    return *saved ? arena_printf(p->arena, "; snapshot of %s", field_moment(saved, p->arena)) : "";
}

/* Of a question about a column: records that could not be asked (label.quantile). */
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

/* "95,759 records of a.csv (1.5 MB), 2 rejected; run of 2026-11-26 19:39:07 UTC" */
static void put_facts(const struct page *p)
{
    double bytes = bytes_of(p), rejected = field_number(p->summary, "rejected");
    const char *size =
        bytes > 0 ? arena_printf(p->arena, " (%s)", field_bytes(bytes, p->arena)) : "";
    const char *bad = rejected > 0
                          ? arena_printf(p->arena, ", %s rejected", field_count(rejected, p->arena))
                          : "";
    page_say(p, SHEET_PLAIN,
             arena_printf(p->arena, "%s%s%s%s%s%s%s.",
                          field_counted(field_number(p->summary, "records"), "record", p->arena),
                          names_of(p), size, bad, without_value(p), times_of(p), made_of(p)));
}

static const char *question_of(const struct page *p)
{
    const char *question = field_text(p->summary, "question");
    const json_t *answer = json_array_get(field(p->summary, "answers"), 0);
    if (*question) return question;
    return *field_text(answer, "title") ? field_text(answer, "title")
                                        : field_text(p->summary, "pipeline");
}

/* "Heaviest features: monday.snapshot", where there are several. */
static const char *title_of(const struct page *p)
{
    const char *name = field_text(p->summary, "shown_as");
    return *name ? arena_printf(p->arena, "%s: %s", question_of(p), name) : question_of(p);
}

void part_head(const struct page *p)
{
    const char *error = field_text(p->summary, "error");
    p->sheet->language->title(
        p->sheet,
        arena_printf(p->arena, "leat report, pipeline %s", field_text(p->summary, "pipeline")),
        title_of(p));
    if (*error) page_say(p, SHEET_WARNING, arena_printf(p->arena, "the run failed: %s", error));
    const char *asked = field_text(p->summary, "asked");
    if (*asked) page_say(p, SHEET_PLAIN, arena_printf(p->arena, "%s.", asked));
    put_facts(p);
}
