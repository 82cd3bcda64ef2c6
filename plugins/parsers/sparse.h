/* sparse.h -- common part of the parsers of sparse text: parse.libsvm, parse.libffm and parse.vw.
 *
 * A record makes one example; an empty or wrong record makes no example. The kernel writes ids and
 * values behind the batch's last example. They become an example only when the whole record is
 * correct, so a rejected record leaves nothing in the batch.
 *
 * Binary labels are usually -1/+1, 0/1 or 1/2, but 1/2 might also be ratings. So a label other than
 * -1, 0 and +1 is rejected unless the parameters define its meaning. */
#ifndef LEAT_PARSERS_SPARSE_H
#define LEAT_PARSERS_SPARSE_H

#include <stdbool.h>

#include <leat/plugin.h>

/* First members of the configuration of a parser of sparse text. */
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
               .doc = "the label (a number) of the positive class; all other labels are the "      \
                      "negative class")
/* clang-format on */

/* First members of the instance of a parser of sparse text. */
struct sparse {
    double positive;
    bool has_positive;
};

/* Functions for struct leat_stage. */
int sparse_validate(const void *cfg, struct leat_diag *d);
int sparse_open(struct leat_ctx *ctx, void *self);

/* Declares the output of the parser. bytes: least size of an entry's text. names: the entries have
 * names. */
void sparse_negotiate(struct leat_negotiation *n, uint32_t bytes, bool names);

/* Converts the label of record r by the parameters. Returns false if the record was rejected. */
bool sparse_take_label(struct leat_ctx *ctx, const struct sparse *st, struct leat_batch *b,
                       uint32_t r, double label);

/* Names of a record's entries. In the batch they follow the names of earlier records. */
struct sparse_names {
    struct leat_batch *b;
    uint32_t named; /* entries of b before this index are named, or marked as unnamed */
    uint32_t parts; /* number of parts in b before the record */
    bool full;      /* a name did not fit into the batch */
};
struct sparse_names sparse_names_begin(struct leat_batch *b);
/* Stores the name of entry number `entry` of the record. */
void sparse_name(struct sparse_names *n, size_t entry, struct leat_str text);
/* Removes the names of a record that is rejected or filtered. */
void sparse_names_undo(const struct sparse_names *n);

/* Makes the example of record r from the n entries that the kernel has written after the last
 * example. Rejects the record if there is no room. */
void sparse_add_example(struct leat_ctx *ctx, struct sparse_names *names, uint32_t r, size_t n);

/* Reason to reject a record. The message shows the wrong text between `before` and `after`. */
struct sparse_complaint {
    int reason;
    const char *before, *after;
};
void sparse_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                   const struct sparse_complaint *c, const char *at, size_t len);

/* Returns the slice of b->bytes that begins at p. */
static inline struct leat_str sparse_slice(const struct leat_batch *b, const char *p, size_t len)
{
    return (struct leat_str){(uint32_t)(p - b->bytes), (uint32_t)len};
}

#endif
