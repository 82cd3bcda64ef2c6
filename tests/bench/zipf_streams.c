/* zipf_streams.c -- writes two streams of Zipf items, to measure which items a learner finds.
 *
 *     zipf_streams [UPDATES [ITEMS [SEED]]] > streams.csv          columns: item, label (1 or -1)
 *
 * Item i of 1 .. ITEMS has the relative frequency i^-1 e^(d/2) in the stream of +1 and i^-1
 * e^(-d/2) in that of -1, up to normalisation. d is drawn once from a Laplace distribution of scale
 * 1/2: a share e^-2t of the items has |log ratio| >= t, whatever their frequency. Each update has a
 * random label, and an item from that label's distribution. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static double uniform(void) /* (0, 1) */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

static double laplace(double scale)
{
    double u = uniform() - 0.5;
    return (u < 0 ? scale : -scale) * log(1 - 2 * fabs(u));
}

/* Returns the least i with sum[i] > u sum[n - 1]. */
static unsigned draw(const double *sum, unsigned n)
{
    double u = uniform() * sum[n - 1];
    unsigned low = 0, high = n - 1;
    while (low < high) {
        unsigned mid = (low + high) / 2;
        if (sum[mid] > u)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

int main(int argc, char **argv)
{
    long updates = argc > 1 ? atol(argv[1]) : 4000000;
    unsigned items = argc > 2 ? (unsigned)atol(argv[2]) : 126000;
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    double *sum[2] = {calloc(items, sizeof(double)), calloc(items, sizeof(double))};
    if (!items || !sum[0] || !sum[1]) return 1;
    for (unsigned i = 0; i < items; i++) {
        double d = laplace(0.5), base = 1.0 / (i + 1);
        sum[1][i] = (i ? sum[1][i - 1] : 0) + base * exp(d / 2);
        sum[0][i] = (i ? sum[0][i - 1] : 0) + base * exp(-d / 2);
    }
    puts("item,label");
    for (long t = 0; t < updates; t++) {
        int positive = uniform() < 0.5;
        printf("%u,%d\n", draw(sum[positive], items) + 1, positive ? 1 : -1);
    }
    free(sum[0]);
    free(sum[1]);
    return fflush(stdout) || ferror(stdout);
}
