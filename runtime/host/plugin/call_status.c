/* call_status.c -- implementation of call_status.h. */
#include "call_status.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <leat/status.h>

enum when { ALWAYS, OF_A_STOPPED_RUN, OF_A_STOPPED_SOURCE };
enum { NEWS = 3 };

/* news: statuses above 0 that the call may return; unused elements are LEAT_OK. eos_when: when the
 * call may return LEAT_EOS, if `news` has it. */
static const struct row {
    const char *call;
    int news[NEWS];
    enum when eos_when;
} rows[] = {
    {.call = "validate"},
    {.call = "negotiate", .news = {LEAT_LATER}},
    {.call = "plan"},
    {.call = "framing"},
    {.call = "ask"},
    {.call = "online"},
    {.call = "open"},
    {.call = "header", .news = {LEAT_EOS}, .eos_when = OF_A_STOPPED_RUN},
    {.call = "fence", .news = {LEAT_EOS}, .eos_when = OF_A_STOPPED_RUN},
    {.call = "positions", .news = {LEAT_EOS}, .eos_when = OF_A_STOPPED_RUN},
    {.call = "restore", .news = {LEAT_EOS}, .eos_when = OF_A_STOPPED_SOURCE},
    {.call = "merge"},
    {.call = "start"},
    {.call = "produce", .news = {LEAT_AGAIN, LEAT_EOS, LEAT_LATER}},
    {.call = "process"},
    {.call = "expand", .news = {LEAT_AGAIN}},
    {.call = "tick"},
    {.call = "query"},
    {.call = "show"},
    {.call = "barrier"},
    {.call = "snapshot"},
    {.call = "position"},
    {.call = "durable"},
    {.call = "commit"},
    {.call = "take"},
    {.call = "flush"},
    {.call = "stop"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static const char *const names[] = {
    [LEAT_EOS] = "LEAT_EOS", [LEAT_AGAIN] = "LEAT_AGAIN", [LEAT_LATER] = "LEAT_LATER"};
enum { N_NAMES = sizeof names / sizeof *names };

static const struct row *row_of(const char *call)
{
    size_t i = 0;
    while (i < N_ROWS && strcmp(rows[i].call, call))
        i++;
    assert(i < N_ROWS);
    return &rows[i];
}

/* True if the call may return `status` (above 0) in this kind of stage, even if only while the run
 * is being stopped. */
static bool is_news(const struct row *r, int status, bool source)
{
    bool found = false;
    for (int i = 0; i < NEWS; i++)
        found |= status > 0 && r->news[i] == status;
    return found && (source || r->eos_when != OF_A_STOPPED_SOURCE);
}

static void list_call_status(const struct row *r, const char *separator, char *text, size_t cap)
{
    size_t used = (size_t)snprintf(text, cap, "LEAT_OK");
    for (int i = 0; i < NEWS && r->news[i] && separator && used < cap; i++)
        used += (size_t)snprintf(text + used, cap - used, "%s%s%s", separator, names[r->news[i]],
                                 r->eos_when == ALWAYS ? "" : " (stopped)");
}

void call_status_list(const char *call, char *text, size_t cap)
{
    const struct row *r = row_of(call);
    list_call_status(r, r->eos_when == OF_A_STOPPED_SOURCE ? "; a source also " : ", ", text, cap);
}

bool call_status_may_be(int status, const char *call, struct call_status_of of, char *why,
                        size_t cap)
{
    char allowed[120];
    if (status <= 0) return true;
    const struct row *r = row_of(call);
    bool news = is_news(r, status, of.source);
    if (news && (r->eos_when == ALWAYS || of.stopping)) return true;
    const char *name = status < N_NAMES ? names[status] : NULL;
    bool none = r->eos_when == OF_A_STOPPED_SOURCE && !of.source;
    list_call_status(r, none ? NULL : ", ", allowed, sizeof allowed);
    snprintf(why, cap,
             "%s returned %d%s%s%s%s; it may return %s or a failure below 0 "
             "(leat/status.h)",
             call, status, name ? " (" : "", name ? name : "", name ? ")" : "",
             news ? ", and the run is not being stopped" : "", allowed);
    return false;
}

const char *call_status_call(size_t i) { return i < N_ROWS ? rows[i].call : NULL; }
