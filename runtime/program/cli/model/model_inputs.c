/* model_inputs.c -- implementation of model_inputs.h. */
#include "model_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text/plain_text.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/store/snapshot_dir.h"

enum { DEPTH = 8 };

static int inputs_fail(const char *path, const char *why)
{
    log_message(LEAT_ERROR, "%s: %s", path, why);
    return LEAT_EIO;
}

/* ---- the files of an operand ---- */

static bool inputs_is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool inputs_is_run(const char *path)
{
    uint64_t there[SNAPSHOT_DIR_CHECKPOINTS];
    return inputs_is_folder(path) && snapshot_dir_list(path, there) > 0;
}

/* True if a file is a snapshot by its beginning or by its name. */
static bool inputs_is_state(const char *path)
{
    struct stat st;
    size_t len = strlen(path);
    bool named = len > 9 && !strcmp(path + len - 9, ".snapshot"), there = !stat(path, &st);
    if (!there) return named; /* a link to nothing, which is an error later */
    return S_ISREG(st.st_mode) && (named || snapshot_file_is_state(path));
}

static void inputs_add(struct model_inputs *in, const char *path)
{
    if (!(in->n_paths & (in->n_paths - 1))) { /* the room doubles */
        char **more = arena_alloc(&in->arena, (2 * in->n_paths + 1) * sizeof *more);
        if (in->n_paths) memcpy(more, in->path, in->n_paths * sizeof *more);
        in->path = more;
    }
    in->path[in->n_paths++] = arena_strdup(&in->arena, path);
}

static int inputs_by_name(const void *a, const void *b)
{
    char *const *x = a, *const *y = b;
    return strverscmp(*x, *y);
}

/* Adds the snapshots and folders of runs in a folder, and in its folders, to the depth of a tree of
 * dates. The order is the natural one of their names. */
static int inputs_add_folder(struct model_inputs *in, const char *path, unsigned depth)
{
    DIR *dir = opendir(path);
    if (!dir) return inputs_fail(path, strerror(errno));
    size_t from = in->n_paths;
    int status = LEAT_OK;
    for (struct dirent *e; status == LEAT_OK && (e = readdir(dir));) {
        if (*e->d_name == '.') continue;
        const char *file = arena_printf(&in->arena, "%s%s%s", path,
                                        path[strlen(path) - 1] == '/' ? "" : "/", e->d_name);
        if (inputs_is_run(file) || (inputs_is_state(file) && !inputs_is_folder(file)))
            inputs_add(in, file);
        else if (inputs_is_folder(file) && depth < DEPTH)
            status = inputs_add_folder(in, file, depth + 1);
        else
            in->passed++;
    }
    closedir(dir);
    size_t n = in->n_paths - from;
    if (n) qsort(in->path + from, n, sizeof *in->path, inputs_by_name);
    return status;
}

static int inputs_add_states(struct model_inputs *in, const char *path)
{
    size_t from = in->n_paths;
    int status = inputs_add_folder(in, path, 0);
    if (status != LEAT_OK || in->n_paths > from) return status;
    return inputs_fail(path, "this folder has no snapshots, nor folders of runs");
}

static int inputs_add_path(struct model_inputs *in, const char *path)
{
    if (inputs_is_folder(path) && !inputs_is_run(path)) return inputs_add_states(in, path);
    inputs_add(in, path);
    return LEAT_OK;
}

/* Adds the files of a pattern. What it finds beside snapshots and folders is passed over. */
static int inputs_add_pattern(struct model_inputs *in, const char *pattern)
{
    glob_t found;
    int status = glob(pattern, 0, NULL, &found) ? LEAT_EIO : LEAT_OK;
    if (status != LEAT_OK) inputs_fail(pattern, "no file has a name of this pattern");
    for (size_t i = 0; status == LEAT_OK && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        if (inputs_is_run(path) || inputs_is_state(path))
            inputs_add(in, path);
        else
            in->passed++;
    }
    globfree(&found);
    return status;
}

static int inputs_begin_operand(struct model_inputs *in, const char *operand)
{
    struct stat st;
    in->n_paths = in->next = 0;
    in->path = NULL;
    if (!strcmp(operand, "-")) {
        in->streamed = 0;
        return snapshot_stream_open(&in->stream, operand);
    }
    if (stat(operand, &st) && strpbrk(operand, "*?[")) return inputs_add_pattern(in, operand);
    return inputs_add_path(in, operand);
}

/* ---- the snapshots ---- */

static int inputs_stream_failed(const struct model_inputs *in, int status)
{
    log_message(LEAT_ERROR, "standard input, snapshot %llu: it %s",
                (unsigned long long)in->streamed + 1, in->stream.error);
    return status;
}

/* Opens the next snapshot of standard input. Returns LEAT_EOS at its end; LEAT_AGAIN if a folder
 * was named, whose files come next. */
static int inputs_next_streamed(struct model_inputs *in, struct model *m, bool *opened)
{
    char label[64];
    void *bytes;
    size_t n;
    const char *name = NULL;
    int status = snapshot_stream_next(&in->stream, &bytes, &n, &name);
    if (status == LEAT_EOS) return status;
    if (status != LEAT_OK) return inputs_stream_failed(in, status);
    in->streamed++;
    if (!bytes) {
        in->n_paths = in->next = 0;
        in->path = NULL;
        status = inputs_add_path(in, name);
        return status == LEAT_OK ? LEAT_AGAIN : status;
    }
    snprintf(label, sizeof label, "standard input, snapshot %llu",
             (unsigned long long)in->streamed);
    *opened = true;
    return model_open_learned_bytes(m, label, bytes, n, in->memory, in->known);
}

int model_inputs_next(struct model_inputs *in, struct model *m, bool *opened)
{
    *opened = false;
    for (;;) {
        int status = LEAT_EOS;
        if (in->next < in->n_paths) {
            *opened = true;
            return model_open_learned(m, in->path[in->next++], in->memory, in->known);
        }
        if (in->stream.in) status = inputs_next_streamed(in, m, opened);
        if (status == LEAT_AGAIN) continue;
        if (status != LEAT_EOS || *opened) return status;
        if (in->stream.in) snapshot_stream_close(&in->stream);
        if (in->at == in->n) return LEAT_EOS;
        status = inputs_begin_operand(in, in->operand[in->at++]);
        if (status != LEAT_OK) return status;
    }
}

void model_inputs_close(struct model_inputs *in)
{
    if (in->passed)
        log_message(LEAT_WARN, "%llu files beside the snapshots were passed over",
                    (unsigned long long)in->passed);
    snapshot_stream_close(&in->stream);
    arena_free(&in->arena);
}

bool model_inputs_are_in(const char *path)
{
    char file[PATH_MAX];
    DIR *dir = inputs_is_folder(path) && !inputs_is_run(path) ? opendir(path) : NULL;
    bool found = false;
    for (struct dirent *e; dir && !found && (e = readdir(dir));) {
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        found = *e->d_name != '.' && !inputs_is_folder(file) && inputs_is_state(file);
    }
    if (dir) closedir(dir);
    return found;
}
