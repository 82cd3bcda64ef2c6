/* application.h -- the pipelines that come with leat, which people take for commands. */
#ifndef LEAT_PROGRAM_CLI_APPLICATION_H
#define LEAT_PROGRAM_CLI_APPLICATION_H

#include "host/memory/arena.h"

/* The script of the application of this name, as a command may name it: pipelines/NAME.lua here, or
 * where it is installed; NULL: there is none. */
const char *application_script(const char *name, struct arena *a);

#endif
