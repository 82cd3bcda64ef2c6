/* count_headers.c -- LD_PRELOAD: counts how often librdkafka decodes the headers of a message.
 *
 * When the process ends, it writes the number to the file COUNT_HEADERS. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long decoded;

/* Plugins have their own scopes, and librdkafka is loaded with one. */
__attribute__((visibility("default"))) int rd_kafka_message_headers(const void *m, void **headers)
{
    static int (*decode)(const void *, void **);
    if (!decode)
        *(void **)&decode =
            dlsym(dlopen("librdkafka.so.1", RTLD_LAZY | RTLD_NOLOAD), "rd_kafka_message_headers");
    __atomic_fetch_add(&decoded, 1, __ATOMIC_RELAXED);
    return decode(m, headers);
}

__attribute__((destructor)) static void write_decoded(void)
{
    const char *path = getenv("COUNT_HEADERS");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) return;
    fprintf(f, "%lu\n", decoded);
    fclose(f);
}
