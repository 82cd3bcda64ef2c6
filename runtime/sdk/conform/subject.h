/* subject.h -- a stage under test, with its configuration and input. */
#ifndef LEAT_SDK_CONFORM_SUBJECT_H
#define LEAT_SDK_CONFORM_SUBJECT_H

#include "conform.h"
#include "host/graph/graph.h"
#include "sdk/harness/harness_impl.h"

/* Records of the script's source, for parsers whose format cannot be guessed. */
struct samples {
    char **text;
    uint32_t *len;
    uint32_t n;
    char *header; /* header of the source; or NULL */
};

struct subject {
    const struct leat_plugin *plugin; /* unchanged, from the plugin's file */
    const struct leat_stage *stage;   /* copy of the plugin's stage, in the host's layout */
    const void *cfg;                  /* configuration; NULL: the defaults */
    /* the stage's node in the script; NULL if the stage is configured by its example or defaults */
    const struct node *node;
    const char *refused; /* error in the stage's example; or NULL */
    struct samples samples;
    const char *dir; /* folder for the files of this trial */
    uint32_t batch;  /* records per batch, for harness_open() */
    uint64_t seed;   /* seed of the records */
    int instance;    /* number of the instance whose output files to use; 0: a new number */
    bool locked;     /* true to make the configuration read-only, so that a write crashes */
    /* Input file to use. NULL: the file of subject_input(), or a generated one. */
    const char *input;
};

/* Returns the reason why the stage cannot run with its configuration; NULL if it can. */
const char *subject_not_run(const struct subject *s);

/* Makes a harness for the subject. Skips the law if there is no suitable input for the stage. */
struct harness *subject_new(const struct subject *s);
/* Fails the law because `call` returned the failure `status`. Skips the law if a generated input
 * file may have had the wrong format. */
_Noreturn void subject_fails(const struct harness *h, const char *call, int status);
/* Makes a harness as subject_new() does, then opens and starts the stage. */
struct harness *subject_open(const struct subject *s);

/* Stops and closes the stage. Fails the law if a call fails. */
void subject_close(struct harness *h);

/* Returns the bytes of all files that an instance has written (harness_impl.instance). The caller
 * frees them. */
char *subject_written(const struct subject *s, int instance, size_t *n);

/* True if the instance has written a file. */
bool subject_has_written(const struct subject *s, int instance);

/* Fails the law if `status`, which `call` returned, is not LEAT_OK. */
void subject_returned(struct harness *h, const char *call, int status);
/* Reports BREACH_RETURNED if `call` succeeded but called host->fail. h->said must be empty before
 * the call. */
void subject_told(struct harness *h, const char *call, int status);
/* Calls the stage's barrier(), if there is one. Fails the law if barrier() fails. */
void subject_barrier(struct harness *h, uint64_t checkpoint);

/* Returns the parameter that names an input file in this configuration; NULL if there is none. */
const struct leat_param *subject_input(const struct subject *s);

/* True if the parameter's value is a text or path, or a list of them. */
bool subject_is_text(const struct leat_param *p);

bool subject_has_state(const struct subject *s);
bool subject_merges(const struct subject *s);

/* ---- all stages of a plugin, each configured by a script or by its own example ---- */

struct subjects {
    struct arena arena;
    struct diag diag;                 /* problems of the script */
    struct graph script;              /* graph of the script; script.arena is NULL without one */
    const struct leat_plugin *plugin; /* unchanged, from the plugin's file */
    struct subject *of;
    uint32_t n;
    const char *dir; /* folder for the files of all trials */
};

/* Makes the subjects of a plugin whose file can be loaded. Returns LEAT_OK; or LEAT_EARG after
 * messages if the script is wrong. */
int subjects_make(struct subjects *all, const struct conform_options *o, struct registry *known,
                  const char *dir);
void subjects_free(struct subjects *all);

#endif
