/* function.c -- copies a Lua function, and everything that it captures, from one state to another.
 *
 * A captured function becomes a graph. The nodes (struct captured) are functions, as bytecode with
 * line numbers, and tables. The edges are the values in tables and in variables. A variable (an
 * upvalue in Lua) is a node, too, because functions may share it: if one helper increments
 * `local n` and another reads it, they must share one variable in the copy, too. The graph also
 * covers recursion, tables that refer to each other and modules of local functions.
 *
 * A function may capture:
 *  - nil, booleans, numbers, strings
 *  - tables of these values, without metatables
 *  - Lua functions that capture only these values
 *  - library functions that the sandbox offers, such as `local floor = math.floor`; their names
 *    are copied
 *
 * _ENV becomes the globals of the new state: a function in the stream does not see the script's
 * globals. If two stages capture the same table, each has its own copy, and the script keeps the
 * original.
 *
 * Not here: limits and libraries (sandbox.c), calls (run.c). */
#include "function.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "sandbox.h"
#include "value.h"

enum { TABLE_DEPTH_MAX = 16, DEPTH_MAX = 180, PATH_MAX_BYTES = 160 };

enum plain_type {
    PLAIN_NIL,
    PLAIN_BOOLEAN,
    PLAIN_INTEGER,
    PLAIN_NUMBER,
    PLAIN_TEXT,
    PLAIN_OBJECT,  /* a captured function or table                                          */
    PLAIN_LIBRARY, /* library value, looked up by its name: "math.floor", "pcall", "string" */
    PLAIN_GLOBALS
};

struct plain {
    enum plain_type type;
    size_t n; /* PLAIN_TEXT: length of `text` */
    union {
        int boolean;
        lua_Integer integer;
        lua_Number number;
        const char *text;
        const struct captured *object;
    };
};

struct variable {
    const struct captured *owner; /* function among whose upvalues the variable was found first */
    int slot;                     /* index among the owner's upvalues */
    const char *name;             /* name of the local variable in the script */
    struct plain value;
};

struct captured {
    struct captured *next;
    int id; /* 1, 2, …: index in the Lua table of objects while function_push() runs */
    bool is_function;
    const char *code; /* only for functions: bytecode */
    size_t n_code;
    struct variable **variable;
    int n_variables;
    struct plain *pairs; /* only for tables: key, value, key, value, … */
    size_t n_pairs;
};

/* ---- capturing a function from a Lua state ---- */

struct function_capture {
    lua_State *L;
    struct arena *arena;
    /* stack index of a Lua table that maps each function or table to its struct captured, and each
     * upvalue id to its struct variable */
    int seen;
    int depth, table_depth;
    struct captured *first, **end;
    int n;
    char path[PATH_MAX_BYTES]; /* path of the current value, for messages: cfg.list[3] */
    char *error;
    size_t cap;
};

static bool function_capture_value(struct function_capture *c, struct plain *out);

static bool function_refuse(struct function_capture *c, const char *what)
{
    snprintf(c->error, c->cap,
             "the function uses '%s' (%s): it may use only plain data and functions written in Lua",
             c->path, what);
    return false;
}

static bool function_refuse_file(struct function_capture *c)
{
    snprintf(c->error, c->cap,
             "the function uses '%s', an open file: read the file in the script, into a local text "
             "or table, and use that",
             c->path);
    return false;
}

/* Pushes the library value called `name` ("pcall", "math.floor"), or nil if there is none. The
 * table of globals is on top of the stack. */
static void function_push_named(lua_State *L, const char *name)
{
    const char *dot = strchr(name, '.');
    lua_pushlstring(L, name, dot ? (size_t)(dot - name) : strlen(name));
    lua_rawget(L, -2);
    if (dot && lua_istable(L, -1)) {
        lua_pushstring(L, dot + 1);
        lua_rawget(L, -2);
        lua_remove(L, -2);
    }
}

/* Returns the name under which the sandbox offers the value on top of the stack; NULL if the
 * sandbox does not offer it. */
