/* count_malloc.c -- LD_PRELOAD: counts allocations, and makes chosen ones fail.
 *
 * When the process ends, it writes the number of allocations to the file COUNT_MALLOC, and the
 * number before the first thread to COUNT_MALLOC_BEFORE. FAIL_MALLOC=k refuses allocation k of the
 * process, counted from 1. It also refuses the thread's next one if that has the same size (Lua
 * tries twice). With FAIL_MALLOC_ON it refuses all from k on.
 *
 * FAIL_MALLOC_EACH=FILE does so for each from k to the first thread: at allocation k the process
 * forks, and it fails in the child. A child should end with 1 or 2 and a message about memory. FILE
 * gets the other k, one a line, and every k whose child was about to start a thread: these need
 * their own run.
 *
 * CRASH_IN=FILE: if the process then crashes (SIGSEGV), FILE gets the path of the library or
 * program whose instruction it was (on x86-64). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { SECONDS_MAX = 60, STARTS_THREAD = 77, FILES = 32, MESSAGE = 65536 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic unsigned long count, before_threads;
static _Thread_local size_t refused; /* bytes of the refused last allocation of this thread, or 0 */
static bool is_child;

#define EXPORT __attribute__((visibility("default")))

/* ---- each refusal in a child ---- */

/* True if the child's output has a reason. */
static bool has_reason(int fd)
{
    static char text[MESSAGE];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return strcasestr(text, "memory") || strcasestr(text, "gives no");
}

/* Writes a number without dprintf(), which would allocate. */
static void write_number(const char *path, int flags, unsigned long n)
{
    char text[32];
    int fd = path ? open(path, O_WRONLY | O_CREAT | flags, 0644) : -1;
    if (fd < 0) return;
    int bytes = snprintf(text, sizeof text, "%lu\n", n);
    if (write(fd, text, (size_t)bytes) != bytes) _exit(1);
    close(fd);
}

/* Gives the child its own positions in open files. exit() would move the parent's back to the end
 * of the read text. */
static void reopen_files(void)
{
    for (int fd = STDERR_FILENO + 1; fd < FILES; fd++) {
        char path[32];
        off_t at = lseek(fd, 0, SEEK_CUR);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        int own = at < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        if (own < 0) continue;
        if (lseek(own, at, SEEK_SET) < 0 || dup2(own, fd) < 0) _exit(1);
        close(own);
    }
}

/* Returns true in a child, whose allocation k must fail; false in the parent, after the child has
 * ended. */
static bool fork_at(const char *list, unsigned long k)
{
    char path[4096];
    int status = 0;
    snprintf(path, sizeof path, "%s.said", list);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    pid_t child = fd < 0 ? -1 : fork();
    if (child < 0) _exit(1);
    if (!child) {
        is_child = true;
        alarm(SECONDS_MAX);
        if (dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) _exit(1);
        reopen_files();
        return true;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    bool failed = WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 2);
    if (!failed || !has_reason(fd)) write_number(list, O_APPEND, k);
    close(fd);
    return false;
}

EXPORT int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    unsigned long none = 0;
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (is_child) _exit(STARTS_THREAD);
    atomic_compare_exchange_strong(&before_threads, &none, atomic_load(&count) + 1);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(t, attr, run, arg);
}

/* ---- where it crashes ---- */

static struct sigaction before_crash;

/* Notes the place. After it returns, the instruction crashes again, for the earlier handler. */
static void on_crash(int number, siginfo_t *info, void *context)
{
#ifdef __x86_64__
    Dl_info in;
    const void *at = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    int fd = open(getenv("CRASH_IN"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0 && dladdr(at, &in) && in.dli_fname) dprintf(fd, "%s\n", in.dli_fname);
    if (fd >= 0) close(fd);
#endif
    sigaction(SIGSEGV, &before_crash, NULL);
}

static void watch_for_crash(void)
{
    struct sigaction watch = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (getenv("CRASH_IN")) sigaction(SIGSEGV, &watch, &before_crash);
}

/* ---- one refusal ---- */

static bool is_chosen(unsigned long i)
{
    const char *k = getenv("FAIL_MALLOC"), *list = getenv("FAIL_MALLOC_EACH");
    unsigned long from = k ? strtoul(k, NULL, 10) : 0;
    if (list && !is_child && !atomic_load(&before_threads)) return i >= from && fork_at(list, i);
    if (list) return false;
    return from && (getenv("FAIL_MALLOC_ON") ? i >= from : i == from);
}

static bool is_refused(size_t bytes)
{
    bool again = refused && refused == bytes;
    refused = 0;
    if (is_chosen(atomic_fetch_add(&count, 1) + 1)) refused = bytes;
    if (!refused && !again) return false;
    if (refused) watch_for_crash();
    errno = ENOMEM;
    return true;
}

EXPORT void *malloc(size_t n) { return is_refused(n) ? NULL : __libc_malloc(n); }

EXPORT void *calloc(size_t n, size_t size)
{
    return is_refused(n * size) ? NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t n) { return is_refused(n) ? NULL : __libc_realloc(p, n); }

EXPORT void *aligned_alloc(size_t align, size_t n)
{
    return is_refused(n) ? NULL : __libc_memalign(align, n);
}

__attribute__((destructor)) static void report(void)
{
    unsigned long n = atomic_load(&count), threads = atomic_load(&before_threads);
    if (is_child) return;
    write_number(getenv("COUNT_MALLOC"), O_TRUNC, n);
    write_number(getenv("COUNT_MALLOC_BEFORE"), O_TRUNC, threads ? threads - 1 : n);
}
