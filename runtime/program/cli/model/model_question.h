/* model_question.h -- what the run of a snapshot asked a learner for, as its own sink.top did: one
 * model has one ranking. */
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

/* The first sink.top of the run that asked the learner; NULL: none did. */
const struct node *model_question_sink(const struct model *m, const struct node *learner);

/* Reads the question as a sink.top with these settings asks it: `sink`'s (NULL: none), which
 * those of the command line (NULL: none) replace. LEAT_OK, or LEAT_EARG after a message. */
int model_question_read(struct model *m, const struct command_line *c, const struct node *sink,
                        struct model_question *q);

#endif
