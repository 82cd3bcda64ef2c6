/* odds.h -- how much more likely records with a feature are of kind 1: relative risk and ratio.
 *
 * N1 records are of kind 1 and N0 of kind 0; n1 and n0 of them have the feature. If a count is 0,
 * a quotient would be 0 or infinite. Then a record at the common odds is added to the records with
 * the feature, and another to those without it: q = N1 / (N1 + N0) of it is of kind 1, 1 - q of
 * kind 0. This moves a rate towards the common one and never beyond, so no quotient crosses 1. A
 * half for each count, as for odds of two sides of equal size, would pull a small side to 1/2.
 *
 *     relative risk  ((n1 + q) / (n1 + n0 + 1)) / ((N1 - n1 + q) / (N1 - n1 + N0 - n0 + 1))
 *     ratio          ((n1 + q) / (n0 + 1 - q)) / (N1 / N0)
 *
 * Faded counts may be fractions. If the smallest count is s < 1, the part 1 - s of a record is
 * added. So both quotients are continuous, grow with n1, and fall with n0. A sum of amounts may be
 * small without being uncertain. For `sums`, a record is only added if a sum is 0.
 *
 * Example. Of 10 records of kind 1 and 90 of kind 0, a feature has 0 and 9. The rates become 0.1 /
 * 10 and 10.1 / 92, so its relative risk is 0.091, and its ratio (0.1 / 9.9) / (1 / 9) = 0.091.
 *
 * MacroBase (P. Bailis et al., SIGMOD 2017) adds nothing. Its risk is 0 if no record of kind 1 has
 * the feature or if all records have it, and infinite if all records of kind 1 have it. */
#ifndef LEAT_CORE_ODDS_H
#define LEAT_CORE_ODDS_H

#include <stdbool.h>

/* Returns the part of a record to add, where `least` is the smallest count. */
static inline double odds_added(double least, bool sums)
{
    return least >= 1 || (sums && least > 0) ? 0 : least > 0 ? 1 - least : 1;
}

/* Returns p(1|x) / p(1|not x), or 1 if there are no records of a kind. */
static inline double odds_relative_risk(double n1, double n0, double N1, double N0, bool sums)
{
    double a = n1, b = n0, c = N1 > a ? N1 - a : 0, d = N0 > b ? N0 - b : 0, q = N1 / (N1 + N0);
    double with = a < b ? a : b, without = c < d ? c : d;
    double add = odds_added(with < without ? with : without, sums);
    if (!(N1 > 0) || !(N0 > 0)) return 1;
    return (a + add * q) / (a + b + add) / ((c + add * q) / (c + d + add));
}

/* Returns p(x|1) / p(x|0), or 1 if there are no records of a kind. */
static inline double odds_ratio_of_shares(double n1, double n0, double N1, double N0, bool sums)
{
    double q = N1 / (N1 + N0), add = odds_added(n1 < n0 ? n1 : n0, sums);
    if (!(N1 > 0) || !(N0 > 0)) return 1;
    return (n1 + add * q) / N1 / ((n0 + add * (1 - q)) / N0);
}

#endif
