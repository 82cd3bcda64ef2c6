/* status_text.h -- what a status of a stage's call means, for people. */
#ifndef LEAT_HOST_PLUGIN_STATUS_TEXT_H
#define LEAT_HOST_PLUGIN_STATUS_TEXT_H

/* "a file, pipe or network failed"; for a stage that returned a failure and said nothing itself. */
const char *status_text(int status);

#endif
