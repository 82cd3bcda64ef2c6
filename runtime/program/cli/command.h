/* command.h -- the commands of `leat`: each takes parsed options and returns an exit code. */
#ifndef LEAT_PROGRAM_CLI_COMMAND_H
#define LEAT_PROGRAM_CLI_COMMAND_H

#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

struct arena;
struct registry;

/* The commands print messages on standard error and return an exit code. */
int command_run(const struct command_line *c);
int command_check(const struct command_line *c);
int command_graph(const struct command_line *c);
/* Prints the help texts of the script and of its arguments. */
int command_script_help(const struct command_line *c);
int command_plugins(const struct command_line *c);
/* Runs the script leat/peek.lua, which comes with leat, on the files or the topic in c->script. */
int command_peek(const struct command_line *c);
/* Prints the first records of the pipeline c->script, and the effect of each stage on them. */
int command_trace(const struct command_line *c);
/* Shows the figures of a run. c->script is the URL of a run with --http, or a directory of
 * snapshots. Redraws the screen on a terminal; otherwise prints text once. */
int command_top(const struct command_line *c);
/* Predicts the records of the operands by the saved state c->script. */
int command_predict(const struct command_line *c);
int command_model(const struct command_line *c);
/* Runs `group status`. The operand is a consumer group, or a pipeline that reads by one. */
int command_group(const struct command_line *c);
/* Writes an HTML or Markdown page about the summaries and snapshots in c->script and the
 * operands. */
int command_report(const struct command_line *c);
/* Runs tests of pipelines. c->script and the operands are test files, or folders of test files. */
int command_test(const struct command_line *c);

/* Runs `plugin test`. The operands are the plugin's file and an optional script. */
int command_plugin(const struct command_line *c);
/* Makes a folder with a new plugin or a new pipeline. c->script is "plugin" or "pipeline". */
int command_new(const struct command_line *c);

/* Prints the completion script for the shell c->script. */
int command_completion(const struct command_line *c);

/* Initialises `known` and loads all plugins into it. Call registry_free() afterwards. */
void command_load_plugins(struct registry *known, const struct command_line *c);

/* Returns the path of an installed file: ../share/leat/WHAT, relative to the executable. */
const char *command_share(struct arena *a, const char *what);
/* Returns the folder of the Lua modules: LEAT_LUA_PATH, or the installed folder. */
const char *command_lua_dir(struct arena *a);

/* True if it is a command that is no application (application.h). */
bool command_is_built_in(const char *name);

#endif
