/* registry.c -- implementation of registry.h: folders, dlopen, and the sorted list of stages.
 *
 * A foreign plugin file is loaded twice: first in a child process, then here. The child writes
 * descriptions of all stages to /dev/null, and so reads every string of the plugin's tables. A wild
 * pointer in a table then crashes only the child. The host's own plugins skip this trial and are
 * loaded only when a command needs them: libraries for dense matrices and for Kafka take longer to
 * load than everything else in a short command. */
#include "registry.h"

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "host/memory/memory.h"
#include "host/log/diag.h"
#include "host/log/log.h"
#include "core/text/nearest.h"
#include "core/text/plain_text.h"
#include "crash_probe.h"
#include "mentions.h"
#include "places.h"
#include "describe.h"
#include "own_plugins.h"

enum { PROBE_MS = 2000, PROBE_PATIENCE = 30 };

void registry_init(struct registry *r) { *r = (struct registry){.probe_ms = PROBE_MS}; }

void registry_free(struct registry *r)
{
    arena_free(&r->arena);
    *r = (struct registry){.probe_ms = PROBE_MS};
}

/* Adds a notice unless one with the same text exists. Stages of an own plugin are first announced
 * (announce) and later loaded. Both times they hide or replace the same stages. */
static void registry_note(struct registry *r, enum notice_kind kind, const char *file,
                          const char *text)
{
    for (const struct notice *n = r->notices; n; n = n->next)
        if (!strcmp(n->text, text)) return;
    struct notice *n = arena_alloc(&r->arena, sizeof *n);
    *n = (struct notice){kind, file, text, NULL};
    if (r->last_notice)
        r->last_notice->next = n;
    else
        r->notices = n;
    r->last_notice = n;
}

static void add_refusal(struct registry *r, const char *file, const char *text)
{
    registry_note(r, NOTICE_REFUSED, file, text);
    r->refused = r->refused ? arena_printf(&r->arena, "%s, %s", r->refused, file) : file;
}

static void registry_refuse(struct registry *r, const char *file, const char *why)
{
    add_refusal(r, file, arena_printf(&r->arena, "%s: plugin refused: %s", file, why));
}

/* Returns the index of `name` in r->name, or the index where `name` must be inserted. */
static size_t slot(const struct registry *r, const char *name)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(r->name[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_shadow(struct registry *r, const struct stage_type *kept, const char *name,
                        const char *file, bool trusted)
{
    const char *from = kept->file ? kept->file : "leat itself";
    const char *hidden = file ? file : "leat itself";
    if (trusted && !kept->trusted)
        registry_note(
            r, NOTICE_REPLACED, from,
            arena_printf(&r->arena, "%s: its stage %s replaces the one of %s", from, name, hidden));
    else
        registry_note(r, NOTICE_SHADOWED, hidden,
                      arena_printf(&r->arena,
                                   "%s: its stage %s is not used: %s has one of the same name",
                                   hidden, name, from));
}

static void add_type(struct registry *r, const char *name, struct stage_type type)
{
    size_t i = slot(r, name);
    if (i < r->n && !strcmp(r->name[i], name)) {
        if (!r->type[i]->stage && r->type[i]->file == type.file)
            *r->type[i] = type;
        else
            note_shadow(r, r->type[i], name, type.file, type.trusted);
        return;
    }
    if (r->n == r->cap) {
        size_t cap = r->cap;
        r->type = arena_grow(&r->arena, r->type, r->n, &cap, sizeof *r->type);
        r->name = arena_grow(&r->arena, r->name, r->n, &r->cap, sizeof *r->name);
    }
    memmove(r->type + i + 1, r->type + i, (r->n - i) * sizeof *r->type);
    memmove(r->name + i + 1, r->name + i, (r->n - i) * sizeof *r->name);
    r->type[i] = arena_alloc(&r->arena, sizeof **r->type);
    *r->type[i] = type;
    r->name[i] = name;
    r->n++;
}

static void add_stages(struct registry *r, const struct leat_plugin *plugin, const char *file,
                       bool trusted)
{
    for (uint32_t i = 0; i < plugin->n_stages; i++) {
        const struct leat_stage *stage = plugin->stages[i];
        assert(stage->name);
        add_type(r, stage->name, (struct stage_type){stage, plugin, file, trusted});
    }
}

void registry_add_builtin(struct registry *r, const struct leat_plugin *plugin)
{
    const struct leat_plugin *copy;
    const char *why = abi_adopt(plugin, 0, &r->arena, &copy);
    if (why)
        registry_refuse(r, plugin->name ? plugin->name : "a table of the host", why);
    else
        add_stages(r, copy, NULL, true);
}

/* Describes errno. Ends the process if memory is lacking, because a plugin would otherwise seem to
 * be missing. */
static const char *registry_cannot_read(struct arena *a)
{
    if (errno == ENOMEM) memory_lost();
    return arena_printf(a, "it cannot be read: %s", strerror(errno));
}

/* Checks that the file is a shared object. The messages of dlopen ("invalid ELF header", "file too
 * short") would not help the user. */
static const char *check_elf(const char *file, struct arena *a)
{
    static const char wanted[] = "not a shared object (\\x7f E L F)";
    unsigned char start[4] = {0};
    struct stat st;
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) return "it is not a regular file";
    FILE *f = fopen(file, "re");
    if (!f) return registry_cannot_read(a);
    size_t n = fread(start, 1, sizeof start, f);
    fclose(f);
    if (n < sizeof start) return arena_printf(a, "it has %zu bytes, %s: build it again", n, wanted);
    if (!memcmp(start, "\177ELF", sizeof start)) return NULL;
    return arena_printf(a, "it begins with the bytes %02x %02x %02x %02x, %s: %s", start[0],
                        start[1], start[2], start[3], wanted, "build it with cc -shared -fPIC");
}

/* Returns the size of the symbol from the file's symbol table; 0 if unknown. */
static size_t symbol_bytes(const void *symbol)
{
    Dl_info info;
    const ElfW(Sym) *entry = NULL;
    if (!dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) || !entry) return 0;
    return info.dli_saddr == symbol ? (size_t)entry->st_size : 0;
}

