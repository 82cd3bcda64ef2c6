/* contrast_chance.h -- whether what learn.contrast shows is more than chance. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_CHANCE_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_CHANCE_H

#include <leat/plugin.h>
#include <leat/query.h>

#include "kernels/linear/contrast/contrast.h"

/* What a question has found: rows, and those of them that are no more than chance. */
struct contrast_found {
    bool asked;
    uint32_t rows, chance;
    struct leat_query question;
};

/* G, the likelihood ratio of the four counts of a feature against those that it would have if
 * labels did not matter to it: chance alone exceeds g in about e^(-g/2) of such features. */
double contrast_evidence(const struct contrast *m, uint32_t slot);
/* The G that chance exceeds in one of twenty streams of as many features. */
double contrast_luck(const struct contrast *m);

/* One sentence where no row was found, or most are no more than chance; `text`, or NULL. Where no
 * row is left it names the columns that no features were made of. */
const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             const struct leat_strings *left_out, char *text, size_t n);

#endif
