/* arena.h -- memory that is freed all at once: a pipeline's graph, its texts, its configuration. */
#ifndef LEAT_HOST_MEMORY_ARENA_H
#define LEAT_HOST_MEMORY_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *last;
};

/* Returns zeroed memory, aligned to 64 bytes, never NULL (memory.h). Arenas are filled before a run
 * starts, when nothing can be lost, or at its end. */
void *arena_alloc(struct arena *a, size_t bytes);
/* Return copies, ended by a NUL. arena_strndup takes exactly n bytes, whatever they are. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* Returns a copy of an array of n elements with twice the capacity, at least 64, which goes to
 * *cap. The old array stays until the end. */
void *arena_grow(struct arena *a, const void *array, size_t n, size_t *cap, size_t element_bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args);
/* Frees everything. The arena is then empty and may be used again; a zeroed struct is an empty
 * arena, too. One thread at a time. */
void arena_free(struct arena *a);

#endif
