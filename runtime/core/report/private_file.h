/* private_file.h -- opens files that show texts of the input, such as reports.
 *
 * Owner and group may read a new file (0640). A file that exists keeps its mode. */
#ifndef LEAT_CORE_REPORT_PRIVATE_FILE_H
#define LEAT_CORE_REPORT_PRIVATE_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens a file to replace its content; "-" is standard output. Returns NULL with errno set if this
 * fails. */
static inline FILE *private_file_open(const char *path)
{
    if (!strcmp(path, "-")) return stdout;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !f) close(fd);
    return f;
}

#endif
