/* blas_memory.c -- see blas_memory.h. */
#include "blas_memory.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const uint64_t BUFFER_BYTES = 128 << 20;
enum { MAX_THREADS = 64 };

static uint32_t mapped; /* buffers that are known to be there */

/* It is loaded with the first plugin that needs it. */
static void *library(void) { return dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD); }

uint64_t blas_memory_needed(uint32_t threads)
{
    void *blas = threads > mapped ? library() : NULL;
    if (!blas) return 0;
    dlclose(blas);
    return (threads - mapped) * BUFFER_BYTES;
}

/* C has no conversion from an object's address to that of a function. */
static void find(void *blas, const char *name, void *function, size_t bytes)
{
    void *at = dlsym(blas, name);
    memcpy(function, &at, bytes);
}

void blas_memory_map(uint32_t threads)
{
    void *buffer[MAX_THREADS], *(*take)(int) = NULL;
    void (*give_back)(void *) = NULL;
    uint32_t n = threads < MAX_THREADS ? threads : MAX_THREADS;
    void *blas = n > mapped ? library() : NULL;
    if (!blas) return;
    find(blas, "blas_memory_alloc", &take, sizeof take);
    find(blas, "blas_memory_free", &give_back, sizeof give_back);
    for (uint32_t i = 0; take && give_back && i < n; i++)
        buffer[i] = take(0);
    for (uint32_t i = 0; take && give_back && i < n; i++)
        give_back(buffer[i]);
    mapped = n;
    dlclose(blas);
}
