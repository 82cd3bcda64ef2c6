/* test_file.h -- runs a file of tests of pipelines (lua/leat/test.lua). */
#ifndef LEAT_HOST_LUA_SCRIPT_TEST_FILE_H
#define LEAT_HOST_LUA_SCRIPT_TEST_FILE_H

#include <stdint.h>

#include "builder.h"

struct test_counts {
    uint64_t passed, failed;
};

/* Runs the tests of `script`, which print a line each, and adds to `counts`. Problems of the file
 * itself go to d. LEAT_OK, whether tests failed or not; LEAT_EARG: the file is none of tests. */
int lua_test(const char *script, const char *lua_dir, struct registry *known,
             const struct lua_beginning *beginning, struct diag *d, struct test_counts *counts);

#endif
