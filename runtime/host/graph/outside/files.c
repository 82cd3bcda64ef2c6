/* files.c -- implementation of files.h.
 *
 * Access is checked by name (faccessat), because opening a file might truncate it, create it, or
 * wait for the other end of a pipe. If access changes before the run opens the file, the stage
 * reports that failure. */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory/arena.h"
#include "host/params/params.h"

/* ---- hints for an unreadable file: what exists instead, and who may read it ----
 *
 * A hint continues the sentence with the reason. It lies in the arena. */

enum { LOOKED_AT = 4096 /* most names of a folder */, SHOWN = 60 /* most bytes of a name */ };

/* Files of a folder, without hidden ones. */
struct folder {
    bool exists;
    size_t n;
    const char *first; /* the first name in the order of bytes */
};

static bool files_is_file(const char *folder, const struct dirent *e, struct arena *a)
{
    struct stat st;
    if (e->d_name[0] == '.') return false;
    return !stat(arena_printf(a, "%s/%s", folder, e->d_name), &st) && !S_ISDIR(st.st_mode);
}

static struct folder files_look_into(const char *path, struct arena *a)
{
    DIR *d = opendir(path);
    struct folder f = {.exists = d != NULL};
    for (struct dirent *e; d && f.n < LOOKED_AT && (e = readdir(d));) {
        if (!files_is_file(path, e, a)) continue;
        if (!f.n++ || strcmp(e->d_name, f.first) < 0) f.first = arena_strdup(a, e->d_name);
    }
    if (d) closedir(d);
    return f;
}

/* Hint for a pattern that matches no file: what its folder contains, or that the folder does not
 * exist. */
static const char *file_words_of_pattern(const char *pattern, struct arena *a)
{
    const char *slash = strrchr(pattern, '/');
    const char *path = !slash             ? "."
                       : slash == pattern ? "/"
                                          : arena_strndup(a, pattern, (size_t)(slash - pattern));
    if (strpbrk(path, "*?[")) return ": check the pattern";
    struct folder f = files_look_into(path, a);
    const char *name = slash ? path : "this folder";
    if (!f.exists && access(path, F_OK))
        return arena_printf(a, ": there is no folder %s%s", path, files_suggestion(path, a));
    if (!f.n) return arena_printf(a, ": %s has no files", name);
    return arena_printf(a, ": %s has %zu%s file%s, such as %.*s", name, f.n,
                        f.n == LOOKED_AT ? " or more" : "", f.n == 1 ? "" : "s", SHOWN, f.first);
}

/* Returns the extension of a name, such as ".csv" or ".csv.gz"; "" if it has none. */
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

/* Hint for a directory used as a file: suggests a pattern for its files. */
static const char *file_words_of_folder(const char *path, struct arena *a)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    struct folder f = files_look_into(path, a);
    if (!f.n) return f.exists ? ", and has no files" : "";
    return arena_printf(a, ": give its files, \"%.*s/*%.*s\"", (int)n, path, SHOWN,
                        ending(f.first));
}

static const char *user_name(uid_t id, struct arena *a)
{
    const struct passwd *who = getpwuid(id);
    return who ? arena_strdup(a, who->pw_name) : arena_printf(a, "%u", (unsigned)id);
}

/* Hint for a file that this user may not read. */
static const char *file_words_of_rights(const char *path, struct arena *a)
{
    struct stat st;
    const char *user = user_name(geteuid(), a);
    if (stat(path, &st)) return arena_printf(a, " (user %s may not even enter its folder)", user);
    return arena_printf(
        a, " for user %s; the file is %s's, with mode %03o: change that (chmod), or the user", user,
        user_name(st.st_uid, a), (unsigned)(st.st_mode & 0777));
}

/* ---- iterating over the files in parameters of stages ---- */

static bool next_value(const struct leat_param *p, const char *cfg, uint32_t *k, const char **path)
{
    while ((*path = params_text(p, cfg, *k))) {
        ++*k;
        if (**path && strcmp(*path, "-")) return true;
    }
    return false;
}

static bool may_come(const struct leat_stage *s, const char *cfg)
{
    int32_t on = 0;
    for (uint32_t i = 0; i < s->n_params && !on; i++)
        if (s->params[i].flags & LEAT_MAY_COME) memcpy(&on, cfg + s->params[i].offset, sizeof on);
    return on != 0;
}

