/* model_inputs.h -- the snapshots that a merge reads, one after another.
 *
 * An operand is a file; the folder of a run, with its newest snapshot; a folder of files and such
 * folders; a pattern such as 'states/[0-9]*', which leat resolves where the shell did not; or "-",
 * standard input, with snapshots one after another or names of files. Only one snapshot is in
 * memory at a time. Of a folder, other files than snapshots are passed over, and counted. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_INPUTS_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_INPUTS_H

#include "model.h"

struct model_inputs {
    const char *const *operand;
    size_t n, at; /* operands, and the next one */
    uint64_t memory;
    struct registry *known;
    struct arena arena;
    char **path; /* files of the operand under way */
    size_t n_paths, next;
    struct snapshot_stream stream; /* open if it has a file */
    uint64_t streamed, passed;     /* snapshots of the stream; files that are none */
};

/* Opens the next snapshot by model_open_learned(). Sets *opened if model_close() must be called.
 * Returns LEAT_OK; LEAT_EOS after the last one; or an error after a message. */
int model_inputs_next(struct model_inputs *in, struct model *m, bool *opened);
void model_inputs_close(struct model_inputs *in);
/* True if `path` is a folder with files of states, and not that of a run. */
bool model_inputs_are_in(const char *path);

#endif
