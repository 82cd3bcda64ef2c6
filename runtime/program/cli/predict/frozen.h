/* frozen.h -- a saved pipeline that predicts and learns nothing (`leat predict`).
 *
 * The fingerprint of a snapshot has the stages from the source to the learner with all their
 * parameters. So the pipeline is made again, without its script:
 *
 *     snapshot   csv -> set -> is -> columns -> awm           is labels: left out
 *     frozen     source -> csv -> set -> columns -> frozen.labels -> awm -> frozen.sink
 *
 * The script lua/leat/predict.lua has only the source. The stage frozen.labels gives each example
 * the label 0 and the importance weight 0, so the learner predicts it and does not change. The sink
 * writes one line for each record, also for those that have no prediction.
 *
 * Stages that only label, weigh or thin out records are left out, as for /predict (predictor.h).
 * Other stages that keep something about earlier records begin with their saved state. */
#ifndef LEAT_PROGRAM_CLI_PREDICT_FROZEN_H
#define LEAT_PROGRAM_CLI_PREDICT_FROZEN_H

#include "host/exec/run.h"
#include "program/cli/model/model.h"

/* A parameter of a stage that the user sets: --set STAGE.PARAMETER=VALUE. */
struct frozen_change {
    const struct node *of;
    const char *name, *value;
};

struct frozen {
    struct model *model;
    struct node *learner;
    struct node **step; /* stages of the model between source and learner, in order */
    uint32_t n_steps;
    const char *format; /* of the lines: a choice of frozen.sink */
    struct frozen_change *change;
    size_t n_changes;
};

/* Finds the stages of the learner `id`; of the only learner that predicts if id is NULL. Takes
 * memory of the model. Takes STAGE.PARAMETER=VALUE, such as csv.columns=a,b, out of the arguments.
 * Returns LEAT_OK; or LEAT_EARG after a message, if a stage of the pipeline
 * needs its script or other files, or makes records out of others. */
int frozen_find(struct frozen *f, struct model *m, const char *id, struct argument *args,
                size_t *n_args);

/* Returns a parameter of the source that the model has learned from, such as `encoding`; NULL if it
 * has none. */
const char *frozen_source_setting(const struct frozen *f, const char *name);

/* Adds the stages to a graph that consists of a source, before graph_link(). */
void frozen_extend(const struct frozen *f, struct graph *g);

/* Loads the saved states into the open stages of a run. Returns LEAT_OK, or a failure, whose reason
 * is in r->control.reason. */
int frozen_restore(const struct frozen *f, const struct run *r);

/* Plugin with the stages frozen.labels and frozen.sink; only `leat predict` adds it. */
extern const struct leat_plugin frozen_plugin;

#endif
