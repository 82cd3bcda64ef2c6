/* model_question.h -- the question to a learner in the run of a snapshot.
 *
 * The run's own sink.top asked it, so one model has one ranking. */
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

/* Returns the run's first sink.top that asked the learner; NULL if there is none. */
const struct node *model_question_sink(const struct model *m, const struct node *learner);

/* Reads the question of a sink.top with the settings of `sink` (or NULL), which the settings of the
 * command line (or NULL) replace. Returns LEAT_OK, or LEAT_EARG after a message. */
int model_question_read(struct model *m, const struct command_line *c, const struct node *sink,
                        struct model_question *q);

#endif
