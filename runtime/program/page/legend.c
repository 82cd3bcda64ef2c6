/* legend.c -- the sentences below a table that say what its columns mean. */
#include <string.h>
#include <strings.h>

#include "parts.h"

/* Each sentence begins with the heading of its column. */
static const struct legend_entry {
    const char *name, *says;
} legend[] = {
    {"rate", "Rate: the share of outliers among the records with this feature."},
    {"relative_risk", "Relative risk: how many times as often these records are outliers as the "
                      "records without it."},
    {"support_outliers", "Support outliers: the share of the outliers that have it."},
    {"covered", "Covered: the share of the outliers that have this feature or one above it."},
    {"left", "Left: the outliers that would be left if all these records were as the others."},
    {"amount", "Amount: the sum over these records; all shares are of such sums."},
    {"lift", "Lift: how many times as often the two come together as by chance."},
    {"weight", "Weight: how much the prediction rises if this rises by one and the others do not."},
    {"spread", "Spread: how uncertain the weight is, as the run or the merged models show."},
    {"error_rate", "Error: the share of wrong predictions."},
    {"log_loss", "Log loss: 0 if every prediction is sure and right; surer mistakes cost more."},
    {"auc", "AUC: how often a positive record scores above another one; 0.5 is chance."},
    {"rmse", "RMSE: the root of the mean squared error."},
    {"mae", "MAE: the mean distance of the prediction from the truth."},
};

/* Returns the sentence; NULL if there is none, or if the script heads the column otherwise, such as
 * "in A". */
static const char *legend_of(const struct report_column *c)
{
    char heading[SHEET_HEADING];
    sheet_heading(c, heading);
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
        if (!strcmp(legend[i].name, c->name) &&
            !strncasecmp(legend[i].says, heading, strlen(heading)))
            return legend[i].says;
    return NULL;
}

void page_legend(const struct page *p, const struct report_list *l)
{
    const char *all = "";
    for (uint32_t c = 0; c < l->n_columns; c++) {
        const char *says = sheet_shows(&l->column[c]) ? legend_of(&l->column[c]) : NULL;
        if (says) all = arena_printf(p->arena, "%s%s%s", all, *all ? " " : "", says);
    }
    if (*all) page_say(p, SHEET_NOTE, all);
}
