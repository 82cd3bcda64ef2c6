/* print.c -- see print.h. */
#include "print.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "core/report/text_out.h"
#include "sandbox.h"

enum { LINE_BYTES = 800, BYTES_PER_STEP = 32 };

/* Appends what there is space for; a zero byte would end the line. */
static size_t append(char *line, size_t at, const char *text, size_t n)
{
    for (size_t i = 0; i < n && at + 1 < LINE_BYTES; i++)
        line[at++] = text[i] ? text[i] : '?';
    line[at] = '\0';
    return at;
}

/* The arguments as tostring has them, with blanks between them; cut. Returns the bytes of all. It
 * is called whether the line is shown or not: __tostring of a value may fail, or count. */
static size_t join(lua_State *L, char line[LINE_BYTES], size_t at)
{
    size_t bytes = 0;
    for (int i = 1, n = lua_gettop(L); i <= n; i++) {
        size_t len;
        const char *text = luaL_tolstring(L, i, &len);
        if (i > 1) at = append(line, at, "  ", 2);
        at = append(line, at, text, len);
        bytes += len;
        lua_pop(L, 1);
    }
    return bytes;
}

int print_in_stream(lua_State *L)
{
    struct print *p = sandbox_of(L)->print;
    char line[LINE_BYTES] = "";
    sandbox_charge(L, join(L, line, 0) / BYTES_PER_STEP);
    if (p && p->lines++ < PRINT_STREAM) p->say(p->to, line);
    return 0;
}

int print_in_script(lua_State *L)
{
    struct print *p = lua_touserdata(L, lua_upvalueindex(1));
    char line[LINE_BYTES] = "";
    luaL_where(L, 1);
    size_t n = append(line, 0, lua_tostring(L, -1), strlen(lua_tostring(L, -1)));
    lua_pop(L, 1);
    join(L, line, n);
    if (p->lines++ < PRINT_SCRIPT) p->say(p->to, line);
    return 0;
}

void print_end(const struct print *p, uint64_t max)
{
    char more[64], text[128];
    if (p->lines <= max) return;
    more[text_format_grouped(more, p->lines - max)] = '\0';
    snprintf(text, sizeof text, "print: … %s more", more);
    p->say(p->to, text);
}
