/* abi.h -- checks a plugin's descriptor and copies it into the host's own layout. */
#ifndef LEAT_HOST_PLUGIN_ABI_H
#define LEAT_HOST_PLUGIN_ABI_H

#include <stddef.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* Checks the plugin descriptor `found`, the address of the plugin's symbol leat_plugin. `bytes` is
 * the symbol's size (0: unknown). Returns NULL if the plugin fits, with a copy in *out. Otherwise
 * returns the reason for refusing it: the found value, the expected value and a cure. The copy lies
 * in the arena; only its texts and functions are the plugin's own. */
const char *abi_adopt(const struct leat_plugin *found, size_t bytes, struct arena *a,
                      const struct leat_plugin **out);

/* Replaces the roles of a stage by copies in the host's layout. A missing role becomes all zeros.
 * So callers need to check only a function, such as s->source->produce, and never a role. */
void abi_adopt_roles(struct leat_stage *s, struct arena *a);

#endif
