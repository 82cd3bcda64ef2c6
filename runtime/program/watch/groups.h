/* groups.h -- what the groups of a run's sources do, for /status: members, lag, who is behind. */
#ifndef LEAT_PROGRAM_WATCH_GROUPS_H
#define LEAT_PROGRAM_WATCH_GROUPS_H

#include <jansson.h>

#include "figures.h"

/* Returns the groups that sources have reported (leat_host.group), as an array. Each has
 * "findings": sentences about partitions and members that are behind, with the reason if this
 * process knows it. `f` must have been updated just before. */
json_t *groups_json(const struct figures *f);

#endif
