/* value.h -- converts plain Lua values to bytes and back, for snapshots of Lua stages.
 *
 * Plain values are nil, booleans, numbers, strings, and tables of plain values without metatables.
 * A value is written as a tag and its contents:
 *
 *     N T F   nil, true, false
 *     I       integer: 8 bytes, the sign bit inverted
 *     D       float: its 8 bytes
 *     S       string: its length in 8 bytes, then its bytes
 *     {       table: the number of pairs in 8 bytes, then key, value, key, value, …
 *
 * Numbers are big-endian. The pairs of a table are sorted by the bytes of their keys. So equal
 * values have equal bytes, although Lua's own order of keys differs from run to run. */
#ifndef LEAT_HOST_LUA_VALUE_H
#define LEAT_HOST_LUA_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

enum { LUA_VALUE_DEPTH = 16, LUA_VALUE_PATH = 120 };

struct lua_pair {
    size_t at, key_end, end; /* offsets in lua_bytes.p: start, end of the key, end of the pair */
};

/* Buffer for written values. Zero it before its first use; each write reuses its memory. */
struct lua_bytes {
    unsigned char *p;
    size_t n, cap;
    struct lua_pair *pair; /* pairs of the tables being written, outermost table first */
    size_t n_pairs, cap_pairs;
    char path[LUA_VALUE_PATH]; /* place of the current value, for messages: seen.list[3] */
    const char *wrong;         /* reason why the value at `path` cannot be written */
};

/* Writes the value on top of the stack to b->p[0 .. b->n) and leaves it on the stack. Paths in
 * messages start with `name`. Returns false on failure, with the reason in b->wrong. May raise a
 * memory error, so call it from a protected call. */
bool lua_value_write(lua_State *L, const char *name, struct lua_bytes *b);
void lua_bytes_free(struct lua_bytes *b);

/* Pushes the value that the n bytes encode. Returns false and pushes nothing if the bytes are not a
 * valid value. May raise a memory error, so call it from a protected call. */
bool lua_value_read(lua_State *L, const void *bytes, size_t n);

/* Appends the table key at stack index -2 to `path` as ".name" or "[3]", and cuts the path off at
 * `cap` bytes. Returns the previous length of the path. */
size_t lua_path_add_key(lua_State *L, char *path, size_t cap);

#endif
