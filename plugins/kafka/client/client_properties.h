/* client_properties.h -- a client's properties: those of its role, and the user's. */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_PROPERTIES_H
#define LEAT_KAFKA_CLIENT_CLIENT_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>

#include "client.h"

/* Set them all; secrets (secret.h) when the client `opens`. false: `why` says which is wrong, and
 * which one was probably meant. */
bool client_properties_set(rd_kafka_conf_t *conf, const struct client_cfg *cfg, bool opens,
                           char *why, size_t cap);

/* The first file of the user's properties (ssl.ca.location) that cannot be read, as "name=path",
 * and in `why` the reason; NULL: all can. */
const char *client_properties_unreadable(const struct client_cfg *cfg, const char **why);

#endif
