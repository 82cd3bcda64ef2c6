/* script_module.h -- the module `leat` of a script, and what it calls: which parameters a stage
 * has, how inputs begin. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_MODULE_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_MODULE_H

#include "builder_inside.h"

/* Makes package.loaded.leat from lua/leat/init.lua; its `...` are the arguments, the folder, and
 * functions of this file. Leaves MODULE, FLATTEN, ASKED and MISTAKES on an empty stack. false: an
 * error is on the stack. */
bool script_module_load(struct builder *b, const char *lua_dir, const struct argument *args,
                        size_t n);

#endif
