/* options.h -- the options of a pipeline as a whole (`leat plugins pipeline` documents them). */
#ifndef LEAT_GRAPH_OPTIONS_H
#define LEAT_GRAPH_OPTIONS_H

#include <stdint.h>

enum on_error { ON_ERROR_REJECT, ON_ERROR_FAIL };

struct options {
    int64_t batch_rows, batch_bytes;
    int64_t threads;
    int64_t seed;
    double max_reject_ratio;
    int32_t on_error; /* enum on_error */
    const char *dead_letters;
    int64_t memory;
};

#endif
