/* contrast_cells.h -- moves counts from the cells in front of a model to its members. */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_CELLS_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_CELLS_H

#include "contrast.h"

/* Adds the occurrences in a member's cells to the member, and to others with which it shares a
 * cell. The cells stay taken, and are empty. */
void contrast_settle_cells(const struct contrast *m, uint32_t slot);
static inline void contrast_settle(const struct contrast *m, uint32_t slot)
{
    if (m->front && m->front->link[slot]) contrast_settle_cells(m, slot);
}

/* Frees the cells of a member that leaves, and those that it shares. */
void contrast_give_up(const struct contrast *m, uint32_t slot);

#endif