static const char *open_plugin(const char *real, struct arena *a, const struct leat_plugin **out)
{
    errno = 0;
    void *handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        if (errno == ENOMEM) memory_lost();
        const char *why = dlerror();
        return arena_printf(
            a, "it cannot be loaded: %s%s", why ? why : "no reason given",
            why && strstr(why, "undefined symbol")
                ? " (link the libraries that it uses; leat's services come in struct leat_host)"
                : "");
    }
    const struct leat_plugin *found = dlsym(handle, "leat_plugin");
    if (!found)
        return "it exports no symbol 'leat_plugin': define it with LEAT_PLUGIN(…), "
               "or keep other libraries out of this directory";
    return abi_adopt(found, symbol_bytes(found), a, out);
}

/* Reads everything that the plugins declare: defaults as text, every string as JSON. */
static void describe_all(const struct registry *r)
{
    FILE *nothing = fopen("/dev/null", "we");
    if (!nothing) return;
    describe_json(r, nothing);
    for (size_t i = 0; i < r->n; i++)
        describe_stage(r->type[i], nothing);
    fclose(nothing);
}

/* Runs in the child process: loads the plugin, reads its tables and discards the result. */
static void try_plugin(void *arg)
{
    struct registry alone;
    const struct leat_plugin *plugin;
    registry_init(&alone);
    if (!open_plugin(arg, &alone.arena, &plugin)) {
        add_stages(&alone, plugin, arg, false);
        describe_all(&alone);
    }
    registry_free(&alone);
}

static bool is_loaded(const struct registry *r, const char *real)
{
    for (size_t i = 0; i < r->n_loaded; i++)
        if (!strcmp(r->loaded[i], real)) return true;
    return false;
}

static const char *load_real(struct registry *r, char *real, enum origin origin,
                             const struct leat_plugin **plugin)
{
    const char *why = check_elf(real, &r->arena);
    struct probe p = {.work_ms = r->probe_ms,
                      .wait_ms = r->probe_ms * PROBE_PATIENCE,
                      .waits_for = real,
                      .doing = "while loading"};
    if (!why && origin == PROBED) why = probe(&p, try_plugin, real, &r->arena);
    return why ? why : open_plugin(real, &r->arena, plugin);
}

