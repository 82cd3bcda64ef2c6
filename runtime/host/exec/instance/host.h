/* host.h -- the services a stage gets: struct leat_host, filled. */
#ifndef LEAT_HOST_EXEC_INSTANCE_HOST_H
#define LEAT_HOST_EXEC_INSTANCE_HOST_H

#include <leat/plugin.h>

struct instance;

extern const struct leat_host host_services;

/* Calls the stage's open. LEAT_OK, or a failure of the run, and what it has allocated is freed. */
int host_open(struct instance *i);
/* Calls its close, if it is open, and frees what it has allocated. */
void host_close(struct instance *i);
/* Asks the learner. What its query returns. */
int host_query(struct instance *i, const struct leat_query *q, struct leat_result *out);

#endif
