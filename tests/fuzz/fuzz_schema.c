/* fuzz_schema.c -- any JSON as the schema in a snapshot.
 *
 * It is refused by the name of a member, or written back as a schema that reads the same.
 *
 * sources: runtime/host/graph/fingerprint/schema_json.c runtime/host/graph/column_type.c
 * runtime/host/memory/{arena,memory}.c runtime/core/text/plain_text.c runtime/host/log/json_text.c
 * runtime/host/log/{log,command_words}.c runtime/core/time/utc.c -ljansson
 */
#include <jansson.h>

#include "fuzz.h"
#include "host/graph/fingerprint/schema_json.h"

static void round_trip(const json_t *o, struct arena *a)
{
    struct leat_schema s, back;
    const char *wrong = schema_from_json(o, a, &s);
    if (wrong) {
        must(*wrong != 0);
        return;
    }
    json_t *once = schema_to_json(&s);
    must(schema_from_json(once, a, &back) == NULL);
    json_t *twice = schema_to_json(&back);
    must(json_equal(once, twice));
    json_decref(once);
    json_decref(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    char *exact = exactly(data, size);
    json_t *o = json_loadb(exact, size, JSON_REJECT_DUPLICATES, NULL);
    if (o) round_trip(o, &a);
    json_decref(o);
    arena_free(&a);
    free(exact);
    return 0;
}
