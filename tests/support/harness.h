/* harness.h -- <leat/harness.h> for the plugins that are built here. */
#ifndef LEAT_TESTS_SUPPORT_HARNESS_H
#define LEAT_TESTS_SUPPORT_HARNESS_H

#include <stdio.h>
#include <stdlib.h>

#include <leat/harness.h>

/* Loads $B/lib/leat/plugins/NAME.so. B is build/release by default. */
static inline struct harness *harness_new(const char *plugin, const char *stage)
{
    const char *build = getenv("B");
    char path[512];
    snprintf(path, sizeof path, "%s/lib/leat/plugins/%s.so", build ? build : "build/release",
             plugin);
    return harness_load(path, stage);
}

#endif
