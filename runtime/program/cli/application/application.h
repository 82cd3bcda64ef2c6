/* application.h -- applications: pipelines that are commands, `leat NAME FILE --ARGUMENT VALUE`.
 *
 * NAME.lua lies in the user's folder ($XDG_DATA_HOME/leat/pipelines or
 * ~/.local/share/leat/pipelines), or in the folder that comes with leat. The user's folder comes
 * first. NAME_test.lua is no application. */
#ifndef LEAT_PROGRAM_CLI_APPLICATION_APPLICATION_H
#define LEAT_PROGRAM_CLI_APPLICATION_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "host/lua/script/builder.h"
#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

struct application {
    const char *name;
    const char *path; /* of the script; absolute */
    bool of_user;     /* true if it lies in the user's folder */
};

/* Returns true and fills *to if there is an application of this name. */
bool application_find(const char *name, struct application *to, struct arena *a);

/* Returns the user's folder of applications; NULL if it is unknown. */
const char *application_folder(struct arena *a);

/* Sets *list to all applications, sorted by name, and returns their number. */
size_t application_list(struct arena *a, const struct application **list);

/* Prints a line for each application, with the question that it answers. */
void application_print_list(FILE *out);

/* Prints the head comment of the application, its arguments as options, and the options of `leat
 * run`. Returns an exit code. */
int application_help(const struct application *app);

/* Reads the arguments that a script declares, in the arena. Plugins come from the options of c, or
 * only from the standard folders if c is NULL. Returns an exit code, after messages if the script
 * cannot be read. */
int application_arguments(const char *script, const struct command_line *c, struct declarations *to,
                          struct arena *a);

/* Makes one argument of several in c->args with the same key. A list of the script gets all their
 * values; of another argument, two different values are refused. `script` is NULL if none declares
 * the arguments. The values are in the arena. Returns an exit code. */
int application_unite(struct command_line *c, const char *script, struct arena *a);

/* Turns the words after `leat` into those of `leat run`: argv[0] is the name of the application.
 * Sets *words to n_words words, of which the first is "run" and the second is the script. If the
 * words ask for help, sets *helps instead. Returns an exit code, after a message if a word is
 * wrong. */
int application_words(const struct application *app, int argc, char **argv, struct arena *a,
                      int *n_words, char ***words, bool *helps);

/* Returns a file's name as an item of a list: one with a comma stands in double quotes. */
const char *application_item(struct arena *a, const char *name);

#endif
