/* classes.h -- several classes by one linear model each, against the rest.
 *
 * Only glue. With M classes a stage has M models of one seed and shape, that of a binary learner
 * with an M-th of the budget; model c learns label +1 for class c and -1 for all others, and the
 * class of the largest margin (the lowest of equal ones) is predicted. Ids are hashed once for all.
 *
 * In a snapshot the fields of model c have "c." before their names.
 */
#ifndef LEAT_LEARNERS_LINEAR_CLASSES_H
#define LEAT_LEARNERS_LINEAR_CLASSES_H

#include <stdarg.h>
#include <stdio.h>

#include "linear.h"

/* ---- names ---- */

/* "setosa" as the labels' stage has it, or "2"; text: scratch for a number. */
static inline const char *classes_name(const struct leat_schema *in, uint32_t c, char text[16])
{
    if (c < linear_named_classes(in)) return in->classes[c];
    snprintf(text, 16, "%u", c);
    return text;
}

/* ---- fields of one model ---- */

enum { CLASSES_FIELD = 64 };

struct classes_writer {
    struct leat_writer base;
    struct leat_writer *to;
    uint32_t class;
    char name[CLASSES_FIELD];
};

static inline const char *classes_field(char *text, uint32_t c, const char *name)
{
    snprintf(text, CLASSES_FIELD, "%u.%s", c, name);
    return text;
}

static inline int classes_write_u64(struct leat_writer *base, const char *name, uint64_t v)
{
    struct classes_writer *w = (struct classes_writer *)base;
    return w->to->u64(w->to, classes_field(w->name, w->class, name), v);
}

static inline int classes_write_f64(struct leat_writer *base, const char *name, double v)
{
    struct classes_writer *w = (struct classes_writer *)base;
    return w->to->f64(w->to, classes_field(w->name, w->class, name), v);
}

static inline int classes_write_array(struct leat_writer *base, const char *name, uint32_t element,
                                      const void *v, uint64_t n)
{
    struct classes_writer *w = (struct classes_writer *)base;
    return w->to->array(w->to, classes_field(w->name, w->class, name), element, v, n);
}

static inline void *classes_write_room(struct leat_writer *base, const char *name, uint32_t element,
                                       uint64_t n)
{
    struct classes_writer *w = (struct classes_writer *)base;
    return w->to->reserve(w->to, classes_field(w->name, w->class, name), element, n);
}

static inline struct classes_writer classes_writer(struct leat_writer *to, uint32_t c)
{
    return (struct classes_writer){.base = {sizeof(struct leat_writer), 0, classes_write_u64,
                                            classes_write_f64, classes_write_array,
                                            classes_write_room},
                                   .to = to,
                                   .class = c};
}

struct classes_reader {
    struct leat_reader base;
    struct leat_reader *from;
    uint32_t class;
    char name[CLASSES_FIELD];
};

static inline int classes_read_u64(struct leat_reader *base, const char *name, uint64_t *v)
{
    struct classes_reader *r = (struct classes_reader *)base;
    return r->from->u64(r->from, classes_field(r->name, r->class, name), v);
}

static inline int classes_read_f64(struct leat_reader *base, const char *name, double *v)
{
    struct classes_reader *r = (struct classes_reader *)base;
    return r->from->f64(r->from, classes_field(r->name, r->class, name), v);
}

static inline int classes_read_array(struct leat_reader *base, const char *name, uint32_t element,
                                     const void **v, uint64_t *n)
{
    struct classes_reader *r = (struct classes_reader *)base;
    return r->from->array(r->from, classes_field(r->name, r->class, name), element, v, n);
}

static inline int classes_same_u64(struct leat_reader *base, const char *name, uint64_t v)
{
    struct classes_reader *r = (struct classes_reader *)base;
    return r->from->same_u64(r->from, classes_field(r->name, r->class, name), v);
}

static inline int classes_same_f64(struct leat_reader *base, const char *name, double v)
{
    struct classes_reader *r = (struct classes_reader *)base;
    return r->from->same_f64(r->from, classes_field(r->name, r->class, name), v);
}

__attribute__((format(printf, 2, 3))) static inline int classes_refuse(struct leat_reader *base,
                                                                       const char *format, ...)
{
    struct classes_reader *r = (struct classes_reader *)base;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return r->from->refuse(r->from, "class %u: %s", r->class, text);
}

static inline struct classes_reader classes_reader(struct leat_reader *from, uint32_t c)
{
    return (struct classes_reader){.base = {sizeof(struct leat_reader), 0, classes_read_u64,
                                            classes_read_f64, classes_read_array, classes_same_u64,
                                            classes_same_f64, classes_refuse},
                                   .from = from,
                                   .class = c};
}

#define CLASSES_DOC                                                                                 \
    "\n\nWith `classes = M` labels are 0, 1, …, M - 1 (or names: label.class), and there is one " \
    "model a class that tells it from all others, each with an M-th of the budget and all with "    \
    "the same hash functions: what M learners with the same seed would learn from labels +1 and "   \
    "-1. The class of the largest margin is predicted and is the score; the progressive loss is "   \
    "the share of errors. The answer has k / M features of each class, with \"CLASS: \" before "    \
    "their names."

#endif
