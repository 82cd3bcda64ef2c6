/* setting.h -- plain Lua values as bytes, and back: what the `state` of a Lua stage is made of.
 *
 * Plain are nil, booleans, numbers, strings, and tables of them without metatables. Each value is a
 * tag and what follows it:
 *
 *   N T F   nil, true, false
 *   I       integer: 8 bytes, highest first, the sign's bit turned
 *   D       float: its bits, 8 bytes, highest first
 *   S       string: its length in 8 bytes, highest first; its bytes
 *   {       table: how many pairs in 8 bytes, highest first; keys and values
 *
 * The pairs of a table are in the order of their keys' bytes, so equal values are equal bytes,
 * whatever order Lua walks them in.
 */
#ifndef LEAT_LUA_VALUE_H
#define LEAT_LUA_VALUE_H

#include <stddef.h>

#include <lua.h>

enum { LUA_VALUE_DEPTH = 16, LUA_VALUE_PATH = 120 };

struct lua_pair {
    size_t at, key_end, end; /* in the bytes */
};

/* Zeroed at first; keeps its memory from one value to the next. */
struct lua_bytes {
    unsigned char *p;
    size_t n, cap;
    struct lua_pair *pair; /* of the tables under way, one behind the other */
    size_t n_pairs, cap_pairs;
    char path[LUA_VALUE_PATH]; /* for people: seen.list[3] */
    const char *wrong;         /* what cannot be kept, of the value at `path` */
};

/* The value on top of the stack, which stays there, to b->p[0 .. b->n). 0: b->wrong says why not.
 * May raise a memory error: call it from a protected call. */
int lua_value_write(lua_State *L, const char *name, struct lua_bytes *b);
void lua_bytes_free(struct lua_bytes *b);

/* Push the value that the n bytes are. 0: they are none, and nothing is pushed. Likewise. */
int lua_value_read(lua_State *L, const void *bytes, size_t n);

#endif
