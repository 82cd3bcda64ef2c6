/* in_order.c -- warns of a file whose order misleads a learner. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/exec/answers/answer.h"
#include "host/flow/name_id.h"
#include "host/log/log.h"
#include "host/metrics/progressive.h"
#include "outcome.h"

enum { HEAVY = 20 /* features that are looked at */, NAME = 60, FACT = 320 };

/* Sets *value to the value of a parameter of the node's stage. Returns false if it has none of this
 * name. */
static bool in_order_flag(const struct node *n, const char *name, bool *value)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        if (strcmp(n->stage->params[i].name, name)) continue;
        int32_t read;
        memcpy(&read, (const char *)n->cfg + n->stage->params[i].offset, sizeof read);
        *value = read;
        return true;
    }
    return false;
}

/* True if all sources read files to their ends, in order, and could shuffle them. */
static bool in_order_is_file(const struct run *r)
{
    bool any = false;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        bool shuffled, followed;
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        if (!in_order_flag(n, "shuffle", &shuffled) || !in_order_flag(n, "follow", &followed))
            return false;
        if (shuffled || followed) return false;
        any = true;
    }
    return any;
}

/* Returns the block of records of the feature with this name; NULL if it has none, or is a
 * conjunction. */
static const struct order_block *in_order_block(const struct progressive *p, const char *name)
{
    const char *value = strchr(name, '=');
    char *end;
    const struct order_block *b = progressive_block(p, name_id(NULL, 0, name, strlen(name)));
    if (!b && value)
        b = progressive_block(p,
                              name_id(name, (size_t)(value - name), value + 1, strlen(value + 1)));
    if (!b && *name >= '0' && *name <= '9') {
        uint64_t id = strtoull(name, &end, 10);
        if (!*end) b = progressive_block(p, id);
    }
    return b;
}

/* Writes the heaviest feature that comes in one block, and returns true. */
static bool in_order_feature(struct instance *i, char text[FACT])
{
    const struct progressive *p = i->learning.progressive;
    const struct order_block *first = NULL;
    struct arena arena = {0};
    struct answer a = {.n_rows = 0};
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = HEAVY};
    uint32_t more = 0;
    if (!i->node->stage->learner->query || answer_take(&a, i, &want, &arena) != LEAT_OK)
        a.n_rows = 0;
    for (uint32_t row = 0; row < a.n_rows; row++) {
        const struct order_block *b = in_order_block(p, a.name[row]);
        if (!b) continue;
        if (first)
            more++;
        else
            snprintf(text, FACT, "%.*s comes in one block (records %llu to %llu or so)", NAME,
                     a.name[row], (unsigned long long)b->first + 1,
                     (unsigned long long)b->last + 1);
        if (!first) first = b;
    }
    size_t at = first ? strlen(text) : 0;
    if (more)
        snprintf(text + at, FACT - at, ", as do %u more of the %u heaviest features", more,
                 a.n_rows);
    arena_free(&arena);
    return first != NULL;
}

/* Writes how much labels are like those before, if chance does not explain it. */
static bool in_order_labels(const struct progressive *p, char text[FACT])
{
    struct order_likeness like;
    if (!progressive_in_order(p, &like)) return false;
    snprintf(text, FACT,
             "a label is like the one before it (correlation %.2f; %.2f with the one %d before)",
             like.near, like.far, ORDER_FAR);
    return true;
}

static bool in_order_says(struct instance *i)
{
    char feature[FACT], labels[FACT];
    const struct progressive *p = i->learning.progressive;
    bool block = in_order_feature(i, feature), alike = in_order_labels(p, labels);
    if (!block && !alike) return false;
    log_message(LEAT_WARN,
                "the records are in an order: %s%s%s. %s what the last records %sleft%s. To learn "
                "from the file in a random order: --set shuffle=true, or shuffle = true of "
                "source.file (a compressed file must be decompressed first)",
                block ? feature : "", block && alike ? ", and " : "", alike ? labels : "",
                block ? "Its weight is" : "The weights are", block ? "of the block " : "",
                alike ? ", and the errors profit from the records just before" : "");
    return true;
}

void in_order_warn(const struct run *r)
{
    if (!in_order_is_file(r) || run_records(r) <= r->before) return;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!n->stage || n->stage->kind != LEAT_LEARNER || n->stage->caps & LEAT_ANY_ORDER)
            continue;
        struct instance *i = run_instance(r, n, 0);
        const struct progressive *p = i->learning.progressive;
        if (!p || progressive_kind(p) == LEAT_SCORE_NONE) continue;
        if (label_order_in_runs(progressive_labels(p)) || in_order_says(i)) return;
    }
}
