/* host.h -- the services a stage gets: struct leat_host, filled. */
#ifndef LEAT_EXEC_HOST_H
#define LEAT_EXEC_HOST_H

#include <leat/plugin.h>

extern const struct leat_host host_services;

#endif
