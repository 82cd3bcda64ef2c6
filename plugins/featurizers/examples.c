/* examples.c -- see examples.h. */
#include "examples.h"

void examples_negotiate(struct leat_negotiation *n)
{
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes examples: leave out that stage or this one");
}
