/* exposition.h -- writes the text format of Prometheus (0.0.4).
 *
 *     # HELP leat_stage_records_in_total Records that came to a stage.
 *     # TYPE leat_stage_records_in_total counter
 *     leat_stage_records_in_total{stage="parse",plugin="parse.csv"} 1200
 *
 * All samples of a family must follow its exposition_family(). Labels may contain any text. Bytes
 * that are not UTF-8 become U+FFFD. */
#ifndef LEAT_PROGRAM_WATCH_EXPOSITION_H
#define LEAT_PROGRAM_WATCH_EXPOSITION_H

#include "core/report/text_out.h"

struct exposition {
    struct text_out *out;
    const char *name; /* name of the current family */
};

struct label {
    const char *name, *value;
};

/* Begins a family. type: "counter" or "gauge"; help: a sentence. */
void exposition_family(struct exposition *e, const char *name, const char *type, const char *help);
/* Writes a sample of the family. The last element of `labels` has the name NULL. `labels` may be
 * NULL. */
void exposition_sample(struct exposition *e, const struct label *labels, double value);

#endif
