/* pure_calls.c -- wraps each pure call so that a crash message names the stage. */
#include "pure_calls.h"

#include "host/plugin/call_status.h"
#include "host/plugin/call_trap.h"
#include "host/plugin/status_text.h"
#include "node_diag.h"

/* Makes a call inside the crash trap and returns its result of type TYPE. */
#define IN_CALL(TYPE, NODE, NAME, ...)                                                             \
    call_trap_enter((NODE)->label, NAME);                                                          \
    TYPE result = __VA_ARGS__;                                                                     \
    call_trap_leave();                                                                             \
    return result

int pure_validate(const struct node *n, struct leat_diag *d)
{
    IN_CALL(int, n, "validate", n->stage->validate(n->cfg, d));
}

int pure_negotiate(const struct node *n, struct leat_negotiation *deal)
{
    IN_CALL(int, n, "negotiate", n->stage->negotiate(n->cfg, deal));
}

int pure_plan(const struct node *n, struct leat_plan *p)
{
    IN_CALL(int, n, "plan", n->stage->plan(n->cfg, &n->shown_in, &n->shown_out, p));
}

int pure_framing(const struct node *n, struct leat_framing *f)
{
    IN_CALL(int, n, "framing", n->stage->framing(n->cfg, f));
}

int pure_ask(const struct node *n, struct leat_ask *ask)
{
    IN_CALL(int, n, "ask", n->stage->asker->ask(n->cfg, ask));
}

const char *const *pure_columns(const struct node *learner, uint32_t *n)
{
    IN_CALL(const char *const *, learner, "columns",
            learner->stage->learner->columns(learner->cfg, n));
}

const char *pure_transaction(const struct node *sink)
{
    const struct leat_transaction *role = sink->stage->transaction;
    if (!sink->configured || !role->name) return NULL;
    IN_CALL(const char *, sink, "name", role->name(sink->cfg));
}

const char *pure_position_format(const struct node *source)
{
    const struct leat_source *role = source->stage->source;
    if (!source->configured || !role->position_format) return NULL;
    IN_CALL(const char *, source, "position_format", role->position_format(source->cfg));
}

bool pure_is_kept(struct diag *d, const struct node *n, const char *call, int status, size_t before)
{
    char why[300];
    const struct call_status_of of = {.source = n->stage->kind == LEAT_SOURCE};
    bool kept = call_status_may_be(status, call, of, why, sizeof why);
    if (!kept)
        node_error(d, n, NULL, "%s", why);
    else if (status < 0 && d->errors == before)
        node_error(d, n, NULL, "%s failed: %s", call, status_text(status));
    return kept && status >= 0;
}