bool files_next(const struct graph *g, uint32_t flag, struct file_cursor *at, struct file_use *use)
{
    for (; at->node <= g->n_nodes; at->node++, at->param = 0) {
        const struct node *n = at->node < g->n_nodes ? &g->node[at->node] : NULL;
        const struct leat_stage *s = n ? n->stage : &graph_options;
        const char *cfg = n ? n->cfg : (const void *)&g->options;
        for (; s && cfg && at->param < s->n_params; at->param++, at->value = 0) {
            const struct leat_param *p = &s->params[at->param];
            if (!(p->flags & flag) || !next_value(p, cfg, &at->value, &use->path)) continue;
            use->at = n ? n->at : g->at;
            use->stage = n ? n->label : "pipeline";
            use->param = p->name;
            use->may_come = flag & LEAT_READS_FILE && may_come(s, cfg);
            use->whole = p->flags & LEAT_READS_WHOLE;
            return true;
        }
    }
    return false;
}

static bool files_is_pattern(const char *path)
{
    return strpbrk(path, "*?[") && access(path, F_OK);
}

static bool is_regular(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !faccessat(AT_FDCWD, path, R_OK, AT_EACCESS);
}

static bool are_regular(const char *path)
{
    glob_t found = {0};
    if (!files_is_pattern(path)) return is_regular(path);
    bool regular = !glob(path, 0, NULL, &found);
    for (size_t i = 0; regular && i < found.gl_pathc; i++)
        regular = is_regular(found.gl_pathv[i]);
    globfree(&found);
    return regular;
}

/* True if all files that the stage reads are regular. `now`: the run has begun, so files with
 * LEAT_MAY_COME are checked, too. */
static bool all_regular(const struct graph *g, const struct node *n, bool now)
{
    struct file_cursor at = {.node = n->index};
    struct file_use use;
    bool some = false;
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        const char *path;
        for (uint32_t k = 0; p->flags & LEAT_READS_FILE && (path = params_text(p, n->cfg, k)); k++)
            if (!strcmp(path, "-")) return false;
    }
    while (files_next(g, LEAT_READS_FILE, &at, &use) && at.node == n->index) {
        if ((use.may_come && !now) || !are_regular(use.path)) return false;
        some = true;
    }
    return some;
}

bool files_are_regular(const struct graph *g, const struct node *n)
{
    return all_regular(g, n, false);
}

bool files_are_regular_now(const struct graph *g, const struct node *n)
{
    return all_regular(g, n, true);
}

/* ---- whether files can be read and written ---- */

enum { NAMES_MAX = 4096, STEM_MIN = 3 };

static const char *folder_of(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

/* Returns the name in `names` most similar to `name`. Compares only names with the same extension,
 * and leaves the extension out, because it would make all names similar. Compares very short names
 * whole. */
static const char *files_nearest(const char *name, const char *const *names, size_t n,
                                 struct arena *a)
{
    const char *dot = strrchr(name, '.'), **part = arena_alloc(a, (n + 1) * sizeof *part);
    size_t n_dot = dot && dot - name >= STEM_MIN ? strlen(dot) : 0, stems = 0, others = 0;
    for (size_t i = 0; n_dot && i < n; i++) {
        size_t len = strlen(names[i]);
        if (len > n_dot && !strcmp(names[i] + len - n_dot, dot))
            part[stems++] = arena_strndup(a, names[i], len - n_dot);
    }
    const char *stem = arena_strndup(a, name, strlen(name) - n_dot);
    const char *near = diag_suggest(stem, part, stems);
    if (near) return arena_printf(a, "%s%s", near, dot);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(names[i]);
        if (!n_dot || len <= n_dot || strcmp(names[i] + len - n_dot, dot))
            part[others++] = names[i];
    }
    return diag_suggest(name, part, others);
}

const char *files_suggestion(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/'), **names = arena_alloc(a, NAMES_MAX * sizeof *names);
    DIR *folder = opendir(folder_of(path, a));
    const char *name = slash ? slash + 1 : path;
    char target[NAME_MAX + 1];
    ssize_t len = readlink(path, target, sizeof target); /* succeeds if path is a dangling link */
    size_t n = 0;
    for (struct dirent *e; folder && n < NAMES_MAX && (e = readdir(folder));)
        if (e->d_name[0] != '.' && strcmp(e->d_name, name) != 0)
            names[n++] = arena_strdup(a, e->d_name);
    if (folder) closedir(folder);
    if (len > 0) return arena_printf(a, ": it is a link to '%.*s'", (int)len, target);
    const char *near = files_nearest(name, names, n, a);
    return near ? arena_printf(a, ": did you mean '%.*s%s'?", slash ? (int)(slash + 1 - path) : 0,
                               path, near)
                : "";
}

