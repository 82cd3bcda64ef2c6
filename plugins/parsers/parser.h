/* parser.h -- what the stages of this folder have in common. */
#ifndef LEAT_PARSERS_PARSER_H
#define LEAT_PARSERS_PARSER_H

#include <stdbool.h>

#include <leat/plugin.h>

/* Members of a stage that makes columns of each record. */
#define PARSER_OF_COLUMNS                                                                          \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL | LEAT_PARSER,                                   \
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS)

/* As leat_stage.framing, where records are lines. */
static inline int parser_of_lines(const void *config, struct leat_framing *f)
{
    (void)config;
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

/* Appends a text to the batch as *to. false: no room. */
static inline bool parser_add_text(struct leat_batch *b, const char *text, size_t n,
                                   struct leat_str *to)
{
    uint32_t off = leat_add_bytes(b, (uint32_t)n);
    if (off != LEAT_NULL && n) memcpy(b->bytes + off, text, n);
    *to = (struct leat_str){off, (uint32_t)n};
    return off != LEAT_NULL;
}

#endif
