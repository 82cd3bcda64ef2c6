/* start.c -- see start.h. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdio.h>
#include <stdlib.h>

#include "start.h"

struct start {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    uint64_t given_up; /* lines */
    const char *first; /* of them */
};

struct start *start_new(const char *pattern, char why[256])
{
    int error;
    PCRE2_SIZE at;
    struct start *s = calloc(1, sizeof *s);
    why[0] = '\0';
    if (!s) return NULL;
    s->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                            PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &at, NULL);
    if (!s->code) {
        PCRE2_UCHAR text[160];
        pcre2_get_error_message(error, text, sizeof text);
        snprintf(why, 256, "is wrong at byte %zu: %s", at + 1, (const char *)text);
    }
    if (s->code) s->match = pcre2_match_data_create_from_pattern(s->code, NULL);
    if (s->match) s->context = pcre2_match_context_create(NULL);
    if (!s->context) {
        start_free(s);
        return NULL;
    }
    (void)pcre2_jit_compile(s->code, PCRE2_JIT_COMPLETE); /* without it, it is slower */
    pcre2_set_match_limit(s->context, START_STEPS);
    return s;
}

void start_free(struct start *s)
{
    if (!s) return;
    pcre2_match_context_free(s->context);
    pcre2_match_data_free(s->match);
    pcre2_code_free(s->code);
    free(s);
}

bool start_matches(void *start, const char *line, size_t n)
{
    struct start *s = start;
    int result = pcre2_match(s->code, (PCRE2_SPTR)line, n, 0, 0, s->match, s->context);
    if (result < 0 && result != PCRE2_ERROR_NOMATCH && !s->given_up++) s->first = line;
    return result >= 0;
}

uint64_t start_given_up(const struct start *s, const char **first)
{
    *first = s->first;
    return s->given_up;
}