static void load_now(struct registry *r, const char *file, char *real, enum origin origin)
{
    const struct leat_plugin *plugin = NULL;
    const char *why = load_real(r, real, origin, &plugin);
    if (why)
        registry_refuse(r, file, why);
    else
        add_stages(r, plugin, file, origin != PROBED);
}

/* A plugin that is built with the host: its file name, such as "sinks.so", and the names of its
 * stages, separated by spaces. */
struct own {
    const char *file, *stages;
};

/* Returns the host's own plugin with this file name; NULL if there is none. */
static const struct own *find_own(const char *file)
{
    static const struct own own[] = {OWN_PLUGINS};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i].file, name)) return &own[i];
    return NULL;
}

/* Adds the names of an own plugin's stages without loading it. registry_find() loads the file. */
static void announce(struct registry *r, const struct own *own, const char *file)
{
    char *rest = arena_strdup(&r->arena, own->stages);
    for (char *name; (name = strtok_r(rest, " ", &rest));)
        add_type(r, name, (struct stage_type){.file = file, .trusted = true});
}

/* Removes stages that were announced but that the loaded file does not contain. */
static void remove_announced(struct registry *r, const char *file)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!r->type[i]->stage && r->type[i]->file == file) continue;
        r->type[n] = r->type[i];
        r->name[n++] = r->name[i];
    }
    r->n = n;
}

static void load_announced(struct registry *r, const char *file)
{
    char real[PATH_MAX];
    if (realpath(file, real))
        load_now(r, file, arena_strdup(&r->arena, real), TRUSTED);
    else
        registry_refuse(r, file, registry_cannot_read(&r->arena));
    remove_announced(r, file);
}

void registry_load_rest(struct registry *r)
{
    for (size_t i = 0; i < r->n;)
        if (r->type[i]->stage) {
            i++;
        } else {
            load_announced(r, r->type[i]->file);
            i = 0;
        }
}

static void registry_load_file(struct registry *r, const char *path, enum origin origin)
{
    const struct own *own = origin == INSTALLED ? find_own(path) : NULL;
    const char *file = arena_strdup(&r->arena, path);
    char buffer[PATH_MAX];
    if (!realpath(file, buffer)) {
        registry_refuse(r, file, registry_cannot_read(&r->arena));
        return;
    }
    if (is_loaded(r, buffer)) return;
    const char *why = origin == OF_USER ? places_distrust(buffer) : NULL;
    if (why) {
        registry_refuse(r, file, why);
        return;
    }
    char *real = arena_strdup(&r->arena, buffer);
    if (r->n_loaded == r->cap_loaded)
        r->loaded =
            arena_grow(&r->arena, r->loaded, r->n_loaded, &r->cap_loaded, sizeof *r->loaded);
    r->loaded[r->n_loaded++] = real;
    if (own)
        announce(r, own, file);
    else
        load_now(r, file, real, origin == TRUSTED ? TRUSTED : PROBED);
}

static int is_plugin_file(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n > 3 && !strcmp(entry->d_name + n - 3, ".so");
}

/* Compares bytes. alphasort() depends on the locale. */
static int registry_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_directory(struct registry *r, const char *dir, enum origin origin)
{
    struct dirent **entry;
    const char *why = origin == OF_USER ? places_distrust(dir) : NULL;
    if (why) {
        registry_refuse(r, arena_strdup(&r->arena, dir), why);
        return;
    }
    int n = scandir(dir, &entry, is_plugin_file, registry_by_name);
    if (n < 0 && errno == ENOMEM) memory_lost(); /* otherwise plugins would seem to be missing */
    for (int i = 0; i < n; i++) {
        registry_load_file(r, arena_printf(&r->arena, "%s/%s", dir, entry[i]->d_name), origin);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    else
        add_refusal(r, arena_strdup(&r->arena, dir),
                    arena_printf(&r->arena, "%s: cannot load plugins from this folder: %s", dir,
                                 strerror(errno)));
}

void registry_load(struct registry *r, const char *path, enum origin origin)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        registry_load_file(r, path, origin);
    else
        load_directory(r, path, origin);
}

