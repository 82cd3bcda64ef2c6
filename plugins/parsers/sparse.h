/* sparse.h -- the common part of the parsers of sparse text: parse.libsvm, .libffm and .vw.
 *
 * A record makes one example, or none when it holds nothing or is wrong. The kernel writes ids and
 * values into the batch where the next example's belong; they become an example only when the whole
 * record was correct, so a rejected record leaves nothing in the batch.
 *
 * Labels: binary data come as -1/+1, 0/1 or 1/2, and 1/2 looks like ratings. So a label other than
 * -1, 0 and +1 is rejected until the script says what it means. */
#ifndef LEAT_PARSERS_SPARSE_H
#define LEAT_PARSERS_SPARSE_H

#include <stdbool.h>

#include <leat/plugin.h>

/* How the configuration of such a stage begins. */
struct sparse_cfg {
    int32_t label; /* enum sparse_label */
    const char *positive;
};
enum sparse_label { SPARSE_BINARY, SPARSE_RAW };
extern const char *const sparse_labels[];

/* clang-format off */
#define SPARSE_PARAMS                                                                              \
    LEAT_PARAM(struct sparse_cfg, label, LEAT_CHOICE, .def = "binary", .choices = sparse_labels,   \
               .doc = "binary: -1 and 0 are the negative class, +1 the positive; raw: any finite " \
                      "number"),                                                                   \
    LEAT_PARAM(struct sparse_cfg, positive, LEAT_STRING,                                           \
               .doc = "the label (a number) that is the positive class; all others are the "       \
                      "negative one")
/* clang-format on */

/* How an instance of such a stage begins. */
struct sparse {
    double positive;
    bool has_positive;
};

/* Calls of a stage. */
int sparse_validate(const void *cfg, struct leat_diag *d);
int sparse_open(struct leat_ctx *ctx, void *self);

/* Declares the records of such a stage; bytes: the fewest that make an entry. */
void sparse_negotiate(struct leat_negotiation *n, uint32_t bytes, bool names);

/* Sets the label of record r as the script wants it. Returns false if the record was rejected. */
bool sparse_take_label(struct leat_ctx *ctx, const struct sparse *st, struct leat_batch *b,
                       uint32_t r, double label);

/* The names of a record's entries, which follow the names of b. */
struct sparse_names {
    struct leat_batch *b;
    uint32_t named; /* entries of b that have a name, or show their number        */
    uint32_t parts; /* of b before the record                                     */
    bool full;      /* a name did not fit                                         */
};
struct sparse_names sparse_names_begin(struct leat_batch *b);
/* Names entry number `entry` of the record. */
void sparse_name(struct sparse_names *n, size_t entry, struct leat_str text);
/* Gives the names back of a record that was rejected, or is not wanted. */
void sparse_names_undo(const struct sparse_names *n);

/* Makes record r's example of the n entries that the kernel wrote after the last example. Rejects a
 * record for which there is no room. */
void sparse_add_example(struct leat_ctx *ctx, struct sparse_names *names, uint32_t r, size_t n);

/* Why a record is rejected: the wrong text comes between `before` and `after`. */
struct sparse_complaint {
    int reason;
    const char *before, *after;
};
void sparse_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                   const struct sparse_complaint *c, const char *at, size_t len);

/* Returns the slice of b->bytes at p. */
static inline struct leat_str sparse_slice(const struct leat_batch *b, const char *p, size_t len)
{
    return (struct leat_str){(uint32_t)(p - b->bytes), (uint32_t)len};
}

#endif
