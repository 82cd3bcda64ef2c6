/* script.h -- shared state of the files that read a script: arguments, mistakes, tables. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <lua.h>
#include "builder.h"
#include "host/lua/sandbox_library.h"

/* Stack positions from the module on. The script can reach and change MODULE, but not the
 * others. */
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
    struct print print;  /* output of the script's print */
    bool helps;          /* the script runs only to list its arguments: leat.arguments ends it */
    bool unreadable;     /* the script is not Lua   */
    const char *advice;  /* … and this is the advice */
    const char *outside; /* reason why leat.beginning read nothing; or NULL */
    struct not_given {   /* arguments that the script read but nobody set */
        const char *key;
        int line;
    } * not_given;
    size_t n_not_given;
};

/* Returns the builder of a state, which is the data of its allocator. */
struct builder *builder_of(lua_State *L);
/* Makes a Lua state with the library of scripts and nothing else, for b->script. False, after
 * reporting, if there is no memory. */
bool builder_start(struct builder *b);
void builder_end(struct builder *b);
/* Returns the folder of the script. */
const char *builder_dir(struct builder *b);
/* Raises an error unless `is`. The flattened table of a script's pipeline is well-formed unless the
 * script changed functions of the module. */
void builder_must(lua_State *L, bool is);

/* Makes package.loaded.leat from lua/leat/init.lua; its `...` are the arguments, the folder, and
 * functions with the program's knowledge. Leaves MODULE, FLATTEN, ASKED and MISTAKES on an empty
 * stack. Returns false if an error is on the stack. */
bool script_module_load(struct builder *b, const char *lua_dir, const struct argument *args,
                        size_t n);

/* ---- leat.args: arguments that were read but not set, or set but not read ---- */

/* Notes in b->not_given the arguments that were read but not set. Call it outside of Lua calls,
 * where ASKED is a stack position. */
void script_arguments_note(struct builder *b);

/* Returns text to append to a message: "; leat.args.data was not given (--set data=VALUE)". It
 * covers the arguments that `text` quotes or that `line` reads, or else all if they are few; "" if
 * none fits. */
const char *script_arguments_not_given(struct builder *b, int line, const char *text);

/* Fills `takes` of the graph with all arguments that were read. Call it outside of Lua calls. */
void script_arguments_taken(struct builder *b);

/* Reports those of the n arguments that were set but not read, if one that was read but not set
 * has a similar name. (A script that failed may have read others later.) */
void script_arguments_misspelt(struct builder *b, const struct argument *args, size_t n);

/* Reports each of the n arguments that was set and that the script did not read. */
void script_arguments_check(struct builder *b, const struct argument *args, size_t n);

/* ---- mistakes ---- */

/* Messages of Lua become problems with a place and a hint. The script's text shows mistakes that
 * Lua accepts silently. */

/* Reports a message of Lua, "file:line: text". Leaves out consequences of a mistake that is already
 * reported in the same line. */
void script_errors_report(struct builder *b, const char *text);

/* Reports keys that occur twice in one table, of which Lua silently keeps the last. */
void script_errors_scan(struct builder *b);

/* ---- tables, copied into the arena of the graph ---- */

/* `table` is a stack position; the stack is unchanged afterwards. */

/* Returns a field; NULL if it is not a text, 0 if not a number. */
const char *script_value_text(struct builder *b, int table, const char *name);
int script_value_int(struct builder *b, int table, const char *name);
/* Returns the location in its fields `file` and `line`. */
struct location script_value_location(struct builder *b, int table);

/* Returns all fields as settings: first the unnamed values as one list with key NULL, then the
 * others, sorted by key. So the order of a Lua table has no effect. Fields that cannot be values
 * are reported at `at`. */
void script_value_settings(struct builder *b, int table, struct location at, struct setting **out,
                           size_t *n_out);

#endif
