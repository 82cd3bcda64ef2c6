/* model_verify.c -- `leat model verify`: reads every byte of a snapshot (of each, for a directory)
 * and restores every stage that can be opened into a fresh instance. It reports damage on standard
 * error, section by section. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text/plain_text.h"
#include "command_model.h"
#include "host/store/state_codec.h"
#include "host/store/snapshot_dir.h"

/* The stage of the pipeline whose section stage/ID/LANE this is. */
static const struct node *stage_of(const struct model *m, const char *section)
{
    for (uint32_t i = 0; i < m->graph.n_nodes; i++)
        for (int lane = 0; lane < m->graph.node[i].lanes; lane++) {
            const struct snapshot_section *s = model_section(m, "stage", &m->graph.node[i], lane);
            if (s && !strcmp(s->name, section)) return &m->graph.node[i];
        }
    return NULL;
}

/* LEAT_OK if the section is whole in itself and of the stage that the pipeline names. */
static int check_section(struct model *m, const struct snapshot_section *s)
{
    bool is_stage = !strncmp(s->name, "stage/", 6);
    if (!is_stage && strncmp(s->name, "host/", 5)) return LEAT_OK; /* model_open has read it */
    const struct node *n = is_stage ? stage_of(m, s->name) : NULL;
    struct state_reader r;
    if (is_stage && !n)
        return model_fail(m, LEAT_EDATA, "section %s: the pipeline lacks this stage", s->name);
    int status = state_reader_init(&r, s->bytes, s->n);
    if (status == LEAT_OK && n) status = state_reader_expect(&r, n->name, UINT32_MAX, 0, "");
    if (status != LEAT_OK) model_fail(m, status, "section %s: %s", s->name, r.error);
    state_reader_free(&r);
    return status;
}

static int verify_stages(struct model *m, unsigned *restored)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        struct node *n = &m->graph.node[i];
        /* merged: some states do not add up and were dropped */
        bool dropped = json_object_get(m->pipeline, "dropped") && !model_section(m, "stage", n, 0);
        if (!model_can_open(m, n) || dropped) continue;
        if (model_restore_stage(m, n) == LEAT_OK)
            ++*restored;
        else
            status = LEAT_EDATA;
    }
    return status;
}

/* Their bytes are whole, but nobody has tried whether the stage takes them. */
static void list_closed(const struct model *m)
{
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const struct node *n = &m->graph.node[i];
        const char *why = model_closed(m, n);
        if (why && (n->has_schema || model_section(m, "stage", n, 0)))
            printf("  %s: not verified: %s\n", n->label, why);
    }
}

/* Checks all of a model that was opened with this status. */
static int verify(struct model *m, int status, unsigned *restored)
{
    for (uint32_t i = 0; i < m->from.n && status != LEAT_EIO; i++)
        if (m->graph.n_nodes && check_section(m, &m->from.section[i]) != LEAT_OK)
            status = LEAT_EDATA;
    if (status == LEAT_OK) status = verify_stages(m, restored);
    return status == LEAT_OK ? LEAT_OK : LEAT_EDATA;
}

int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known)
{
    struct model m;
    unsigned restored = 0;
    int status = model_open_bytes(&m, name, bytes, n, memory, known);
    status = verify(&m, status, &restored);
    model_close(&m);
    return status;
}

/* m: a model that was opened with this status. */
static int verify_file(struct model *m, int status)
{
    unsigned restored = 0;
    status = verify(m, status, &restored);
    if (status == LEAT_OK) {
        printf("%s: ok: %u sections, %u stages restored\n", m->file, m->from.n, restored);
        list_closed(m);
    }
    model_close(m);
    return status;
}

static int verify_directory(const struct command_line *c, const char *path, struct registry *known)
{
    struct model m;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    int n = snapshot_dir_list(path, checkpoint), status = LEAT_OK;
    for (int i = 0; i < n; i++) {
        char name[32], file[4200];
        snapshot_dir_name(checkpoint[i], name);
        snprintf(file, sizeof file, "%.4096s/%s", path, name);
        int opened = model_open_listed(&m, file, c->memory, known);
        if (opened == LEAT_OK && m.from.checkpoint != checkpoint[i])
            opened = model_fail(&m, LEAT_EDATA,
                                "it has the name of another checkpoint than it is of: it is "
                                "%016llu.snapshot",
                                (unsigned long long)m.from.checkpoint);
        if (opened == LEAT_AGAIN)
            model_close(&m);
        else if (verify_file(&m, opened) != LEAT_OK)
            status = LEAT_EDATA;
    }
    if (n < 0) plain_text_line(stderr, "leat: %s cannot be read: %s", path, strerror(errno));
    if (n == 0) plain_text_line(stderr, "leat: %s: it holds no snapshot", path);
    return n > 0 ? status : LEAT_EDATA;
}

int model_verify(const struct command_line *c, struct registry *known)
{
    struct stat st;
    const char *path = c->operand[0];
    bool directory = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (directory) return verify_directory(c, path, known);
    struct model m;
    int opened = model_open(&m, path, c->memory, known);
    return verify_file(&m, opened);
}
