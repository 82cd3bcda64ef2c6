/* reload.c -- implementation of reload.h: the steps of a reload. */
#include "reload.h"

#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "core/text/plain_text.h"
#include "host/exec/run.h"
#include "host/exec/calls.h"
#include "progress.h"
#include "signals.h"

static const uint64_t WAITING_NS = UINT64_C(3000000000);

static void drop_reload(struct session **s)
{
    if (!*s) return;
    session_release(*s);
    free(*s);
    *s = NULL;
}

void reload_drop(struct reload *l)
{
    drop_reload(&l->next);
    drop_reload(&l->before);
}

/* Prints a line about the reload, unless --quiet. */
static void reload_say(const struct command_line *c, const char *what)
{
    char line[512], script[256];
    plain_text(script, sizeof script, c->script);
    snprintf(line, sizeof line, "leat: %s: %s", script, what);
    if (!c->quiet) log_line(line);
}

static bool names_reset(const struct diag *d)
{
    const struct problem *p = d->first;
    while (p && !strstr(p->text, "--reset"))
        p = p->next;
    return p != NULL;
}

static void reload_refuse(struct reload *l)
{
    bool resets = names_reset(&l->next->diag);
    session_print_problems(l->next, l->line);
    drop_reload(&l->next);
    log_passing("%s is not reloaded: the run continues with the old script%s", l->line->script,
                resets ? " (a reload takes no --reset: stop the run, and start it again "
                         "with --reset)"
                       : "");
    http_reloaded(l->http, HTTP_RELOAD_REFUSED);
    service_tell("READY=1\n");
}

static void end_run(struct reload *l, struct run *r)
{
    l->saving = false;
    session_print_problems(l->next, l->line);
    reload_say(l->line,
               "reloading: the run ends with a snapshot, and the new script continues from it");
    if (l->http) http_reloading(l->http);
    checkpoint_stop(r->checkpoints);
}

/* Requests a snapshot before the run is ended. If snapshots cannot be written, ending the run would
 * lose the work since the last one. */
static void begin_saving(struct reload *l, struct run *r)
{
    l->asked_ns = clock_ns();
    l->told = false;
    l->tried = atomic_load(&r->checkpoints->tried);
    l->saving = true;
    checkpoint_request(r->checkpoints);
}

static void await_saved(struct reload *l, struct run *r)
{
    uint64_t tried = atomic_load(&r->checkpoints->tried);
    if (tried == l->tried) return;
    l->saving = false;
    if (atomic_load(&r->checkpoints->checkpoint) >= tried)
        end_run(l, r);
    else
        reload_refuse(l);
}

static void read_again(struct reload *l, struct run *r)
{
    service_tell_reloading();
    l->next = memory_take(sizeof *l->next);
    if (session_prepare_reload(l->next, l->line) == LEAT_OK)
        begin_saving(l, r);
    else
        reload_refuse(l);
}

/* Prints the reason for a long wait, for example a sink that hangs. There is no deadline, because a
 * reload does not end the process. */
static void tell_waiting(struct reload *l, const struct run *r)
{
    char call[256];
    if (l->told || clock_ns() < l->asked_ns + WAITING_NS) return;
    l->told = true;
    calls_longest(r, call, sizeof call);
    log_message(LEAT_WARN, "reloading: %s; the new script starts after that", call);
}

void reload_try(struct reload *l, struct run *r, struct signals *s)
{
    if (l->next) tell_waiting(l, r);
    if (l->saving)
        await_saved(l, r);
    else if (!l->next && !atomic_load(&r->control.stopping) && atomic_exchange(&s->reload, false))
        read_again(l, r);
}

bool reload_switches(struct reload *l, const struct run *r, const struct signals *s)
{
    l->saving = false;
    bool switches = l->next && !atomic_load(&r->control.failed) && !atomic_load(&s->stopped);
    if (!switches) drop_reload(&l->next);
    return switches;
}

void reload_switch(struct reload *l, struct session **now)
{
    drop_reload(&l->before);
    l->before = *now;
    *now = l->next;
    l->next = NULL;
    l->before->reloads = true; /* from here on, messages use the words of the new session */
    (*now)->reloads = false;
    session_take_words(*now);
}

void reload_is_done(struct reload *l, struct session *now)
{
    if (!l->before) return;
    drop_reload(&l->before);
    now->during = NULL;
    reload_say(&now->line, "reloaded");
    http_reloaded(l->http, HTTP_RELOAD_DONE);
}

void reload_undo(struct reload *l, struct session **now)
{
    log_message(LEAT_WARN, "the new %s could not be started: the run continues with the old one",
                l->line->script);
    http_reloaded(l->http, HTTP_RELOAD_UNDONE);
    (*now)->reloads = true;
    drop_reload(now);
    *now = l->before;
    l->before = NULL;
    (*now)->reloads = false;
    session_take_words(*now);
}
