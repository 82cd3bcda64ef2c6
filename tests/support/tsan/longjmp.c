/* longjmp.c -- the checked longjmp, for builds with ThreadSanitizer.
 *
 * It intercepts longjmp only, and a Lua that is built with _FORTIFY_SOURCE raises its errors by
 * __longjmp_chk: each of them would leave its calls on the sanitizer's stack, until it overflows.
 */
#include <setjmp.h>

/* NOLINTNEXTLINE: the name is glibc's. */
__attribute__((visibility("default"), noreturn)) void __longjmp_chk(jmp_buf env, int value);

void __longjmp_chk(jmp_buf env, int value) { longjmp(env, value); }
