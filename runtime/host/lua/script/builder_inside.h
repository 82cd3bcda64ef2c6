/* builder_inside.h -- a script that is being read, for the files that read it. */
#ifndef LEAT_HOST_LUA_SCRIPT_BUILDER_INSIDE_H
#define LEAT_HOST_LUA_SCRIPT_BUILDER_INSIDE_H

#include <stdbool.h>

#include <lua.h>

#include "builder.h"
#include "host/lua/print.h"

/* Places on the stack from the module on. The script has MODULE too, and may do with it what it
 * likes; not the others. */
enum { MODULE = 1, FLATTEN, ASKED, MISTAKES };

struct builder {
    lua_State *L;
    struct graph *g;
    struct diag *d;
    const char *script;
    struct registry *known;
    const struct lua_beginning *beginning;
    size_t bytes;
    const char *lua_dir;
    struct print print;  /* by the script */
    bool helps;          /* the script runs to say what its arguments are: leat.arguments ends it */
    bool unreadable;     /* the script is no Lua    */
    const char *advice;  /* … of which this is said */
    const char *outside; /* why leat.beginning has read nothing; or NULL */
    struct not_given {   /* arguments that the script read and that were not given */
        const char *key;
        int line;
    } * not_given;
    size_t n_not_given;
};

/* The builder of a state, which is the data of its allocator. */
struct builder *builder_of(lua_State *L);
/* A Lua state with the library of scripts and nothing else, for b->script. false: there is no
 * memory, which is reported. */
bool builder_start(struct builder *b);
void builder_end(struct builder *b);
/* The folder of the script. */
const char *builder_dir(struct builder *b);
/* The table that a script's pipeline was flattened to is as it should be, unless the script changed
 * the functions that the module calls: then this raises an error. */
void builder_must(lua_State *L, bool is);

#endif