static const char *function_library_name(struct function_capture *c)
{
    lua_State *L = c->L;
    const char *found = NULL;
    bool is_table = lua_istable(L, -1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    for (const char *const *name = sandbox_names; *name && !found; name++) {
        if (is_table && strchr(*name, '.')) continue;
        function_push_named(L, *name);
        if (lua_rawequal(L, -1, -3)) found = *name;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return found;
}

static struct captured *function_object_new(struct function_capture *c, bool is_function)
{
    struct captured *o = arena_alloc(c->arena, sizeof *o);
    o->id = ++c->n;
    o->is_function = is_function;
    *c->end = o;
    c->end = &o->next;
    lua_pushvalue(c->L, -1);
    lua_pushlightuserdata(c->L, o);
    lua_rawset(c->L, c->seen);
    return o;
}

struct dump {
    char *out; /* NULL to only count the bytes */
    size_t n;
};

static int function_dump_some(lua_State *L, const void *p, size_t n, void *ud)
{
    struct dump *d = ud;
    if (d->out) memcpy(d->out + d->n, p, n);
    d->n += n;
    return 0;
}

static void function_dump_code(struct function_capture *c, struct captured *f)
{
    struct dump d = {0};
    lua_dump(c->L, function_dump_some, &d, 0);
    f->n_code = d.n;
    d = (struct dump){.out = arena_alloc(c->arena, d.n)};
    f->code = d.out;
    lua_dump(c->L, function_dump_some, &d, 0);
}

/* Captures upvalue `slot` of the function on top of the stack. Returns NULL if its value cannot be
 * copied. */
static struct variable *function_capture_variable(struct function_capture *c,
                                                  const struct captured *f, int slot,
                                                  const char *name)
{
    lua_State *L = c->L;
    void *id = lua_upvalueid(L, -2, slot);
    lua_rawgetp(L, c->seen, id);
    struct variable *v = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (v) return v;
    v = arena_alloc(c->arena, sizeof *v);
    *v = (struct variable){.owner = f, .slot = slot, .name = arena_strdup(c->arena, name)};
    lua_pushlightuserdata(L, v);
    lua_rawsetp(L, c->seen, id);
    if (!strcmp(name, "_ENV")) {
        v->value.type = PLAIN_GLOBALS;
        return v;
    }
    size_t before = strlen(c->path);
    snprintf(c->path + before, sizeof c->path - before, "%s%s", before ? "' -> '" : "", name);
    if (!function_capture_value(c, &v->value)) return NULL;
    c->path[before] = '\0';
    return v;
}

static bool function_capture_function(struct function_capture *c)
{
    lua_State *L = c->L;
    struct captured *f = function_object_new(c, true);
    int outer_depth = c->table_depth;
    function_dump_code(c, f);
    lua_Debug info;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">u", &info);
    f->n_variables = info.nups;
    f->variable = arena_alloc(c->arena, (size_t)info.nups * sizeof *f->variable);
    c->table_depth = 0;
    for (int i = 1; i <= f->n_variables; i++) {
        const char *name = lua_getupvalue(L, -1, i);
        if (!(f->variable[i - 1] = function_capture_variable(c, f, i, name))) return false;
        lua_pop(L, 1);
    }
    c->table_depth = outer_depth;
    return true;
}

static bool function_capture_table(struct function_capture *c)
{
    lua_State *L = c->L;
    if (lua_getmetatable(L, -1)) return function_refuse(c, "a table with a metatable");
    if (c->table_depth == TABLE_DEPTH_MAX)
        return function_refuse(c, "a table nested more than 16 deep");
    struct captured *t = function_object_new(c, false);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        t->n_pairs++;
    t->pairs = arena_alloc(c->arena, t->n_pairs * 2 * sizeof *t->pairs);
    struct plain *at = t->pairs;
    c->table_depth++;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1), at += 2) {
        size_t before = lua_path_add_key(L, c->path, sizeof c->path);
        lua_pushvalue(L, -2);
        if (!function_capture_value(c, &at[0])) return false;
        lua_pop(L, 1);
        if (!function_capture_value(c, &at[1])) return false;
        c->path[before] = '\0';
    }
    c->table_depth--;
    return true;
}

