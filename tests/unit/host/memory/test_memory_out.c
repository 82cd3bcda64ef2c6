/* test_memory_out.c -- an arena when the system gives no more memory. */
#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/memory/arena.h"

/* Asks for more than any address space has, in a child whose standard error is a pipe. */
static void ask_for_too_much(int err)
{
    struct arena a = {0};
    dup2(err, STDERR_FILENO);
    arena_alloc(&a, (size_t)1 << 62);
    _exit(0);
}

START_TEST(memory_that_is_out_ends_the_process_with_1_and_a_message)
{
    int pipe_of[2], status;
    char text[512] = "";
    ck_assert_int_eq(pipe(pipe_of), 0);
    pid_t child = fork();
    if (!child) ask_for_too_much(pipe_of[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_gt(read(pipe_of[0], text, sizeof text - 1), 0);
    close(pipe_of[0]);
    close(pipe_of[1]);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 1);
    ck_assert_ptr_nonnull(strstr(text, "the system gives no 4611686018427387904 bytes more"));
}
END_TEST

LEAT_SUITE("memory out", memory_that_is_out_ends_the_process_with_1_and_a_message)
