/* page.c -- see page.h: the order of the parts. */
#include "page.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "fields.h"
#include "parts.h"

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
        return "is no summary of a run: it lacks pipeline and stages";
    if (!json_array_size(field(summary, "stages")))
        return "has no stages: there is nothing to show";
    return NULL;
}

uint32_t page_predictors(const struct page *p, const json_t **stage, uint32_t max)
{
    const json_t *stages = field(p->summary, "stages");
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(stages) && n < max; i++) {
        const json_t *s = json_array_get(stages, i), *metrics = field(s, "metrics");
        bool measures =
            json_is_number(field(metrics, "error_rate")) || json_is_number(field(metrics, "rmse"));
        if (measures && !json_is_false(field(s, "in_order"))) stage[n++] = s;
    }
    return n;
}

bool page_compares(const struct page *p)
{
    const json_t *stage[2];
    uint32_t n = page_predictors(p, stage, 2);
    return n == 2 || (n && json_is_true(field(p->summary, "figures")));
}

static void put_parts(const struct page *p)
{
    part_head(p);
    if (page_compares(p)) part_learners(p);
    part_answers(p);
    part_written(p);
    if (!page_compares(p)) part_learners(p);
    part_changes(p);
    part_quality(p);
    part_data(p);
    part_settings(p);
    part_memory(p);
    part_again(p);
}

static int drain(void *to, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, to) == n ? 0 : errno ? errno : EIO;
}

static const char *title_of(const json_t *summary)
{
    const char *question = field_text(summary, "question");
    return *question ? question : field_text(summary, "pipeline");
}

int page_write(FILE *out, enum page_format format, const json_t *const *summary, size_t n)
{
    char buf[4096];
    struct sheet sheet = {.language = format == PAGE_HTML ? &sheet_html : &sheet_markdown,
                          .out = {.buf = buf, .cap = sizeof buf, .drain = drain, .to = out}};
    struct arena arena = {NULL};
    sheet.language->begin(&sheet, title_of(summary[0]));
    for (size_t i = 0; i < n; i++)
        put_parts(&(struct page){&sheet, summary[i], &arena});
    sheet.language->end(&sheet);
    arena_free(&arena);
    text_flush(&sheet.out);
    return sheet.out.failed;
}