static bool function_is_globals(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    bool yes = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    return yes;
}

static const struct captured *function_seen_before(struct function_capture *c)
{
    lua_pushvalue(c->L, -1);
    lua_rawget(c->L, c->seen);
    const struct captured *o = lua_touserdata(c->L, -1);
    lua_pop(c->L, 1);
    return o;
}

/* True if the value on top of the stack is the leat module. A function that uses `leat.args.min`
 * captures the whole module; the message for this case says how to avoid it. */
static bool function_is_leat(lua_State *L)
{
    int top = lua_gettop(L);
    if (lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE) == LUA_TTABLE)
        lua_getfield(L, -1, "leat");
    bool yes = lua_rawequal(L, -1, top);
    lua_settop(L, top);
    return yes;
}

static bool function_capture_new(struct function_capture *c, struct plain *out)
{
    if (function_is_leat(c->L))
        return function_refuse(
            c, "the module that describes pipelines; copy the values that you need into local "
               "variables first");
    if (c->depth == DEPTH_MAX) return function_refuse(c, "too many functions inside each other");
    luaL_checkstack(c->L, 12, "capturing a function");
    struct captured **slot = c->end;
    c->depth++;
    bool ok = lua_isfunction(c->L, -1) ? function_capture_function(c) : function_capture_table(c);
    c->depth--;
    *out = (struct plain){.type = PLAIN_OBJECT, .object = *slot};
    return ok;
}

/* Captures the function or table on top of the stack. It may be the table of globals, an object
 * captured earlier, a library value, or a new object. */
static bool function_capture_object(struct function_capture *c, struct plain *out)
{
    lua_State *L = c->L;
    *out = (struct plain){.type = PLAIN_GLOBALS};
    if (function_is_globals(L)) return true;
    *out = (struct plain){.type = PLAIN_OBJECT, .object = function_seen_before(c)};
    if (out->object) return true;
    if (lua_iscfunction(L, -1) || lua_istable(L, -1)) {
        *out = (struct plain){.type = PLAIN_LIBRARY, .text = function_library_name(c)};
        if (out->text) return true;
    }
    if (lua_iscfunction(L, -1)) return function_refuse(c, "a function that is not written in Lua");
    return function_capture_new(c, out);
}

/* Captures the value on top of the stack and leaves it there. Returns false if the value cannot be
 * copied; the caller must then reset the stack. */
static bool function_capture_value(struct function_capture *c, struct plain *out)
{
    lua_State *L = c->L;
    const char *s;
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        out->type = PLAIN_NIL;
        return true;
    case LUA_TBOOLEAN:
        *out = (struct plain){.type = PLAIN_BOOLEAN, .boolean = lua_toboolean(L, -1)};
        return true;
    case LUA_TNUMBER:
        if (lua_isinteger(L, -1))
            *out = (struct plain){.type = PLAIN_INTEGER, .integer = lua_tointeger(L, -1)};
        else
            *out = (struct plain){.type = PLAIN_NUMBER, .number = lua_tonumber(L, -1)};
        return true;
    case LUA_TSTRING:
        out->type = PLAIN_TEXT;
        s = lua_tolstring(L, -1, &out->n);
        out->text = arena_strndup(c->arena, s, out->n);
        return true;
    case LUA_TTABLE:
    case LUA_TFUNCTION:
        return function_capture_object(c, out);
    case LUA_TTHREAD:
        return function_refuse(c, "a coroutine");
    default:
        if (luaL_testudata(L, -1, LUA_FILEHANDLE)) return function_refuse_file(c);
        return function_refuse(c, "userdata");
    }
}

