/* status_text.h -- meaning of a call's status, for people. */
#ifndef LEAT_HOST_PLUGIN_STATUS_TEXT_H
#define LEAT_HOST_PLUGIN_STATUS_TEXT_H

/* "a file, pipe or network failed"; for a stage that returned a failure without a reason. */
const char *status_text(int status);

#endif
