/* status_text.h -- describes a call's status in words. */
#ifndef LEAT_HOST_PLUGIN_STATUS_TEXT_H
#define LEAT_HOST_PLUGIN_STATUS_TEXT_H

/* Returns a text such as "a file, pipe or network failed", for a stage that fails without giving a
 * reason. */
const char *status_text(int status);

#endif
