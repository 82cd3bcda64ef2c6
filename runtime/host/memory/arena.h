/* arena.h -- memory that is freed all at once: a pipeline's graph, its texts, its configuration. */
#ifndef LEAT_HOST_MEMORY_ARENA_H
#define LEAT_HOST_MEMORY_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *last;
};

/* Returns zeroed memory, aligned to 64 bytes. Never returns NULL (memory.h): arenas are filled
 * before a run starts, when no data can be lost, or at its end. */
void *arena_alloc(struct arena *a, size_t bytes);
/* Return a copy that ends with a NUL. arena_strndup() copies exactly n bytes, even zeros. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* Returns a copy of an array of n elements in memory for twice as many, at least 64. Sets *cap to
 * the new capacity. The old array stays allocated until arena_free(). */
void *arena_grow(struct arena *a, const void *array, size_t n, size_t *cap, size_t element_bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args);
/* Frees everything. The arena is then empty and may be used again. A zeroed struct is an empty
 * arena, too. Only one thread at a time may use an arena. */
void arena_free(struct arena *a);

#endif
