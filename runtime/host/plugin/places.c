/* places.c -- implementation of places.h. */
#include "places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct list {
    struct arena *arena;
    struct place *place;
    size_t n, cap;
};

static struct place *places_add(struct list *l, const char *path, const char *named_by)
{
    if (l->n == l->cap) l->place = arena_grow(l->arena, l->place, l->n, &l->cap, sizeof *l->place);
    l->place[l->n] = (struct place){.path = path, .named_by = named_by};
    return &l->place[l->n++];
}

static void add_list(struct list *l, const char *paths, const char *named_by)
{
    while (*paths) {
        const char *end = strchrnul(paths, ':');
        if (end > paths)
            places_add(l, arena_strndup(l->arena, paths, (size_t)(end - paths)), named_by);
        paths = *end ? end + 1 : end;
    }
}

/* Returns ../lib/leat/plugins from the executable's folder. Links to the executable are
 * resolved. */
static const char *installed_directory(struct arena *a)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe);
    if (n <= 0 || n == sizeof exe) return NULL;
    while (n > 0 && exe[n - 1] != '/') /* bin/leat -> bin/ */
        n--;
    while (n > 1 && exe[n - 1] == '/')
        n--;
    while (n > 0 && exe[n - 1] != '/')
        n--;
    return arena_printf(a, "%.*slib/leat/plugins", (int)n, exe);
}

/* A variable with a relative path does not count. */
const char *places_of_user(struct arena *a, const char *what)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/') return arena_printf(a, "%s/leat/%s", data, what);
    return home && *home == '/' ? arena_printf(a, "%s/.local/share/leat/%s", home, what) : NULL;
}

size_t places_list(struct arena *a, const char *const *plugin_paths, size_t n,
                   const struct place **place)
{
    struct list l = {.arena = a};
    for (size_t i = 0; i < n; i++)
        places_add(&l, plugin_paths[i], "--plugin-path");
    const char *env = getenv("LEAT_PLUGIN_PATH");
    if (env) add_list(&l, env, "LEAT_PLUGIN_PATH");
    const char *installed = installed_directory(a), *user = places_of_user(a, "plugins");
    if (installed) places_add(&l, installed, "installed with leat")->installed = true;
    if (user) places_add(&l, user, "the user's folder")->optional = true;
    *place = l.place;
    return l.n;
}

const char *places_distrust(const char *path)
{
    struct stat st;
    if (stat(path, &st)) return NULL; /* whoever opens it says why that fails */
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return "it belongs to another user: take it over (chown)";
    return st.st_mode & S_IWOTH ? "every user can write it: remove that right (chmod o-w)" : NULL;
}

bool place_exists(const struct place *p) { return access(p->path, F_OK) == 0; }
