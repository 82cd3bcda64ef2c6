/* parts.h -- the parts of a page, in their order.
 *
 * Each part writes its data. If the summary lacks them, it writes how to get them, or nothing. */
#ifndef LEAT_PROGRAM_PAGE_PARTS_H
#define LEAT_PROGRAM_PAGE_PARTS_H

#include <jansson.h>

#include "host/memory/arena.h"
#include "sheet.h"

struct page {
    struct sheet *sheet;
    const json_t *summary;
    struct arena *arena; /* memory that lives until the page is written */
};

void part_counted(const struct page *p);   /* counts of a summary without sentences */
void part_warnings(const struct page *p);  /* doubts about the figures */
void part_answers(const struct page *p);   /* answers of sinks */
void part_written(const struct page *p);   /* targets of sinks, and numbers of records written */
void part_over_time(const struct page *p); /* records by event time */
void part_learners(const struct page *p);  /* comparison of learners */
void part_changes(const struct page *p);   /* features that entered and left the answers */
void part_quality(const struct page *p);   /* curves, calibration, ROC              */
void part_data(const struct page *p);      /* inputs, stages, rejections            */
void part_settings(const struct page *p);  /* parameters of the stages */
void part_memory(const struct page *p);    /* planned and used memory */

/* ---- helpers ---- */

static inline void page_heading(const struct page *p, const char *text)
{
    p->sheet->language->heading(p->sheet, text);
}

static inline void page_say(const struct page *p, enum sheet_tone tone, const char *text)
{
    p->sheet->language->paragraph(p->sheet, tone, text);
}

static inline void page_table(const struct page *p, struct sheet_table t)
{
    p->sheet->language->table(p->sheet, &t);
}

/* Says below a table what its columns mean, as far as that is known. */
void page_legend(const struct page *p, const struct report_list *l);

/* Finds the learners that predict each example before they learn from it. Returns their number, at
 * most max. */
uint32_t page_predictors(const struct page *p, const json_t **stage, uint32_t max);
enum { PAGE_PREDICTORS = 32 };

/* True if two learners or more predict, or if the script requests the figures of a predicting
 * learner. The comparison of learners then comes before the answers. */
bool page_compares(const struct page *p);

#endif