const struct leat_function *function_capture(lua_State *L, int index, struct arena *a, char *error,
                                             size_t cap)
{
    int top = lua_gettop(L);
    if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) {
        snprintf(error, cap, "this must be a function written in Lua, not %s",
                 lua_isfunction(L, index) ? "a built-in one" : luaL_typename(L, index));
        return NULL;
    }
    luaL_checkstack(L, 12, "capturing a function");
    struct leat_function *f = arena_alloc(a, sizeof *f);
    struct function_capture c = {.L = L, .arena = a, .error = error, .cap = cap};
    lua_Debug info;
    lua_pushvalue(L, index);
    lua_getinfo(L, ">S", &info);
    f->source = arena_strdup(a, info.short_src);
    f->line = info.linedefined;

    c.end = &c.first;
    lua_pushvalue(L, index);
    lua_newtable(L);
    lua_insert(L, -2);
    c.seen = lua_gettop(L) - 1;
    bool ok = function_capture_function(&c);
    lua_settop(L, top);
    f->first = f->main = c.first;
    f->n = c.n;
    return ok ? f : NULL;
}

const char *function_variable(const struct leat_function *f, int i)
{
    return i <= f->main->n_variables ? f->main->variable[i - 1]->name : NULL;
}

/* ---- pushing a captured function into a Lua state ---- */

static const char *function_read_code(lua_State *L, void *ud, size_t *n)
{
    const struct captured **f = ud;
    const char *code = *f ? (*f)->code : NULL;
    *n = *f ? (*f)->n_code : 0;
    *f = NULL;
    return code;
}

static void function_push_plain(lua_State *L, int objects, const struct plain *p)
{
    switch (p->type) {
    case PLAIN_NIL:
        lua_pushnil(L);
        break;
    case PLAIN_BOOLEAN:
        lua_pushboolean(L, p->boolean);
        break;
    case PLAIN_INTEGER:
        lua_pushinteger(L, p->integer);
        break;
    case PLAIN_NUMBER:
        lua_pushnumber(L, p->number);
        break;
    case PLAIN_TEXT:
        lua_pushlstring(L, p->text, p->n);
        break;
    case PLAIN_OBJECT:
        lua_rawgeti(L, objects, p->object->id);
        break;
    case PLAIN_LIBRARY:
        lua_pushglobaltable(L);
        function_push_named(L, p->text);
        lua_remove(L, -2);
        break;
    case PLAIN_GLOBALS:
        lua_pushglobaltable(L);
        break;
    }
}

/* Makes all functions and tables first, without their contents. So each can refer to any other when
 * it is filled. */
static void function_make_objects(lua_State *L, const struct leat_function *f, int objects)
{
    for (const struct captured *o = f->first; o; o = o->next) {
        const struct captured *unread = o;
        if (!o->is_function)
            lua_createtable(L, 0, (int)(o->n_pairs < 1 << 20 ? o->n_pairs : 1 << 20));
        else if (lua_load(L, function_read_code, &unread, f->source, "b") != LUA_OK)
            lua_error(L);
        lua_rawseti(L, objects, o->id);
    }
}

static void function_fill_table(lua_State *L, int objects, const struct captured *t)
{
    for (size_t i = 0; i < t->n_pairs; i++) {
        function_push_plain(L, objects, &t->pairs[2 * i]);
        function_push_plain(L, objects, &t->pairs[2 * i + 1]);
        lua_rawset(L, -3);
    }
}

static void function_fill_function(lua_State *L, int objects, const struct captured *f)
{
    for (int i = 1; i <= f->n_variables; i++) {
        const struct variable *v = f->variable[i - 1];
        if (v->owner == f && v->slot == i) {
            function_push_plain(L, objects, &v->value);
            lua_setupvalue(L, -2, i);
        } else {
            lua_rawgeti(L, objects, v->owner->id);
            lua_upvaluejoin(L, -2, i, -1, v->slot);
            lua_pop(L, 1);
        }
    }
}

void function_push(lua_State *to, const struct leat_function *f)
{
    luaL_checkstack(to, 8, "a function");
    lua_createtable(to, f->n, 0);
    int objects = lua_gettop(to);
    function_make_objects(to, f, objects);
    for (const struct captured *o = f->first; o; o = o->next) {
        lua_rawgeti(to, objects, o->id);
        if (o->is_function)
            function_fill_function(to, objects, o);
        else
            function_fill_table(to, objects, o);
        lua_pop(to, 1);
    }
    lua_rawgeti(to, objects, f->main->id);
    lua_remove(to, objects);
}
