/* command.c -- implementation of command.h: functions that several commands use, and `leat
 * plugins`. */
#include "command.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "host/lua/script/builder.h"
#include "host/lua/stages.h"
#include "host/plugin/describe.h"
#include "host/plugin/mentions.h"
#include "host/plugin/places.h"
#include "session.h"

/* ---- the commands of `leat` ---- */

const char *command_share(struct arena *a, const char *what)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return arena_printf(a, "%s/../share/leat/%s", dirname(path), what);
}

const char *command_lua_dir(struct arena *a)
{
    const char *given = getenv("LEAT_LUA_PATH");
    return given && *given ? given : command_share(a, "lua");
}

void command_load_plugins(struct registry *known, const struct command_line *c)
{
    registry_init(known);
    registry_add_builtin(known, &lua_plugin);
    registry_load_all(known, c->plugin_paths, c->n_plugin_paths);
}

int command_script_help(const struct command_line *c)
{
    struct session s = {.diag.arena = &s.arena};
    command_load_plugins(&s.known, c);
    int status = lua_script_help(c->script, command_lua_dir(&s.arena), &s.known,
                                 &session_beginnings, &s.diag, stdout);
    session_print_problems(&s, c);
    session_release(&s);
    return status == LEAT_OK ? EXIT_DONE : EXIT_CONFIG;
}

/* Prints the plugin folders in the order in which they are searched. */
static void print_places(struct arena *a, const struct command_line *c)
{
    const struct place *place;
    size_t n = places_list(a, c->plugin_paths, c->n_plugin_paths, &place);
    for (size_t i = 0; i < n; i++)
        plain_text_line(stdout, "%s (%s%s)", place[i].path, place[i].named_by,
                        place_exists(&place[i]) ? "" : "; it does not exist");
}

/* Describes one stage, in the format that the options choose. If type is NULL, describes all
 * stages. */
static void command_describe(const struct registry *known, const struct stage_type *type,
                             const struct command_line *c)
{
    if (c->json)
        type ? describe_stage_json(type, stdout) : describe_json(known, stdout);
    else if (c->lua)
        type ? describe_stage_lua(type, stdout) : describe_lua(known, stdout);
    else if (c->markdown)
        type ? describe_stage_markdown(type, stdout) : describe_markdown(known, stdout);
    else
        type ? describe_stage(type, stdout) : describe_list(known, stdout);
}

int command_plugins(const struct command_line *c)
{
    struct session s = {.diag.arena = &s.arena};
    int status = EXIT_DONE;
    command_load_plugins(&s.known, c);
    const struct stage_type *type = c->script ? registry_find(&s.known, c->script) : NULL;
    if (!c->script) registry_load_rest(&s.known);
    registry_print_notices(&s.known, true, stderr);
    struct stage_type pipeline = {.stage = &graph_options};
    if (c->script && !strcmp(c->script, "pipeline")) type = &pipeline;
    if (c->paths) {
        print_places(&s.arena, c);
    } else if (c->script && !type) {
        mentions_tell(&s.known, c->script, &s.arena);
        status = EXIT_CONFIG;
    } else {
        command_describe(&s.known, type, c);
    }
    session_release(&s);
    return status;
}
