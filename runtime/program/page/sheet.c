/* sheet.c -- see sheet.h. */
#include "sheet.h"

#include "core/report/cell_text.h"

const char *sheet_heading(const struct report_column *c, char text[SHEET_HEADING])
{
    snprintf(text, SHEET_HEADING, "%s", cell_heading(c));
    for (char *at = text; !c->heading && (at = strchr(at, '_'));)
        *at = ' ';
    return text;
}
