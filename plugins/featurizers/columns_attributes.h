/* columns_attributes.h -- the parameters of feature.columns, and the attributes that they name.
 *
 * An attribute has an index: first come those of `columns`, then `numbers`, `each`, `edges` and
 * `levels`.
 * Each has its fields in the output: its own, or two for each edge (below it, then at or above it),
 * then one for a missing value if that makes a feature. */
#ifndef LEAT_FEATURIZERS_COLUMNS_ATTRIBUTES_H
#define LEAT_FEATURIZERS_COLUMNS_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "columns_edges.h"
#include "columns_levels.h"

struct columns_cfg {
    struct leat_strings columns, numbers, each, edges, levels;
    const char *separator; /* separator of the elements in the columns of `each` */
    const char *constant;  /* name of the constant feature; NULL: none */
    int64_t cross, elements, cross_edges;
    int32_t explode, skip_missing;
    int32_t numeric; /* whether numbers are categories or values */
    int32_t scaled;
};

enum {
    COLUMNS_PARAMS = 14,
    COLUMNS_NUMBER = 25 /* room for "-1.7976931348623157e+308" and a NUL */
};
extern const struct leat_param columns_params[COLUMNS_PARAMS];

enum columns_kind { CATEGORY, VALUE, EACH, EDGES, LEVELS };

uint32_t columns_n_attributes(const struct columns_cfg *c);
/* Returns the entry of attribute i in `edges`; NULL if it is in another parameter. */
const char *columns_edges_of(const struct columns_cfg *c, uint32_t i);
/* Returns the entry of attribute i in `levels`; NULL if it is in another parameter. */
const char *columns_levels_of(const struct columns_cfg *c, uint32_t i);
/* Returns the name of the column of attribute i. May use `room`. */
const char *columns_name_of(const struct columns_cfg *c, uint32_t i, char room[COLUMNS_EDGES_NAME]);
/* Returns the types of columns that attribute i accepts. */
uint32_t columns_takes(const struct columns_cfg *c, uint32_t i);
/* Returns the kind of attribute i, which is `column` of the input. */
enum columns_kind columns_kind_of(const struct columns_cfg *c, const struct leat_schema *in,
                                  uint32_t i, uint32_t column);
/* Appends the number of a category in record r to the batch's text, and sets *text to it. Sets its
 * length to LEAT_NULL if the number is missing. Returns false if the record was rejected. */
bool columns_number_text(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, uint32_t column,
                         struct leat_str *text);
/* True if a missing value of attribute i makes a feature. Of two attributes of one column, only the
 * first one does. */
bool columns_marks_missing(const struct columns_cfg *c, uint32_t i);
/* Writes the name of this feature to `name`, and returns it. */
const char *columns_missing_feature(const struct columns_cfg *c, uint32_t i,
                                    char name[COLUMNS_EDGES_NAME]);

/* Returns the number of edges of all columns, or of those that take part in conjunctions. */
uint64_t columns_n_edges(const struct columns_cfg *c, bool crossed);
/* Returns the largest number of attributes of a record that take part in conjunctions. */
uint64_t columns_max_singles(const struct columns_cfg *c);
/* True if numbers are marked for learners (leat_schema.mark). Then 0 makes a feature, too, which
 * takes part in no conjunction. */
bool columns_marks_numbers(const struct columns_cfg *c);
/* Returns the largest number of edges of a record that take part in none. */
uint64_t columns_max_lone(const struct columns_cfg *c);
/* Returns the number of features of m attributes: C(m,1) + .. + C(m,cross). */
uint64_t columns_n_features(uint64_t m, int64_t cross);

/* The stage's validate and negotiate. */
int columns_validate(const void *cfg, struct leat_diag *d);
int columns_negotiate(const void *cfg, struct leat_negotiation *n);

#endif
