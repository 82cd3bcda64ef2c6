/* mentions.c -- implementation of mentions.h. */
#include "mentions.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/text/plain_text.h"

enum { SHORTEST = 3 }; /* nearly every text contains a shorter word */

static bool mentions_is_letter(char c) { return isalpha((unsigned char)c) != 0; }

/* True if the text contains the word as a whole word. */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; p && *p; p++) {
        if ((p > text && mentions_is_letter(p[-1])) || strncasecmp(p, word, n)) continue;
        if (!mentions_is_letter(p[n])) return true;
    }
    return false;
}

static const char *without_group(const char *word)
{
    const char *dot = strrchr(word, '.');
    return dot ? dot + 1 : word;
}

bool mentions(const struct stage_type *type, const char *word)
{
    const struct leat_stage *s = type->stage;
    word = without_group(word);
    if (!s || strlen(word) < SHORTEST) return false;
    return has_word(s->name, word) || has_word(s->summary, word) || has_word(s->doc, word);
}

void mentions_tell(const struct registry *r, const char *word, struct arena *a)
{
    size_t found = 0;
    const char *missing = registry_missing(r, word, a);
    for (size_t i = 0; i < r->n && !strchr(word, '.'); i++) {
        if (!mentions(r->type[i], word)) continue;
        plain_text_line(stdout, "  %-22s %s", r->name[i], r->type[i]->stage->summary);
        found++;
    }
    if (found)
        plain_text_line(stderr, "leat: there is no stage '%s'; these stages mention it", word);
    else
        plain_text_line(stderr, "leat: %s", missing);
}