static bool is_directory(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static const char *files_why_not(const char *path, int mode)
{
    if (is_directory(path)) return "it is a directory";
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) ? strerror(errno) : NULL;
}

static void files_report(const struct file_use *use, struct diag *d, const char *text)
{
    diag_add(d, DIAG_FILE, use->at, use->stage, use->param, "%s", text);
}

/* Returns a hint that continues the reason `why`; "" if there is none. */
static const char *what_helps(const char *path, const char *why, struct arena *a)
{
    if (!access(path, R_OK)) return is_directory(path) ? file_words_of_folder(path, a) : "";
    if (!strcmp(why, strerror(EACCES))) return file_words_of_rights(path, a);
    return access(path, F_OK) ? files_suggestion(path, a) : "";
}

static void files_check_input(const struct file_use *use, const char *path, struct diag *d)
{
    const char *why = files_why_not(path, R_OK);
    if (use->may_come && access(path, F_OK)) return;
    if (!why && use->whole && !is_regular(path))
        why = "it must be a regular file, because it is read to its end before the run: copy it "
              "into one";
    if (why)
        files_report(use, d,
                     arena_printf(d->arena, "cannot read %s: %s%s", path, why,
                                  what_helps(path, why, d->arena)));
}

static void check_inputs(const struct file_use *use, struct diag *d)
{
    glob_t found = {0};
    if (!files_is_pattern(use->path)) {
        files_check_input(use, use->path, d);
        return;
    }
    if (glob(use->path, 0, NULL, &found) && !use->may_come)
        files_report(use, d,
                     arena_printf(d->arena, "no file matches %s%s", use->path,
                                  file_words_of_pattern(use->path, d->arena)));
    for (size_t i = 0; i < found.gl_pathc; i++)
        files_check_input(use, found.gl_pathv[i], d);
    globfree(&found);
}

void files_awaited(const struct graph *g, struct diag *d)
{
    struct file_cursor at = {0};
    struct file_use use;
    glob_t found = {0};
    while (files_next(g, LEAT_READS_FILE, &at, &use)) {
        if (!use.may_come || !access(use.path, F_OK)) continue;
        if (!strpbrk(use.path, "*?["))
            diag_add(d, DIAG_WARNING, use.at, use.stage, use.param,
                     "%s does not exist, and the run waits until it does%s", use.path,
                     files_suggestion(use.path, d->arena));
        else if (glob(use.path, 0, NULL, &found))
            diag_add(d, DIAG_WARNING, use.at, use.stage, use.param,
                     "no file matches %s: the run waits until one does", use.path);
        globfree(&found);
        found = (glob_t){0};
    }
}

/* Returns the reason why `path` cannot be created; NULL if it can. */
static const char *making_fault(const char *path, struct arena *a)
{
    const char *folder = folder_of(path, a);
    if (access(folder, F_OK))
        return arena_printf(a, "%s: make the folder %s first%s", strerror(errno), folder,
                            files_suggestion(folder, a));
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
        return arena_printf(a, "the folder %s does not allow new files: %s", folder,
                            strerror(errno));
    return NULL;
}

static void check_output(const struct file_use *use, struct diag *d)
{
    size_t n = strlen(use->path);
    const char *why = !access(use->path, F_OK)  ? files_why_not(use->path, W_OK)
                      : use->path[n - 1] == '/' ? "it is the name of a directory"
                                                : making_fault(use->path, d->arena);
    if (why) files_report(use, d, arena_printf(d->arena, "cannot open %s: %s", use->path, why));
}

const char *files_folder_fault(const char *path, struct arena *a)
{
    struct stat st;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *bare = arena_strndup(a, path, n);
    if (stat(bare, &st)) return making_fault(bare, a);
    if (!S_ISDIR(st.st_mode)) return "it is not a directory";
    return faccessat(AT_FDCWD, bare, W_OK | X_OK, AT_EACCESS) ? strerror(errno) : NULL;
}

/* ---- a file that is used twice, such as an output that is an input ---- */

/* Place of a file that may not exist yet: its folder, and its name in the folder. Links are
 * followed, even dangling ones. */
struct files_place {
    struct stat folder;
    char name[PATH_MAX];
};

