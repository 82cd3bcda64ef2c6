/* script.h -- a script that is being read, for the files that read it: its arguments, its mistakes
 * in words that help, and its tables as settings of the graph. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <lua.h>
#include "builder.h"
#include "host/lua/sandbox_library.h"

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

/* Makes package.loaded.leat from lua/leat/init.lua; its `...` are the arguments, the folder, and
 * functions that say what the program knows. Leaves MODULE, FLATTEN, ASKED and MISTAKES on an empty
 * stack. Returns false if an error is on the stack. */
bool script_module_load(struct builder *b, const char *lua_dir, const struct argument *args,
                        size_t n);

/* ---- leat.args: arguments that were read and not given, or given and not read ---- */

/* Keeps in b->not_given which were read and not given. Outside of calls, where ASKED is a place on
 * the stack. */
void script_arguments_note(struct builder *b);

/* Text to append to a message: "; leat.args.data was not given (--set data=VALUE)". It is of the
 * arguments that `text` quotes or that `line` reads, or else of all when they are few; "" where
 * none may be meant. */
const char *script_arguments_not_given(struct builder *b, int line, const char *text);

/* Fills takes of the graph: all that were read. Outside of calls, as above. */
void script_arguments_taken(struct builder *b);

/* Reports those of the n that were given and not read, where one that was read and not given has a
 * name like theirs: a script that failed may have read others later. */
void script_arguments_misspelt(struct builder *b, const struct argument *args, size_t n);

/* Reports each of the n that were given and that the script did not read. */
void script_arguments_check(struct builder *b, const struct argument *args, size_t n);

/* ---- mistakes ---- */

/* Messages of Lua become problems with a place and a hint; what Lua takes without a word is found
 * in the script's text. */

/* A message of Lua, "file:line: text". What follows from a mistake that is reported already, in the
 * same line, is left out. */
void script_errors_report(struct builder *b, const char *text);

/* Reports keys written twice in one table, of which Lua silently keeps the last. */
void script_errors_scan(struct builder *b);

/* ---- tables, copied into the arena of the graph ---- */

/* `table` is a place on the stack, which is as it was afterwards. */

/* A field; NULL: it is no text. 0: it is no number. */
const char *script_value_text(struct builder *b, int table, const char *name);
int script_value_int(struct builder *b, int table, const char *name);
/* Its fields `file` and `line`. */
struct location script_value_location(struct builder *b, int table);

/* All fields as settings: first the unnamed values as one list with key NULL, then the others,
 * sorted by key, so that the order of a Lua table has no effect. What cannot be a value is reported
 * as at `at`. */
void script_value_settings(struct builder *b, int table, struct location at, struct setting **out,
                           size_t *n_out);

#endif
