/* linalg.c -- implementation of linalg.h. */
#include "linalg.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/report/byte_size.h"
#include "host/memory/process_memory.h"

static void *linalg_library;
static char linalg_text[96];

/* Copies the address of a function into a function pointer, because ISO C does not allow to cast a
 * void * to one. Sets it to NULL if the library lacks the function. */
static void linalg_find(const char *name, void *function)
{
    void *at = dlsym(linalg_library, name);
    memcpy(function, &at, sizeof at);
}

/* ---- loading ---- */

/* Writes name, version and kernels to linalg_text. OpenBLAS describes itself by words, of which
 * the first two are its name and version. */
static void linalg_describe(void)
{
    char *(*config)(void);
    char *(*core)(void);
    char version[48] = "";
    linalg_find("openblas_get_config", &config);
    linalg_find("openblas_get_corename", &core);
    if (config) sscanf(config(), "OpenBLAS %47s", version);
    snprintf(linalg_text, sizeof linalg_text, "OpenBLAS %s %s", *version ? version : "?",
             core ? core() : "?");
}

/* Loads OpenBLAS. Returns as linalg_choose(). */
static const char *linalg_load(struct arena *a)
{
    void (*set_threads)(int);
    linalg_library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!linalg_library)
        return arena_printf(a,
                            "OpenBLAS cannot be loaded (%s): install it (package libopenblas0 of "
                            "Debian), or leave out linalg",
                            dlerror());
    linalg_find("openblas_set_num_threads", &set_threads);
    if (set_threads) set_threads(1);
    linalg_describe();
    return NULL;
}

const char *linalg_choose(int32_t linalg, struct arena *a)
{
    static int32_t chosen = -1;
    const char *fault = NULL;
    if (chosen >= 0 && chosen != linalg)
        return "linalg cannot change while a pipeline runs: start the process again";
    chosen = linalg;
    if (linalg == LINALG_OPENBLAS && !linalg_library) fault = linalg_load(a);
    return fault ? fault : linalg_reserve(1, a);
}

const char *linalg_name(int32_t linalg) { return linalg == LINALG_OWN ? NULL : linalg_text; }

void *linalg_function(int32_t linalg, const char *name)
{
    return linalg == LINALG_OWN ? NULL : dlsym(linalg_library, name);
}

/* ---- a limit of addresses (ulimit -v) ----
 *
 * OpenBLAS maps a buffer of 128 MB for each thread that computes a product, and keeps it. If the
 * system refuses, OpenBLAS retries for ever. So if there is a limit, the buffers are mapped before
 * the stages take memory; if they do not fit, the run reports an error. */

static const uint64_t LINALG_BUFFER = 128 << 20;
enum { LINALG_BUFFERS = 64 };

static uint32_t linalg_mapped; /* number of buffers that are certainly mapped */

static void linalg_map(uint32_t threads)
{
    void *buffer[LINALG_BUFFERS], *(*take)(int);
    void (*give_back)(void *);
    linalg_find("blas_memory_alloc", &take);
    linalg_find("blas_memory_free", &give_back);
    for (uint32_t i = 0; take && give_back && i < threads; i++)
        buffer[i] = take(0);
    for (uint32_t i = 0; take && give_back && i < threads; i++)
        give_back(buffer[i]);
    linalg_mapped = threads;
}

const char *linalg_reserve(uint32_t threads, struct arena *a)
{
    char more[BYTE_SIZE_TEXT], cure[MEMORY_CURE_TEXT];
    uint64_t limit = process_memory_limit(), used = process_memory_mapped();
    uint32_t n = threads < LINALG_BUFFERS ? threads : LINALG_BUFFERS;
    if (!linalg_library || limit == UINT64_MAX || n <= linalg_mapped) return NULL;
    uint64_t bytes = (n - linalg_mapped) * LINALG_BUFFER;
    if (used > limit || bytes > limit - used)
        return arena_printf(a,
                            "there is not enough memory for products of matrices by OpenBLAS, %s: "
                            "%s, or leave out linalg",
                            byte_size(bytes, more), memory_cure(cure));
    linalg_map(n);
    return NULL;
}
