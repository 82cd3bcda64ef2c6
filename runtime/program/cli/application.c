/* application.c -- see application.h. */
#include "application.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

const char *application_script(const char *name, struct arena *a)
{
    char path[PATH_MAX];
    if (!*name || strchr(name, '/') || *name == '.') return NULL;
    const char *here = arena_printf(a, "pipelines/%s.lua", name);
    if (!access(here, R_OK)) return here;
    /* Beside the modules, also where their folder is a link. */
    const char *there = arena_printf(a, "%s/leat/../../%s", command_lua_dir(a), here);
    return realpath(there, path) ? arena_strdup(a, path) : NULL;
}