static bool find_place(const char *path, struct files_place *p)
{
    char at[PATH_MAX], to[PATH_MAX];
    snprintf(at, sizeof at, "%s", path);
    for (int links = 0; links < 8; links++) {
        char *name = strrchr(at, '/');
        ssize_t n = readlink(at, to, sizeof to - 1);
        snprintf(p->name, sizeof p->name, "%s", name ? name + 1 : at);
        if (name)
            name[1] = '\0';
        else
            strcpy(at, "./");
        if (n < 0) return !stat(at, &p->folder);
        to[n] = '\0';
        size_t keep = *to == '/' ? 0 : strlen(at);
        if (keep + (size_t)n >= sizeof at) return false;
        memcpy(at + keep, to, (size_t)n + 1);
    }
    return false;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool files_is_same(const char *a, const char *b)
{
    struct stat x, y;
    struct files_place p, q;
    bool exists = !stat(a, &x);
    if (exists != !stat(b, &y)) return false;
    if (exists) return S_ISREG(x.st_mode) && is_same_inode(&x, &y);
    return find_place(a, &p) && find_place(b, &q) && is_same_inode(&p.folder, &q.folder) &&
           !strcmp(p.name, q.name);
}

static bool is_in(const char *path, const char *folder)
{
    struct stat st;
    struct files_place p;
    return !stat(folder, &st) && find_place(path, &p) && is_same_inode(&p.folder, &st);
}

static void overwrites(const struct file_use *out, const char *what, const char *of, struct diag *d)
{
    diag_add(d, DIAG_ERROR, out->at, out->stage, out->param,
             "%s = \"%s\" is also %s%s and would be overwritten", out->param, out->path, what, of);
}

static bool is_among(const char *pattern, const char *path)
{
    glob_t found = {0};
    bool same = files_is_same(pattern, path);
    if (files_is_pattern(pattern)) glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && !same; i++)
        same = files_is_same(found.gl_pathv[i], path);
    globfree(&found);
    return same;
}

static void spare_inputs(const struct graph *g, const struct file_use *out, struct diag *d)
{
    struct file_cursor at = {0};
    struct file_use in;
    if (files_is_same(g->script, out->path)) overwrites(out, "the script", "", d);
    while (files_next(g, LEAT_READS_FILE, &at, &in))
        if (is_among(in.path, out->path)) overwrites(out, "an input of ", in.stage, d);
}

static void compare_outputs(const struct file_use *a, const struct file_use *b, struct diag *d)
{
    if (!strncmp(a->path, "/dev/", 5)) return;
    if (!strcmp(a->path, b->path) || files_is_same(a->path, b->path))
        diag_add(d, DIAG_ERROR, b->at, b->stage, b->param,
                 "%s = \"%s\" is also written by %s: give each output another file", b->param,
                 b->path, a->stage ? a->stage : a->param);
}

static void check_one_output(const struct graph *g, const struct file_use *out, const char *state,
                             struct diag *d)
{
    check_output(out, d);
    spare_inputs(g, out, d);
    if (state && is_in(out->path, state))
        diag_add(d, DIAG_ERROR, out->at, out->stage, out->param,
                 "%s = \"%s\" is in the directory of --state, which is only for snapshots: "
                 "choose another directory",
                 out->param, out->path);
}

/* Makes a file_use for a command-line option. `path` is NULL if the option writes no file. */
static struct file_use option_use(const struct graph *g, const char *option, const char *path)
{
    bool written = path && *path && strcmp(path, "-");
    return (struct file_use){.at = {g->script, 0}, .param = option, .path = written ? path : NULL};
}

static void check_outputs(const struct graph *g, const struct file_use *summary,
                          const struct file_use *report, const char *state, struct diag *d)
{
    struct file_cursor o = {0};
    struct file_use a, b;
    while (files_next(g, LEAT_WRITES_FILE, &o, &a)) {
        check_one_output(g, &a, state, d);
        for (struct file_cursor k = o; files_next(g, LEAT_WRITES_FILE, &k, &b);)
            compare_outputs(&a, &b, d);
        if (summary->path) compare_outputs(&a, summary, d);
        if (report->path) compare_outputs(&a, report, d);
    }
    if (summary->path && report->path) compare_outputs(summary, report, d);
    if (summary->path) check_one_output(g, summary, state, d);
    if (report->path) check_one_output(g, report, state, d);
}

void files_check(const struct graph *g, const char *summary, const char *report, const char *state,
                 struct diag *d)
{
    struct file_cursor i = {0};
    struct file_use a;
    const struct file_use sum = option_use(g, "--summary", summary),
                          page = option_use(g, "--report", report);
    while (files_next(g, LEAT_READS_FILE, &i, &a))
        check_inputs(&a, d);
    check_outputs(g, &sum, &page, state, d);
}
