/* blocks.h -- the memory that a stage has from the host: zeroed, aligned to 64 bytes, in a list, so
 * that what it does not free is freed for it. All by the thread of the instance's call. */
#ifndef LEAT_HOST_EXEC_INSTANCE_BLOCKS_H
#define LEAT_HOST_EXEC_INSTANCE_BLOCKS_H

#include "instance.h"

/* NULL: there is none. Of a large block the system gives pages when they are first used: what may
 * come and does not takes no memory. */
void *blocks_take(struct instance *i, size_t bytes);
/* Gives a block back. Returns its bytes. */
size_t blocks_give_back(struct instance *i, void *p);
void blocks_give_back_all(struct instance *i);
/* Bytes that the system has given for all of them, which are i->memory.used from then on
 * are i->memory.most_used. */
uint64_t blocks_used(struct instance *i);
/* After a restore or a merge, for which it had a second state: from here on the most counts anew.
 * What snapshots take is planned for the run (plan_memory.c). */
void blocks_settle(struct instance *i);

#endif
