/* harness_memory.c -- breaches, messages, and memory of a harness; arrays with guard pages. */
#include "harness_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/plugin/call_status.h"

enum { CANARY = 0x5c };

static _Thread_local const char *at_file;
static _Thread_local int at_line;

void harness_at(const char *file, int line)
{
    at_file = file;
    at_line = line;
}

void harness_breach(struct harness *h, enum breach what, const char *format, ...)
{
    char text[HARNESS_TEXT * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (h && h->impl && h->impl->on_breach) {
        h->impl->on_breach(h, what, text);
        return;
    }
    if (at_file) fprintf(stderr, "%s:%d: ", at_file, at_line);
    fprintf(stderr, "harness: %s%s%s\n", h && h->stage ? h->stage->name : "",
            h && h->stage ? ": " : "", text);
    fflush(stderr);
    abort();
}

int harness_returned(struct harness *h, const char *call, int status)
{
    char why[300];
    const struct call_status_of of = {.source = h->stage->kind == LEAT_SOURCE,
                                      .stopping = h->stopping};
    if (!call_status_may_be(status, call, of, why, sizeof why))
        harness_breach(h, BREACH_RETURNED, "%s", why);
    return status;
}

void harness_say(struct harness *h, const char *param, const char *format, va_list args)
{
    size_t n = strlen(h->said);
    if (param) n += (size_t)snprintf(h->said + n, sizeof h->said - n, "%s: ", param);
    if (n < sizeof h->said) vsnprintf(h->said + n, sizeof h->said - n, format, args);
    n = strlen(h->said);
    if (n + 1 < sizeof h->said) memcpy(h->said + n, "\n", 2);
}

/* ---- memory ---- */

void *harness_room(struct harness *h, size_t bytes)
{
    void *p = arena_alloc(&h->impl->arena, bytes ? bytes : 1);
    harness_must(h, p, "no memory");
    return p ? memset(p, 0, bytes) : NULL;
}

char *harness_keep(struct harness *h, const char *text, size_t len)
{
    return memcpy(harness_room(h, len + 1), text, len);
}

/* Rounds `bytes` up to a multiple of `align`. If there is a gap between the end of the array and
 * the guard page, the gap holds a canary. */
static size_t harness_placed(size_t bytes, size_t align)
{
    return (bytes + align - 1) & ~(align - 1);
}

static size_t harness_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *harness_array(struct harness *h, size_t bytes, size_t align, int fill, const char *name)
{
    const size_t page = harness_page();
    size_t placed_bytes = harness_placed(bytes, align);
    size_t room = harness_placed(placed_bytes ? placed_bytes : 1, page);
    char *map = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    harness_must(h, map != MAP_FAILED, "no memory for %s", name);
    harness_must(h, h->impl->n_arrays < HARNESS_ARRAYS, "too many arrays");
    mprotect(map + room, page, PROT_NONE);
    h->impl->array[h->impl->n_arrays++] = (struct harness_array){map, bytes, room, align, name};
    char *at = map + room - placed_bytes;
    memset(at, fill, bytes);
    memset(at + bytes, CANARY, placed_bytes - bytes);
    return at;
}

void harness_forbid(struct harness *h, uint32_t from, uint32_t to, const char *name)
{
    for (uint32_t i = from; i < to; i++) {
        struct harness_array *a = &h->impl->array[i];
        mprotect(a->map, a->room, PROT_NONE);
        a->name = name;
        a->bytes = a->room; /* the whole array, up to the guard page */
    }
}

const char *harness_beyond(const struct harness *h, const void *at)
{
    for (uint32_t i = 0; i < h->impl->n_arrays; i++) {
        const struct harness_array *a = &h->impl->array[i];
        const char *p = at;
        if (p >= a->map && p < a->map + a->room + harness_page()) return a->name;
    }
    return NULL;
}

static void check_canary(struct harness *h, const struct harness_array *a)
{
    size_t over = harness_placed(a->bytes, a->align) - a->bytes;
    const char *end = a->map + a->room - over;
    for (size_t i = 0; i < over; i++)
        if (end[i] != CANARY) {
            harness_breach(h, BREACH_BEYOND, "wrote beyond the end of %s", a->name);
            return;
        }
}

void harness_free_arrays(struct harness *h)
{
    struct harness_impl *m = h->impl;
    for (uint32_t i = 0; i < m->n_arrays; i++)
        check_canary(h, &m->array[i]);
    while (m->n_arrays) {
        struct harness_array *a = &m->array[--m->n_arrays];
        munmap(a->map, a->room + harness_page());
    }
}
