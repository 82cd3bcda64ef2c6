/* options.h -- options of a pipeline as a whole (`leat plugins pipeline` documents them). */
#ifndef LEAT_HOST_GRAPH_OPTIONS_H
#define LEAT_HOST_GRAPH_OPTIONS_H

#include <stdint.h>

enum on_error { ON_ERROR_REJECT, ON_ERROR_FAIL };

/* Values from FIGURES_TABLE on correspond to enum report_format. */
enum figures_format { FIGURES_NONE, FIGURES_TABLE, FIGURES_JSONL, FIGURES_CSV };

struct options {
    int64_t batch_rows, batch_bytes;
    int64_t threads;
    int64_t seed;
    double max_reject_ratio;
    int32_t on_error; /* enum on_error */
    const char *dead_letters;
    int64_t memory;
    int32_t figures; /* enum figures_format */
    int32_t linalg;  /* enum linalg */
    /* show figures while the run learns; false: only with --progress always */
    int32_t progress_table;
    const char *asked; /* question of the run, such as "Predicted: price"; NULL if not set */
    const char
        *counted; /* sentence in place of `asked`, with {figures} of the run; NULL if not set */
    const char *answered; /* sentence about the answer, with {figures} of it; NULL if not set */
};

#endif
