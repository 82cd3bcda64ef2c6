/* fuzz_quantity.c -- any text as a quantity: the shown text is read as the same value.
 *
 * sources: runtime/host/params/quantity.c runtime/core/report/text_out.c
 */
#include "fuzz.h"
#include "host/params/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_text(data, size), shown[QUANTITY_TEXT];
    int64_t v, again;
    double x, y;
    if (quantity_bytes(text, &v) == QUANTITY_OK) {
        quantity_show_bytes(v, shown);
        if (quantity_bytes(shown, &again) != QUANTITY_OK || again != v) abort();
    }
    if (quantity_ns(text, &v) == QUANTITY_OK) {
        quantity_show_ns(v, shown);
        if (quantity_ns(shown, &again) != QUANTITY_OK || again != v) abort();
    }
    if (quantity_float(text, &x) == QUANTITY_OK) {
        quantity_show_float(x, shown);
        if (quantity_float(shown, &y) != QUANTITY_OK || memcmp(&x, &y, sizeof x)) abort();
    }
    quantity_count(text, &v);
    free(text);
    return 0;
}
