/* framing.h -- for parsers whose records are lines. */
#ifndef LEAT_PARSERS_FRAMING_H
#define LEAT_PARSERS_FRAMING_H

#include <leat/plugin.h>

/* As leat_stage.framing. */
static inline int framing_lines(const void *config, struct leat_framing *f)
{
    (void)config;
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

#endif
