/* fuzz_avro.c -- any bytes as a schema, as a record of it, and as paths in it.
 *
 * No read is out of bounds, and values lie in the record. The first two bytes of the input are the
 * length of the schema (little endian). The third is the length of the paths, which line ends
 * separate.
 *
 * sources: plugins/kernels/avro/{avro,avro_fingerprint,avro_plan,avro_schema,value_text}.c
 *          plugins/kernels/text/{json,json_path}.c runtime/core/report/text_out.c -ljansson
 */
#include "kernels/avro/value_text.h"
#include "fuzz.h"
#include "kernels/avro/avro.h"

enum { PATHS = 256, HEAD = 3 };

static bool look(void *to, struct avro_value v)
{
    const struct avro_bytes *b = to;
    char out[VALUE_TEXT_BYTES];
    if (!v.type || v.type->kind == AVRO_NULL) return true;
    must(v.at <= b->n);
    if (v.type->kind >= AVRO_RECORD) return false;
    if (v.type->kind == AVRO_ENUM) {
        must(avro_integer(*b, v) >= 0 && avro_integer(*b, v) < (int64_t)v.type->n);
    } else if (v.type->kind == AVRO_BYTES || v.type->kind == AVRO_STRING ||
               v.type->kind == AVRO_FIXED) {
        struct avro_bytes slice = avro_slice(*b, v);
        must(slice.at >= b->at && slice.n <= b->n && slice.at + slice.n <= b->at + b->n);
    }
    if (v.type->kind != AVRO_ENUM && v.type->kind != AVRO_STRING &&
        (v.type->kind < AVRO_BYTES || v.type->logical != AVRO_PLAIN))
        must(value_text(*b, v, out) <= sizeof out);
    return true;
}

static void check_paths(const struct json_paths *paths, const struct avro_schema *schema,
                        struct avro_bytes b, const struct avro_value *found)
{
    for (uint32_t i = 0; i < paths->n_paths; i++) {
        const struct json_path *path = &paths->path[i];
        struct avro_value v = found[path->node];
        if (!v.type) continue;
        if (path->n_rest)
            avro_each(b, v, path->rest, path->n_rest, look, &b);
        else
            look(&b, v);
    }
    must(found[0].type->kind == AVRO_RECORD);
    must(found[0].type == avro_schema_root(schema) ? found[0].at == 0
                                                   : avro_schema_root(schema)->kind == AVRO_UNION);
}

static void add_paths(struct json_paths *paths, const char *text, uint32_t n,
                      struct json_step *step, char *keys)
{
    struct json_path_fault fault;
    for (uint32_t from = 0, to; from < n; from = to + 1) {
        const char *end = memchr(text + from, '\n', n - from);
        to = end ? (uint32_t)(end - text) : n;
        uint32_t steps = json_path_read(text + from, to - from, step + from, keys + from, &fault);
        if (steps) json_paths_add(paths, step + from, steps);
    }
}

static void read_record(const struct avro_schema *schema, const struct json_paths *paths,
                        struct avro_bytes b)
{
    struct avro_value found[PATHS + 1];
    uint32_t at;
    const char *field;
    struct avro_plan *plan = avro_plan_new(schema, paths);
    must(plan != NULL);
    enum avro_fault fault = avro_read(plan, b, found, &at, &field);
    must(at <= b.n && avro_fault_text(fault));
    if (fault == AVRO_OK) {
        must(at == b.n);
        check_paths(paths, schema, b, found);
    }
    avro_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct json_node node[PATHS + 1];
    static struct json_path path[PATHS];
    static struct json_step step[PATHS];
    static char keys[PATHS];
    char why[400];
    if (size < HEAD) return 0;
    size_t n_schema = data[0] | (size_t)data[1] << 8, n_paths = data[2];
    if (HEAD + n_schema + n_paths > size) return 0;
    char *text = exactly(data + HEAD, n_schema);
    char *named = exactly(data + HEAD + n_schema, n_paths);
    uint32_t n = (uint32_t)(size - HEAD - n_schema - n_paths);
    uint8_t *bytes = exactly(data + size - n, n);
    struct json_paths paths = {.node = node, .path = path, .n_nodes = 1};
    node[0] = (struct json_node){.child = 0};
    add_paths(&paths, named, (uint32_t)n_paths, step, keys);
    struct avro_schema *schema =
        avro_schema_read(&(struct avro_schema_text){text, n_schema}, 1, why, sizeof why);
    must(schema || *why);
    if (schema) read_record(schema, &paths, (struct avro_bytes){bytes, n});
    avro_schema_free(schema);
    free(bytes);
    free(named);
    free(text);
    return 0;
}