void registry_load_all(struct registry *r, const char *const *plugin_paths, size_t n)
{
    const struct place *place;
    size_t n_places = places_list(&r->arena, plugin_paths, n, &place);
    for (size_t i = 0; i < n_places; i++)
        if (!place[i].optional || place_exists(&place[i]))
            registry_load(r, place[i].path,
                          place[i].installed  ? INSTALLED
                          : place[i].optional ? OF_USER
                                              : PROBED);
}

static struct stage_type *registry_listed(const struct registry *r, const char *name)
{
    size_t i = slot(r, name);
    return i < r->n && !strcmp(r->name[i], name) ? r->type[i] : NULL;
}

/* Finds a stage and loads its file if necessary. If the name is unknown, loads all files first,
 * because a file may contain stages that the build did not know. */
const struct stage_type *registry_find(struct registry *r, const char *name)
{
    const struct stage_type *type = registry_listed(r, name);
    if (type && type->stage) return type;
    if (type)
        load_announced(r, type->file);
    else
        registry_load_rest(r);
    return registry_listed(r, name);
}

/* Returns the first stage, of any group, whose name after the dot is `name`; NULL if there is
 * none. */
static const char *named_so(const struct registry *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(strchr(r->name[i], '.') + 1, name)) return r->name[i];
    return NULL;
}

/* Returns a stage in the group of `name` whose documentation contains the rest of `name` as a word:
 * shape.lookup for shape.join. Returns NULL if there is none. */
static const char *group_mentions(const struct registry *r, const char *name)
{
    const char *dot = strchr(name, '.');
    for (size_t i = 0; dot && i < r->n; i++)
        if (!strncmp(r->name[i], name, (size_t)(dot + 1 - name)) && mentions(r->type[i], name))
            return r->name[i];
    return NULL;
}

/* Guesses the stage meant by an unknown name. A name that differs by at most two letters takes
 * precedence over stages that only mention the word. */
static const char *meant(const struct registry *r, const char *name)
{
    const char *so = named_so(r, name), *near = diag_suggest(name, r->name, r->n);
    if (so || (near && nearest_distance(name, near) <= 2)) return so ? so : near;
    const char *mentioned = group_mentions(r, name);
    return mentioned ? mentioned : near;
}

const char *registry_missing(const struct registry *r, const char *name, struct arena *a)
{
    const char *near = meant(r, name);
    const char *text =
        near ? arena_printf(a, "there is no stage '%s': did you mean '%s'?", name, near)
             : arena_printf(a,
                            "there is no stage '%s' ('leat plugins' lists all; --plugin-path "
                            "DIR adds the stages of a folder)",
                            name);
    return r->refused
               ? arena_printf(a, "%s; these plugins were refused, so their stages are missing: %s",
                              text, r->refused)
               : text;
}

static bool registry_takes(const struct leat_stage *s, const char *parameter)
{
    for (uint32_t i = 0; s && i < s->n_params; i++)
        if (!strcmp(s->params[i].name, parameter)) return true;
    return false;
}

const char *registry_takers(struct registry *r, const char *parameter, struct arena *a)
{
    enum { NAMED = 3 };
    const char *names = NULL;
    size_t n = 0;
    registry_load_rest(r);
    for (size_t i = 0; i < r->n && n <= NAMED; i++) {
        if (!registry_takes(r->type[i]->stage, parameter)) continue;
        const char *name = n++ < NAMED ? r->name[i] : "…";
        names = names ? arena_printf(a, "%s, %s", names, name) : name;
    }
    return names ? arena_printf(a, "a script sets it in its stage (%s)", names) : NULL;
}

void registry_print_notices(struct registry *r, bool all, FILE *out)
{
    for (const struct notice *n = r->printed ? r->printed->next : r->notices; n; n = n->next) {
        bool shown = all || n->kind != NOTICE_SHADOWED;
        if (shown && log_is_json())
            log_json(n->kind != NOTICE_SHADOWED ? LEAT_WARN : LEAT_INFO, NULL, 0, NULL, n->text);
        else if (shown)
            plain_text_line(out, "%s: %s", n->kind != NOTICE_SHADOWED ? "warning" : "note",
                            n->text);
        r->printed = n;
    }
}
