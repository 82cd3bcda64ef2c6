/* undefined.h -- a global that does not exist is an error, not nil. */
#ifndef LEAT_HOST_LUA_UNDEFINED_H
#define LEAT_HOST_LUA_UNDEFINED_H

#include <lua.h>

/* From here on reading an undefined global raises an error that says what may be meant: a word of
 * another language, a name defined nearby. Defining globals stays possible. */
void undefined_refuse(lua_State *L);

/* In a sandbox. The same for words of other languages alone (True, null, …): functions of the
 * stream may ask whether they have set a global. Others are noted in sandbox.undefined. */
void undefined_note(lua_State *L);

#endif
