/* answer_json.h -- a learner's answer as JSON, with how its sink shows it. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_ANSWER_JSON_H
#define LEAT_PROGRAM_CLI_SUMMARY_ANSWER_JSON_H

#include <jansson.h>

#include "host/exec/answers/answer.h"
#include "host/exec/run.h"

/* [{"feature", the learner's columns, "also" if it has any}, …] */
json_t *answer_json_rows(const struct answer *a);

/* How a sink shows the answers to its question. */
struct answer_shown {
    const char *sink, *learner;
    const char *title;           /* NULL: none */
    const char *noun;            /* of what it counts; NULL: examples */
    struct leat_strings columns; /* those shown, "name" or "name=heading"; n 0: all */
    uint64_t examples;           /* that were learned */
    int64_t time;                /* the latest event time, ns since 1970; below 0: none */
};

/* {"sink", "learner", "title", "noun", "examples", "time", "columns": all, "shown", "rows"} */
json_t *answer_json(const struct answer *a, const struct answer_shown *shown);

/* What the sinks of a run asked last, an object each, and "moments" of a question that is asked
 * again and again: [{"examples", "time", "features": [name, …]}, …]. Answers of eval. stages, which
 * count for themselves, are not among them. After run_join. */
json_t *answer_json_of_run(const struct run *r);

/* Is the node such a sink? */
bool answer_json_is_shown(const struct node *n);
/* One of them; on the learner's thread, also of a run at work. */
json_t *answer_json_of_sink(const struct run *r, const struct node *sink);

/* A moment in ISO 8601; below 0: null. */
json_t *answer_json_time(int64_t ns);

#endif
