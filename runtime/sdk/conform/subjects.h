/* subjects.h -- the stages of a plugin, each with its configuration: from a script, or from its
 * own example. */
#ifndef LEAT_SDK_CONFORM_SUBJECTS_H
#define LEAT_SDK_CONFORM_SUBJECTS_H

#include "conform.h"
#include "subject.h"

struct subjects {
    struct arena arena;
    struct diag diag;                 /* of the script */
    struct graph script;              /* arena NULL: there is none */
    const struct leat_plugin *plugin; /* as it lies in the file */
    struct subject *of;
    uint32_t n;
    const char *dir; /* for files */
};

/* LEAT_OK, or LEAT_EARG after messages: the script is wrong. The plugin's file can be loaded. */
int subjects_make(struct subjects *all, const struct conform_options *o, struct registry *known,
                  const char *dir);
void subjects_free(struct subjects *all);

#endif
