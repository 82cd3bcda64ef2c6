/* forge_snapshot.c -- `leat model load TEXT FILE` without its final check: an attacker's snapshot.
 *
 * Linked with --wrap=model_accept. */
#include <stdlib.h>

#include <leat/status.h>

#include "program/cli/model/model.h"

int __wrap_model_accept(const char *name, void *bytes, size_t n, uint64_t memory,
                        const struct registry *known);

int __wrap_model_accept(const char *name, void *bytes, size_t n, uint64_t memory,
                        const struct registry *known)
{
    free(bytes);
    return LEAT_OK;
}

int main(int argc, char **argv)
{
    const char *operand[] = {argc > 2 ? argv[1] : "", argc > 2 ? argv[2] : ""};
    const struct command_line c = {.operand = operand, .n_operands = 2};
    return argc == 3 && model_load(&c, NULL) == LEAT_OK ? 0 : 1;
}
