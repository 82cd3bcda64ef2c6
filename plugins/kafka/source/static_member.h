/* static_member.h -- the name under which this process is a static member of its group.
 *
 * A static member that is killed and starts again under its name gets its partitions back at once.
 * Two members of one name would fence each other out. So a name that the source makes holds
 *
 *   leat-HOST-HASH-SLOT   HASH: of the machine since it was started, its network namespace, the
 *                         brokers, the group and the pipeline
 *                         SLOT: the first number whose socket is free
 *
 * The socket's address is the name, in the abstract namespace. The system frees it when the process
 * ends, however it ends. Two containers that could take the same address share a network namespace,
 * and two that do not have different hashes. */
#ifndef LEAT_KAFKA_SOURCE_STATIC_MEMBER_H
#define LEAT_KAFKA_SOURCE_STATIC_MEMBER_H

#include <stdbool.h>

#include "source_params.h"

enum { STATIC_MEMBER_NAME = 100 };

struct static_member {
    int socket;                    /* holds a name that was made; -1: none was */
    char made[STATIC_MEMBER_NAME]; /* "" if none was made */
    const char *name;              /* group.instance.id; NULL: an ordinary member */
    int fenced;                    /* times that the group has fenced it out */
};

/* Returns the name that the user has given by the parameter `instance`; NULL for "auto", "none" and
 * "". */
const char *static_member_given(const struct consumer_cfg *cfg);
/* Chooses the name by the parameter `instance`. "auto" means "none" if `pipeline` is NULL, or if
 * the system has no abstract sockets or no ID of its start. Call static_member_close() when the
 * client has ended. */
void static_member_open(struct static_member *m, const struct consumer_cfg *cfg,
                        const char *pipeline);
/* Notes that the group has fenced out this member. If that happens again and again, another process
 * has the name after all, and the process becomes an ordinary member. */
void static_member_fenced(struct static_member *m);
/* Frees the name for other processes. */
void static_member_close(struct static_member *m);
/* True if the member leaves its group when it ends, so that others get its partitions at once. A
 * member that the user has named stays, until session.timeout.ms. */
bool static_member_leaves(const struct static_member *m);

#endif
