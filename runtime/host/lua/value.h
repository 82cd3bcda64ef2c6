/* value.h -- plain Lua values as bytes and back, for the `state` of Lua stages in snapshots.
 *
 * Plain values are nil, booleans, numbers, strings, and tables of plain values without metatables.
 * A value is a tag and its contents:
 *
 *     N T F   nil, true, false
 *     I       integer: 8 bytes, the sign bit inverted
 *     D       float: its 8 bytes
 *     S       string: its length in 8 bytes, then its bytes
 *     {       table: the number of pairs in 8 bytes, then keys and values in turn
 *
 * Numbers are big-endian. The pairs of a table are sorted by the bytes of their keys, so equal
 * values have equal bytes whatever Lua's order. */
#ifndef LEAT_HOST_LUA_VALUE_H
#define LEAT_HOST_LUA_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

enum { LUA_VALUE_DEPTH = 16, LUA_VALUE_PATH = 120 };

struct lua_pair {
    size_t at, key_end, end; /* offsets in lua_bytes.p */
};

/* A buffer, zeroed before its first use; its memory is reused for the next value. */
struct lua_bytes {
    unsigned char *p;
    size_t n, cap;
    struct lua_pair *pair; /* of the tables in progress, outermost first */
    size_t n_pairs, cap_pairs;
    char path[LUA_VALUE_PATH]; /* for messages: seen.list[3]                       */
    const char *wrong;         /* reason why the value at `path` cannot be written */
};

/* Writes the value on top of the stack, which stays there, to b->p[0 .. b->n); b->path starts with
 * `name`. Returns false with the reason in b->wrong. May raise a memory error: call it from a
 * protected call. */
bool lua_value_write(lua_State *L, const char *name, struct lua_bytes *b);
void lua_bytes_free(struct lua_bytes *b);

/* Pushes the value that the n bytes hold. Returns false, with nothing pushed, if the bytes are not
 * a value. May raise a memory error: call it from a protected call. */
bool lua_value_read(lua_State *L, const void *bytes, size_t n);

/* Appends the table key at stack index -2 to `path`, for messages, as ".name" or "[3]", and cuts it
 * off at `cap` bytes. Returns the previous length. */
size_t lua_path_add_key(lua_State *L, char *path, size_t cap);

#endif
