/* command_predict.c -- `leat predict STATE [FILE]...`: predicts records by a saved pipeline. */
#include <string.h>

#include "frozen.h"
#include "host/log/log.h"
#include "program/cli/application/application.h"
#include "program/cli/command.h"

/* Parameters of a source that say how to read records. */
static const char *const predict_forms[] = {"encoding", "format", "record_start"};
enum { PREDICT_FORMS = sizeof predict_forms / sizeof *predict_forms };

static void predict_add(struct command_line *run, const char *key, const char *value)
{
    for (size_t i = 0; i < run->n_args; i++)
        if (!strcmp(run->args[i].key, key)) return;
    run->args[run->n_args++] = (struct argument){key, value};
}

/* Returns the operands as a list of files; "-" if there are none. */
static const char *predict_data(const struct command_line *c, struct arena *a)
{
    const char *list = c->n_operands ? application_item(a, c->operand[0]) : "-";
    if (c->n_operands == 1 && strstr(c->operand[0], "://")) return c->operand[0];
    for (size_t i = 1; i < c->n_operands; i++)
        list = arena_printf(a, "%s,%s", list, application_item(a, c->operand[i]));
    return list;
}

/* Runs the pipeline with the first n_args of the arguments. */
static int predict_run(const struct command_line *c, size_t n_args, const struct frozen *f)
{
    struct arena *a = &f->model->arena;
    struct command_line run = *c;
    run.script = arena_printf(a, "%s/leat/predict.lua", command_lua_dir(a));
    run.subject = arena_printf(a, "leat predict %s", c->script);
    run.frozen = f;
    run.args = arena_alloc(a, (n_args + PREDICT_FORMS + 2) * sizeof *run.args);
    if (n_args) memcpy(run.args, c->args, n_args * sizeof *run.args);
    run.n_args = n_args;
    predict_add(&run, "data", predict_data(c, a));
    predict_add(&run, "seed", arena_printf(a, "%lld", (long long)f->model->graph.options.seed));
    for (int i = 0; i < PREDICT_FORMS && !strstr(predict_data(c, a), "://"); i++)
        if (frozen_source_setting(f, predict_forms[i]))
            predict_add(&run, predict_forms[i], frozen_source_setting(f, predict_forms[i]));
    return command_run(&run);
}

int command_predict(const struct command_line *c)
{
    struct registry known;
    struct model m;
    struct frozen f;
    int code = EXIT_CONFIG;
    size_t n_args = c->n_args;
    if (c->log_level >= 0) log_set_level(c->log_level);
    if (!strcmp(c->script, "-") && (!c->n_operands || !strcmp(c->operand[0], "-")))
        return usage_error("the state and the records cannot both come from standard input: give "
                           "one of them as a file",
                           "");
    command_load_plugins(&known, c);
    int status = model_open(&m, c->script, 0, &known);
    if (status == LEAT_OK) status = frozen_find(&f, &m, c->stage, c->args, &n_args);
    f.format = c->format;
    if (status == LEAT_OK)
        code = predict_run(c, n_args, &f);
    else if (status != LEAT_EARG)
        code = EXIT_DATA;
    model_close(&m);
    registry_free(&known);
    return code;
}
