/* command.h -- the commands of `leat`, each from its parsed options to an exit code. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_H
#define LEAT_PROGRAM_CLI_COMMAND_H

#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

struct arena;
struct registry;

/* Commands. Each returns an exit code, after messages on standard error. */
int command_run(const struct command_line *c);
int command_check(const struct command_line *c);
int command_graph(const struct command_line *c);
/* Prints the help that the script has for itself and for its arguments. */
int command_script_help(const struct command_line *c);
int command_plugins(const struct command_line *c);
/* Runs the Lua module's script leat/peek.lua on the file given in place of a script. */
int command_peek(const struct command_line *c);
/* Prints the first records, and the work of each stage on them. */
int command_trace(const struct command_line *c);
/* Shows a run that is watched by HTTP, or a directory of snapshots (c->script): on the terminal, or
 * once as text. */
int command_top(const struct command_line *c);
int command_model(const struct command_line *c);
/* Writes one page on summaries and snapshots. */
int command_report(const struct command_line *c);
/* Runs tests of pipelines. c->script and the operands are test files, or folders of test files. */
int command_test(const struct command_line *c);

/* Runs `plugin test`. The operands are the plugin's file and a script, which may be missing. */
int command_plugin(const struct command_line *c);
/* Makes a folder with a new plugin or pipeline (c->script). */
int command_new(const struct command_line *c);

/* Prints the completion of command lines for the shell in c->script. */
int command_completion(const struct command_line *c);

/* Initialises `known` and adds all plugins (registry_load_all). Call registry_free afterwards. */
void command_load_plugins(struct registry *known, const struct command_line *c);

/* Returns the path of a file that is installed with the executable: ../share/leat/WHAT. */
const char *command_share(struct arena *a, const char *what);
/* Returns the folder of the Lua module: LEAT_LUA_PATH, or that of command_share. */
const char *command_lua_dir(struct arena *a);

/* ---- pipelines that come with leat, which people take for commands ---- */

/* Returns the script of the application with this name: pipelines/NAME.lua in the current folder,
 * or where it is installed; NULL if there is none. A command names it this way. */
const char *application_script(const char *name, struct arena *a);

#endif
