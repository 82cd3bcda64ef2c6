/* command_check.c -- `leat check`: all that can be wrong with a pipeline, its plan, and what a run
 * would do with a snapshot. */
#include <stdio.h>

#include "program/cli/command_line/argument_words.h"
#include "host/log/log.h"
#include "program/cli/command.h"
#include "host/exec/trial/peek.h"
#include "host/exec/plan/plan_memory.h"
#include "print_forecast.h"
#include "print_plan.h"
#include "program/cli/session.h"

int command_check(const struct command_line *c)
{
    struct session s;
    struct plan plan = {0};
    if (c->online && c->offline) {
        fputs("leat: --offline opens nothing, and --online asks brokers: give one of them\n",
              stderr);
        return EXIT_CONFIG;
    }
    int status = session_prepare(&s, c, c->offline ? SESSION_OFFLINE : SESSION_RECORDS);
    bool planned = status == LEAT_OK;
    if (planned) status = plan_make(&plan, &s.graph, &s.diag);
    if (status == LEAT_OK) plan_memory_check_limit(&plan, &s.graph, &s.diag);
    if (status == LEAT_OK && c->online) {
        if (c->log_level >= 0) log_set_level(c->log_level);
        peek_online(&s.graph, &s.diag);
        status = s.diag.errors ? LEAT_EARG : LEAT_OK;
    }
    if (c->json) {
        argument_words(&s.diag, c->args, c->n_args);
        print_check_json(&s.graph, planned ? &plan : NULL, &s.diag, &s.forecast, stdout);
    } else {
        session_print_problems(&s, c);
        if (status == LEAT_OK) print_plan(&s.graph, &plan, stdout);
        if (s.forecast.n) print_forecast(&s.forecast, c->state.dir, stdout);
    }
    int code = status == LEAT_OK             ? EXIT_DONE
               : session_only_files(&s.diag) ? EXIT_DATA
                                             : EXIT_CONFIG;
    session_release(&s);
    return code;
}
