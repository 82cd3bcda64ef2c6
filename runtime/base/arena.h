/* arena.h -- memory that is freed all at once: a pipeline's graph, its texts, its configuration. */
#ifndef LEAT_BASE_ARENA_H
#define LEAT_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *last;
};

/* Zeroed, aligned to 64 bytes. Running out of memory while describing a pipeline ends the process
 * with a message: nothing runs yet that could be saved. */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args);
void arena_free(struct arena *a);

#endif
