/* state_prefix.c -- implementation of state_prefix.h. */
#include "state_prefix.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *state_prefix_prefixed(char to[STATE_PREFIX_NAME], const char *prefix,
                                         const char *name)
{
    snprintf(to, STATE_PREFIX_NAME, "%s%s", prefix, name);
    return to;
}

/* Defines a function that puts the prefix before the name and forwards the call. */
#define HAND_ON(KIND, TO, RESULT, CALL, PARAMS, ...)                                               \
    static RESULT KIND##_##CALL PARAMS                                                             \
    {                                                                                              \
        struct state_prefix_##KIND *p = (struct state_prefix_##KIND *)base;                        \
        return p->TO->CALL(p->TO, state_prefix_prefixed(p->name, p->prefix, name), __VA_ARGS__);   \
    }

/* ---- writing ---- */

/* clang-format off */
HAND_ON(writer, to, int, u64, (struct leat_writer *base, const char *name, uint64_t v), v)
HAND_ON(writer, to, int, i64, (struct leat_writer *base, const char *name, int64_t v), v)
HAND_ON(writer, to, int, f64, (struct leat_writer *base, const char *name, double v), v)
HAND_ON(writer, to, int, text, (struct leat_writer *base, const char *name, const char *v,
                                uint64_t n), v, n)
HAND_ON(writer, to, int, array, (struct leat_writer *base, const char *name, uint32_t element,
                               const void *v, uint64_t n), element, v, n)
HAND_ON(writer, to, void *, reserve, (struct leat_writer *base, const char *name, uint32_t element,
                                    uint64_t n), element, n)
/* clang-format on */

struct leat_writer *state_prefix_writer(struct state_prefix_writer *p, struct leat_writer *to,
                                        const char *prefix)
{
    assert(strlen(prefix) < STATE_PREFIX_MAX);
    *p = (struct state_prefix_writer){.base = {.size = sizeof p->base,
                                               .u64 = writer_u64,
                                               .i64 = writer_i64,
                                               .f64 = writer_f64,
                                               .text = writer_text,
                                               .array = writer_array,
                                               .reserve = writer_reserve},
                                      .to = to};
    snprintf(p->prefix, sizeof p->prefix, "%s", prefix);
    return &p->base;
}

/* ---- reading ---- */

/* clang-format off */
HAND_ON(reader, from, int, u64, (struct leat_reader *base, const char *name, uint64_t *v), v)
HAND_ON(reader, from, int, i64, (struct leat_reader *base, const char *name, int64_t *v), v)
HAND_ON(reader, from, int, f64, (struct leat_reader *base, const char *name, double *v), v)
HAND_ON(reader, from, int, text, (struct leat_reader *base, const char *name, uint64_t max,
                                  const char **v, uint64_t *n), max, v, n)
HAND_ON(reader, from, int, array, (struct leat_reader *base, const char *name, uint32_t element,
                                   uint64_t n, const void **v), element, n, v)
HAND_ON(reader, from, int, array_up_to, (struct leat_reader *base, const char *name,
                                         uint32_t element, uint64_t max, const void **v,
                                         uint64_t *n), element, max, v, n)
HAND_ON(reader, from, int, same_u64, (struct leat_reader *base, const char *name, uint64_t v), v)
HAND_ON(reader, from, int, same_i64, (struct leat_reader *base, const char *name, int64_t v), v)
HAND_ON(reader, from, int, same_f64, (struct leat_reader *base, const char *name, double v), v)
HAND_ON(reader, from, int, same_text, (struct leat_reader *base, const char *name, const char *v,
                                       uint64_t n), v, n)
/* clang-format on */

__attribute__((format(printf, 2, 3))) static int refuse(struct leat_reader *base,
                                                        const char *format, ...)
{
    struct state_prefix_reader *p = (struct state_prefix_reader *)base;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return p->from->refuse(p->from, "%s: %s", p->model, text);
}

struct leat_reader *state_prefix_reader(struct state_prefix_reader *p, struct leat_reader *from,
                                        const char *prefix, const char *model)
{
    assert(strlen(prefix) < STATE_PREFIX_MAX && strlen(model) < STATE_PREFIX_MAX);
    *p = (struct state_prefix_reader){.base = {.size = sizeof p->base,
                                               .u64 = reader_u64,
                                               .i64 = reader_i64,
                                               .f64 = reader_f64,
                                               .text = reader_text,
                                               .array = reader_array,
                                               .array_up_to = reader_array_up_to,
                                               .same_u64 = reader_same_u64,
                                               .same_i64 = reader_same_i64,
                                               .same_f64 = reader_same_f64,
                                               .same_text = reader_same_text,
                                               .refuse = refuse},
                                      .from = from};
    snprintf(p->model, sizeof p->model, "%s", model);
    snprintf(p->prefix, sizeof p->prefix, "%s", prefix);
    return &p->base;
}
