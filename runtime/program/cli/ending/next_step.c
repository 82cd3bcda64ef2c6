/* next_step.c -- see next_step.h. The first that applies is told. */
#include "next_step.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/log/log.h"
#include "core/text/plain_text.h"

enum { LINE = 240, LABEL = 60 };

static bool about_rejections(const struct run *r, char line[LINE])
{
    unsigned long long n = r->rejects.count;
    if (!n || r->rejects.sent) return false;
    snprintf(
        line, LINE,
        "leat: next: dead_letters = \"bad.jsonl\" in the pipeline keeps the rejected record%s; "
        "leat trace shows what becomes of the first records",
        n == 1 ? "" : "s");
    return true;
}

/* "sort (shape.sort): budget: 12 records went out early, as it was used up: raise it, …" */
static bool about_budget(char line[LINE])
{
    const char *text[LOG_WARNINGS];
    for (size_t i = 0, n = log_warnings(text); i < n; i++) {
        const char *end = strstr(text[i], "): ");
        if (!end || end - text[i] > LABEL) continue;
        if (!strstr(end, "budget") || !strstr(end, "raise")) continue;
        snprintf(line, LINE, "leat: next: give %.*s) a larger budget, as the warning says",
                 (int)(end - text[i]), text[i]);
        return true;
    }
    return false;
}

static const struct node *learned(const struct run *r)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!n->stage || n->stage->kind != LEAT_LEARNER || !n->stage->state->snapshot) continue;
        if (progressive_examples(run_instance(r, n, 0)->learning.progressive)) return n;
    }
    return NULL;
}

/* States of inputs are kept without --state. */
static bool about_state(const struct run *r, const struct command_line *c, char line[LINE])
{
    const struct node *n = c->state.dir || r->shard_hooks ? NULL : learned(r);
    if (!n) return false;
    snprintf(line, LINE,
             "leat: next: --state DIR keeps what %.*s has learned, for later runs and leat model",
             LABEL, n->id);
    return true;
}

void next_step_tell(const struct run *r, const struct command_line *c)
{
    char line[LINE], plain[4 * LINE];
    if (c->quiet || !isatty(STDERR_FILENO)) return;
    if (!about_rejections(r, line) && !about_budget(line) && !about_state(r, c, line)) return;
    plain_text(plain, sizeof plain, line);
    log_line(plain);
}
