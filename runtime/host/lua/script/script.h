/* script.h -- state shared by the files that read a script: arguments, mistakes, tables. */
#ifndef LEAT_HOST_LUA_SCRIPT_SCRIPT_H
#define LEAT_HOST_LUA_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <lua.h>
#include "builder.h"
#include "host/lua/sandbox_library.h"

/* Stack indexes of the leat module and of three of its fields. The script can reach and change
 * MODULE, but not the other three. */
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
    struct print print; /* output of the script's print() */
    bool helps;      /* the script runs only to list its arguments; leat.arguments() then ends it */
    bool unreadable; /* the script is not Lua                                                     */
    const char *advice;  /* with `unreadable`: advice for the message; or NULL */
    const char *outside; /* reason why leat.beginning() could not read; NULL if it could */
    struct not_given {   /* arguments that the script reads and the command line does not set */
        const char *key;
        int line;
    } * not_given;
    size_t n_not_given;
};

/* Returns the builder of a Lua state. It is the user data of the state's allocator. */
static inline struct builder *builder_of(lua_State *L)
{
    void *ud;
    lua_getallocf(L, &ud);
    return ud;
}
/* Makes a Lua state for b->script with the script library and nothing else. If memory is lacking,
 * reports it and returns false. */
bool builder_start(struct builder *b);
void builder_end(struct builder *b);
/* Returns the folder of the script. */
const char *builder_dir(struct builder *b);
/* Raises an error if `is` is false. For checks of the flattened pipeline, which is well-formed
 * unless the script changed functions of the module. */
void builder_must(lua_State *L, bool is);

/* Loads lua/leat/init.lua and sets package.loaded.leat. Passes it the arguments, the script's
 * folder, and functions of the host. Expects an empty stack and fills the positions MODULE,
 * FLATTEN, ASKED and MISTAKES. Returns false with an error on the stack if this fails. */
bool script_module_load(struct builder *b, const char *lua_dir, const struct argument *args,
                        size_t n);

/* Pushes the functions leat.beginning, leat.pieces and leat.parsed. */
void script_looks_push(lua_State *L);

/* ---- leat.args: arguments that were read but not set, or set but not read ---- */

/* Stores in b->not_given the arguments that the script read but the command line did not set. Call
 * it outside of Lua functions, because ASKED is a position on the main stack. */
void script_arguments_note(struct builder *b);

/* Returns a hint to append to a message, such as "; leat.args.data was not given (--set
 * data=VALUE)". It lists the missing arguments that `text` quotes or that the script reads in
 * `line`; if there are none, all missing arguments. Returns "" if the list would be empty or too
 * long. */
const char *script_arguments_not_given(struct builder *b, int line, const char *text);

/* Fills the graph's `takes` with all arguments that the script read. Call it outside of Lua
 * functions, because ASKED is a position on the main stack. */
void script_arguments_taken(struct builder *b);

/* Reports each of the n arguments that is set but not read, if its name resembles an argument that
 * is read but not set. For a script that failed: it may not have reached the lines that read the
 * others. */
void script_arguments_misspelt(struct builder *b, const struct argument *args, size_t n);

/* Reports each of the n arguments that is set but not read by the script. */
void script_arguments_check(struct builder *b, const struct argument *args, size_t n);

/* ---- reporting mistakes of a script ---- */

/* Messages of Lua become problems with a place and a hint. Some mistakes raise no error in Lua; the
 * text of the script shows them. */

/* Reports an error message of Lua, "file:line: text". Skips the message if the same line already
 * has a problem, because one mistake may cause both. */
void script_errors_report(struct builder *b, const char *text);

/* Reports keys that occur twice in one table. Lua would silently keep only the last. */
void script_errors_scan(struct builder *b);

/* ---- tables, copied into the arena of the graph ---- */

/* In these functions, `table` is the stack index of a Lua table. They leave the stack as it was. */

/* Returns a field of the table: NULL if it is not a text, or 0 if it is not a number. */
const char *script_value_text(struct builder *b, int table, const char *name);
int script_value_int(struct builder *b, int table, const char *name);
/* Returns the location that the table's fields `file` and `line` hold. */
struct location script_value_location(struct builder *b, int table);

/* Returns all fields of the table as settings. The first setting is the list of unnamed values,
 * with key NULL. The others follow, sorted by key, so that the order of the Lua table has no
 * effect. A field that cannot be a value is reported with location `at`. */
void script_value_settings(struct builder *b, int table, struct location at, struct setting **out,
                           size_t *n_out);

#endif
