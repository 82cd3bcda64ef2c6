/* longjmp.c -- the checked longjmp, for builds with ThreadSanitizer.
 *
 * ThreadSanitizer intercepts longjmp only. Lua built with _FORTIFY_SOURCE raises errors by
 * __longjmp_chk. Each error would leave its calls on the sanitizer's stack until that overflows. */
#include <setjmp.h>

/* NOLINTNEXTLINE: the name is glibc's. */
__attribute__((visibility("default"), noreturn)) void __longjmp_chk(jmp_buf env, int value);

void __longjmp_chk(jmp_buf env, int value) { longjmp(env, value); }
