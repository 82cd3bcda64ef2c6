/* abi.h -- does a plugin's descriptor fit this host? If so, a copy of it in the host's own layout.
 */
#ifndef LEAT_PLUGIN_ABI_H
#define LEAT_PLUGIN_ABI_H

#include <stddef.h>

#include <leat/plugin.h>

#include "base/arena.h"

/* `found` is what the symbol leat_plugin points to and `bytes` how much memory the symbol has there
 * (0: unknown). Returns NULL and the copy in *out, or why the plugin is refused: what was found,
 * what was wanted and what to do. The copy points into the plugin for texts and functions only. */
const char *abi_adopt(const struct leat_plugin *found, size_t bytes, struct arena *a,
                      const struct leat_plugin **out);

#endif
