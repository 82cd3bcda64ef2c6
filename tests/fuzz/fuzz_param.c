/* fuzz_param.c -- any text as the value of a parameter of any type.
 *
 * It is refused with a message, or shown as a text that is read as the same value. The first byte
 * of the input chooses the type.
 *
 * sources: runtime/host/params/{param_type,param_entries,quantity}.c
 * runtime/host/memory/{arena,memory}.c runtime/host/log/{diag,log,command_words}.c
 * runtime/core/time/utc.c runtime/core/text/plain_text.c
 * runtime/core/report/{byte_size,text_out}.c
 */
#include "fuzz.h"
#include "host/params/param_type.h"

static const char *const choices[] = {"a", "bc", "d e", NULL};

/* Integers of the widest range, so that every shown value can be read. */
static struct leat_param param(uint32_t type)
{
    struct leat_param p = {.name = "p", .type = type, .choices = choices};
    return p;
}

static void round_trip(const struct leat_param *p, const char *text, struct arena *a)
{
    struct value v = {.type = VALUE_TEXT, .text = text, .n = strlen(text)};
    union param_cell cell = {.integer = 0}, again = {.integer = 0};
    const char *why = param_read(p, &v, a, &cell);
    if (why) {
        must(*why != 0);
        return;
    }
    const char *shown = param_show(p, &cell, a);
    must(shown != NULL);
    struct value back = param_unshow(shown, a);
    must(param_read(p, &back, a, &again) == NULL);
    const char *twice = param_show(p, &again, a);
    must(twice && !strcmp(shown, twice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || memchr(data + 1, 0, size - 1)) return 0;
    struct arena a = {0};
    struct leat_param p = param(LEAT_BOOL + data[0] % (LEAT_FUNCTION - LEAT_BOOL));
    char *text = exact_text(data + 1, size - 1);
    round_trip(&p, text, &a);
    /* a snapshot may contain any text */
    struct value v = param_unshow(text, &a);
    union param_cell cell;
    (void)param_read(&p, &v, &a, &cell);
    arena_free(&a);
    free(text);
    return 0;
}
