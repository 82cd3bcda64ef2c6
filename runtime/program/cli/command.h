/* command.h -- the commands of `leat`, each from its parsed options to an exit code. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_H
#define LEAT_PROGRAM_CLI_COMMAND_H

#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

/* The commands of `leat`, each from its parsed options to an exit code. */

struct arena;
struct registry;

/* Each returns an exit code, after messages on standard error. */
int command_run(const struct command_line *c);
int command_check(const struct command_line *c);
int command_graph(const struct command_line *c);
/* Prints the help that the script has for itself and for its arguments. */
int command_script_help(const struct command_line *c);
int command_plugins(const struct command_line *c);
/* Runs the script leat/peek.lua of the Lua module on the file that stands in place of a script. */
int command_peek(const struct command_line *c);
/* The first records, and what each stage makes of them. */
int command_trace(const struct command_line *c);
/* A run that is watched by HTTP, or a directory of snapshots, on the terminal, or once as text:
 * c->script says which. */
int command_top(const struct command_line *c);
int command_model(const struct command_line *c);
/* Writes one page on summaries and snapshots. */
int command_report(const struct command_line *c);
/* Runs tests of pipelines: c->script and the operands are files of them, or folders with such. */
int command_test(const struct command_line *c);

/* `plugin test`: the operands are the plugin's file and a script, which may be missing. */
int command_plugin(const struct command_line *c);
/* Makes a folder with a plugin, or a pipeline, to start from: c->script says which. */
int command_new(const struct command_line *c);

/* Prints what completes command lines in the shell that c->script names. */
int command_completion(const struct command_line *c);

/* Initialises `known` and adds all plugins (registry_load_all); registry_free it afterwards. */
void command_load_plugins(struct registry *known, const struct command_line *c);

/* Returns the path of a file that is installed beside the executable: ../share/leat/WHAT. */
const char *command_share(struct arena *a, const char *what);
/* The folder of the Lua module: LEAT_LUA_PATH, or that of command_share. */
const char *command_lua_dir(struct arena *a);

/* The pipelines that come with leat, which people take for commands. */

/* The script of the application of this name, as a command may name it: pipelines/NAME.lua here, or
 * where it is installed; NULL if there is none. */
const char *application_script(const char *name, struct arena *a);

#endif
