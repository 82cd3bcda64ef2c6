/* ending.c -- a stage that ends the process, or returns a forbidden status, in the call ENDING_IN.
 *
 * ENDING_IN is an environment variable, because a parameter would be part of a snapshot. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

struct cfg {
    const char *how;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, how, LEAT_STRING, .def = "exit",
               .doc = "exit, _exit, _Exit, quick_exit, overflow, 7 or a signal; \"thread exit\": "
                      "on another thread"),
};

static int (*deeper)(volatile char *); /* prevents the compiler from making it a loop */

static int deep(volatile char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return deeper(here) + here[0];
}

static int end(const char *how);

static void *end_there(void *how)
{
    end(how);
    return NULL;
}

/* Ends the process on a thread of the plugin, outside all calls. */
static int end_elsewhere(const char *how)
{
    pthread_t other;
    if (pthread_create(&other, NULL, end_there, (void *)(uintptr_t)how)) return LEAT_EIO;
    pthread_join(other, NULL);
    return LEAT_OK;
}

static int end(const char *how)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {
        {"SEGV", SIGSEGV}, {"ABRT", SIGABRT}, {"BUS", SIGBUS}, {"FPE", SIGFPE}, {"ILL", SIGILL}};
    char first[1] = {0};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!strcmp(how, signals[i].name)) raise(signals[i].number);
    deeper = deep;
    if (!strcmp(how, "overflow")) return deep(first);
    if (!strcmp(how, "exit")) exit(0);
    if (!strcmp(how, "_exit")) _exit(0);
    if (!strcmp(how, "_Exit")) _Exit(0);
    if (!strcmp(how, "quick_exit")) quick_exit(0);
    if (!strncmp(how, "thread ", 7)) return end_elsewhere(how + 7);
    return atoi(how);
}

/* Ends the process while the plugin is unloaded, when no call is under way. */
static __attribute__((destructor)) void on_unload(void)
{
    const char *in = getenv("ENDING_IN");
    if (in && !strcmp(in, "unload")) _exit(0);
}

static int call(const struct cfg *c, const char *name)
{
    const char *in = getenv("ENDING_IN");
    return in && !strcmp(in, name) ? end(c->how) : LEAT_OK;
}

static int on_validate(const void *cfg, struct leat_diag *d)
{
    (void)d;
    return call(cfg, "validate");
}

static int on_open(struct leat_ctx *ctx, void *self)
{
    (void)self;
    return call(ctx->cfg, "open");
}

static int on_start(struct leat_ctx *ctx, void *self)
{
    (void)self;
    return call(ctx->cfg, "start");
}

static int on_stop(struct leat_ctx *ctx, void *self)
{
    (void)self;
    return call(ctx->cfg, "stop");
}

static void on_close(struct leat_ctx *ctx, void *self)
{
    (void)self;
    call(ctx->cfg, "close");
}

static int on_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)self, (void)b;
    return call(ctx->cfg, "process");
}

static int on_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    (void)self, (void)w;
    return call(ctx->cfg, "snapshot");
}

static int on_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    (void)self, (void)r, (void)version;
    return call(ctx->cfg, "restore");
}

static const struct leat_stage stage = {
    .name = "feature.ending",
    .summary = "ends the process",
    .kind = LEAT_TRANSFORM,
    LEAT_FLOW(LEAT_HAS_RECORDS, 0),
    LEAT_PARAMS(params, struct cfg),
    .validate = on_validate,
    .open = on_open,
    .close = on_close,
    .start = on_start,
    .stop = on_stop,
    .process = on_process,
    .state = LEAT_ROLE(leat_state, .snapshot = on_snapshot, .restore = on_restore),
};
LEAT_PLUGIN("ending", "1", "MIT", "ends the process", &stage);
