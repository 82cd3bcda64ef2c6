/* model_question.h -- repeats the query of a run's sink.top on the run's snapshot.
 *
 * `leat model` takes the parameters from that sink.top, so it ranks features as the run did. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_QUESTION_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_QUESTION_H

#include "program/cli/command.h"
#include "model.h"
#include "core/report/answer_report.h"

struct model_question {
    struct leat_ask want;
    enum report_format format;
    const char *title, *noun;
    struct answer_columns columns;
};

/* Returns the run's first sink.top that queries the learner; NULL if there is none. */
const struct node *model_question_sink(const struct model *m, const struct node *learner);

/* Fills *q with the query. Parameters on the command line c take precedence over those of `sink`, a
 * sink.top. Both c and `sink` may be NULL. Returns LEAT_OK, or LEAT_EARG after a message. */
int model_question_read(struct model *m, const struct command_line *c, const struct node *sink,
                        struct model_question *q);

#endif
