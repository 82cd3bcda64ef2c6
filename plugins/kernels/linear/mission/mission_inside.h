/* mission_inside.h -- for mission.c and bear.c: the sketch's features, and what enters the top. */
#ifndef LEAT_KERNELS_LINEAR_MISSION_MISSION_INSIDE_H
#define LEAT_KERNELS_LINEAR_MISSION_MISSION_INSIDE_H

#include "mission.h"

#define NOWHERE UINT32_MAX /* no slot */

static inline uint32_t mission_mix(const struct mission *m, uint64_t id)
{
    return count_sketch_mix(&m->sketch, id_slots_fold(id));
}

/* The slot of a feature of the top, or NOWHERE. */
static inline uint32_t mission_find(const struct mission *m, uint64_t id)
{
    uint32_t f = id_slots_fold(id), slot = id_slots_seek(&m->set, f);
    return slot < m->set.n && m->set.id[slot] == f ? slot : NOWHERE;
}

/* A member's weight becomes w. */
void mission_weigh(struct mission *m, uint32_t slot, float w);
/* Step 3 for an entry of a row with label y (0, 1), whose feature's estimate is w. */
void mission_threshold(struct mission *m, uint64_t id, float w, uint32_t entry, int y);
/* What is due at the end of an example, when sgd_is_due. */
void mission_tidy(struct mission *m);

#endif
