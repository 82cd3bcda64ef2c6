/* file_words.c -- see file_words.h. */
#include "file_words.h"

#include <dirent.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

enum { LOOKED_AT = 4096 /* names of a folder */, SHOWN = 60 /* bytes of a name */ };

/* The files of a folder that do not hide. */
struct folder {
    bool exists;
    size_t n;
    const char *first; /* by name */
};

static bool is_file(const char *folder, const struct dirent *e, struct arena *a)
{
    struct stat st;
    if (e->d_name[0] == '.') return false;
    return !stat(arena_printf(a, "%s/%s", folder, e->d_name), &st) && !S_ISDIR(st.st_mode);
}

static struct folder look_into(const char *path, struct arena *a)
{
    DIR *d = opendir(path);
    struct folder f = {.exists = d != NULL};
    for (struct dirent *e; d && f.n < LOOKED_AT && (e = readdir(d));) {
        if (!is_file(path, e, a)) continue;
        if (!f.n++ || strcmp(e->d_name, f.first) < 0) f.first = arena_strdup(a, e->d_name);
    }
    if (d) closedir(d);
    return f;
}

const char *file_words_of_pattern(const char *pattern, struct arena *a)
{
    const char *slash = strrchr(pattern, '/');
    const char *path = !slash             ? "."
                       : slash == pattern ? "/"
                                          : arena_strndup(a, pattern, (size_t)(slash - pattern));
    if (strpbrk(path, "*?[")) return ": check the pattern";
    struct folder f = look_into(path, a);
    const char *name = slash ? path : "this folder";
    if (!f.exists && access(path, F_OK))
        return arena_printf(a, ": there is no folder %s%s", path, files_suggestion(path, a));
    if (!f.n) return arena_printf(a, ": %s has no files", name);
    return arena_printf(a, ": %s has %zu%s file%s, such as %.*s", name, f.n,
                        f.n == LOOKED_AT ? " or more" : "", f.n == 1 ? "" : "s", SHOWN, f.first);
}

/* What a name ends with: ".csv", ".csv.gz"; "": nothing. */
static const char *ending(const char *name)
{
    static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2", ".lz4"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t len = strlen(packed[i]);
        if (n <= len || strcmp(name + n - len, packed[i]) != 0) continue;
        while (n > len && name[n - len - 1] != '.')
            n--;
        return n > len + 1 ? name + n - len - 1 : packed[i];
    }
    const char *dot = strrchr(name, '.');
    return dot ? dot : "";
}

const char *file_words_of_folder(const char *path, struct arena *a)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    struct folder f = look_into(path, a);
    if (!f.n) return f.exists ? ", and has no files" : "";
    return arena_printf(a, ": give its files, \"%.*s/*%.*s\"", (int)n, path, SHOWN,
                        ending(f.first));
}

static const char *user_name(uid_t id, struct arena *a)
{
    const struct passwd *who = getpwuid(id);
    return who ? arena_strdup(a, who->pw_name) : arena_printf(a, "%u", (unsigned)id);
}

const char *file_words_of_rights(const char *path, struct arena *a)
{
    struct stat st;
    const char *user = user_name(geteuid(), a);
    if (stat(path, &st)) return arena_printf(a, " for user %s, already to its folder", user);
    return arena_printf(
        a, " for user %s; the file is %s's, with mode %03o: change that (chmod), or the user", user,
        user_name(st.st_uid, a), (unsigned)(st.st_mode & 0777));
}
