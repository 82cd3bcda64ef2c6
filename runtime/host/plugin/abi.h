/* abi.h -- checks a plugin's descriptor and copies it into the host's own layout. */
#ifndef LEAT_HOST_PLUGIN_ABI_H
#define LEAT_HOST_PLUGIN_ABI_H

#include <stddef.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* `found` is the address of the symbol leat_plugin, `bytes` the symbol's size (0: unknown). Returns
 * NULL with the copy in *out, or the reason for refusing the plugin: the found value, the expected
 * value and a cure. The copy lies in the arena; only its texts and functions point into the
 * plugin. */
const char *abi_adopt(const struct leat_plugin *found, size_t bytes, struct arena *a,
                      const struct leat_plugin **out);

/* Replaces the roles of a stage by copies in the host's layout; a missing role becomes all zeros.
 * So callers check a function (s->source->produce), never a role. */
void abi_adopt_roles(struct leat_stage *s, struct arena *a);

#endif
