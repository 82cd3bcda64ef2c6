/* script_chunks.c -- implementation of script_chunks.h: keeps the code that Lua compiled.
 *
 * A command reads a script up to twice: once for its arguments and once for its stages. To compile
 * the modules again would take seven times as long as to load their code. */
#include "script_chunks.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SCAN_BYTES = 1 << 20 };

struct script_chunk {
    struct script_chunk *next;
    char *file, *code;
    size_t n, cap;
};

static struct script_chunk *kept;

/* Adds bytes to the code; a lua_Writer. Returns 1 if there is no memory for them. */
static int script_chunk_add(lua_State *L, const void *bytes, size_t n, void *to)
{
    struct script_chunk *c = to;
    (void)L;
    if (c->n + n > c->cap) {
        size_t cap = 2 * (c->n + n);
        char *code = realloc(c->code, cap);
        if (!code) return 1;
        c->code = code;
        c->cap = cap;
    }
    memcpy(c->code + c->n, bytes, n);
    c->n += n;
    return 0;
}

/* Keeps the code of the function on top of the stack. Without memory it is compiled again. */
static void script_chunk_keep(lua_State *L, const char *file)
{
    struct script_chunk *c = calloc(1, sizeof *c);
    if (c && (c->file = strdup(file)) && !lua_dump(L, script_chunk_add, c, 0)) {
        c->next = kept;
        kept = c;
    } else if (c) {
        free(c->file);
        free(c->code);
        free(c);
    }
}

int script_chunks_load(lua_State *L, const char *file)
{
    for (const struct script_chunk *c = kept; c; c = c->next)
        if (!strcmp(c->file, file)) return luaL_loadbufferx(L, c->code, c->n, file, "b");
    int status = luaL_loadfilex(L, file, "t");
    if (status == LUA_OK) script_chunk_keep(L, file);
    return status;
}

const char *script_chunks_text(const char *script, struct arena *a, size_t *n)
{
    struct stat st;
    FILE *f = !stat(script, &st) && S_ISREG(st.st_mode) ? fopen(script, "re") : NULL;
    char *text = arena_alloc(a, SCAN_BYTES + 1);
    *n = f ? fread(text, 1, SCAN_BYTES, f) : 0;
    if (f) fclose(f);
    text[*n] = 0;
    return text;
}
