/* amounts.h -- the amount of each record, for learners that add up a column by feature.
 *
 * The parameters `amount` and `amount_unit` name the column and the unit. A learner adds whole
 * units, so sums are exact and do not depend on the order of the records. A record without a valid
 * amount is rejected. Importance weights are refused.
 *
 *   parameters  AMOUNTS_PARAMS(struct mine_cfg, amounts)
 *   negotiate   amounts_negotiate()
 *   open        amounts_open()
 *   process     amounts_read() at the first example of a record
 *   finish      amounts_tell()
 *   merge       amounts_fit(), amounts_no_room()
 */
#ifndef LEAT_COMMON_LEARNERS_AMOUNTS_H
#define LEAT_COMMON_LEARNERS_AMOUNTS_H

#include <math.h>
#include <stdbool.h>

#include <leat/plugin.h>

/* Member of a learner's configuration. */
struct amounts_cfg {
    const char *column; /* NULL: each record counts once */
    double unit;
};

struct amounts {
    const struct amounts_cfg *cfg;
    uint32_t column;
    double per_unit;  /* 1 / unit if the unit is below 1; otherwise 0 */
    uint64_t rounded; /* amounts that rounding to units changed by more than 1 % */
};

/* Largest amount of a record, in units. A thousand such records fit into a sum. */
#define AMOUNTS_MOST 0x1p50

/* Rows of a parameter table. */
#define AMOUNTS_PARAMS(CFG, MEMBER)                                                                \
    LEAT_PARAM_AS("amount", CFG, MEMBER.column, LEAT_STRING,                                       \
                  .doc = "adds up this column, such as bytes, in place of counting records"),      \
        LEAT_PARAM_AS("amount_unit", CFG, MEMBER.unit, LEAT_FLOAT, .flags = LEAT_ADVANCED,         \
                      .def = "0.001", .min = 1e-9, .max = 1e9,                                     \
                      .doc = "amounts are rounded to multiples of this, so that sums are exact")

/* Advice of a learner with these parameters if there are importance weights. */
#define AMOUNTS_ADVICE "add up a column with amount = \"COLUMN\", or leave out the weights"

/* Asks for the column, if there is one. */
void amounts_negotiate(const struct amounts_cfg *cfg, struct leat_negotiation *n);
void amounts_open(struct leat_ctx *ctx, const struct amounts_cfg *cfg, struct amounts *a);
/* Reads the amount of record r in units. Returns false if it has rejected the record. */
bool amounts_read(struct leat_ctx *ctx, struct amounts *a, struct leat_batch *b, uint32_t r,
                  uint64_t *units);
/* Returns a sum of units as an amount. */
double amounts_of(const struct amounts *a, double units);
/* Fails because the amounts add up to more than `most` units. */
int amounts_overflow(struct leat_ctx *ctx, const struct amounts *a, double most);
/* Most units of all amounts of a model together: 1.15e18. */
#define AMOUNTS_TOTAL ((uint64_t)1 << 60)
/* True if the sums of a model, by kind, and those of another, which counts `weight` times, are at
 * most AMOUNTS_TOTAL in all. */
bool amounts_fit(const uint64_t own[2], const uint64_t more[2], double weight);
/* Writes why a merge is refused if they do not fit. Returns `text`. */
enum { AMOUNTS_TEXT = 200 };
const char *amounts_no_room(const struct amounts_cfg *cfg, char text[AMOUNTS_TEXT]);
/* Warns of amounts that rounding has changed. */
void amounts_tell(struct leat_ctx *ctx, const struct amounts *a);

#endif
