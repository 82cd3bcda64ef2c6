/* main.c -- runs the suite of a test program.
 *
 * Set CK_FORK=no under sanitizers and debuggers. */
#include <stdlib.h>

#include "suite.h"

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
