/* fuzz_protobuf.c -- any bytes as a schema, as a message of its first type, and as paths in it.
 *
 * No read is out of bounds, and texts have the bytes that they claim. The first two bytes of the
 * input are the length of the schema (little endian). The third is the length of the paths, which
 * line ends separate.
 *
 * sources: plugins/protobuf/{message,schema}.cpp plugins/kernels/text/{json,json_path}.c
 *          $(pkg-config --libs protobuf) -lstdc++
 */
#include "fuzz.h"
#include "kernels/text/json_path.h"
#include "protobuf/message.h"

enum { PATHS = 256, HEAD = 3 };

static bool look(void *to, const struct protobuf_value *v)
{
    uint64_t *sum = to;
    bool has_text = v->kind == PROTOBUF_TEXT || v->kind == PROTOBUF_ENUM;
    must(v->kind <= PROTOBUF_SPAN);
    for (uint32_t i = 0; has_text && i < v->n; i++)
        *sum += (uint8_t)v->text[i];
    return true;
}

static void name(void *to, const char *path, uint32_t n)
{
    struct json_step step[PATHS];
    char keys[PATHS];
    struct json_path_fault fault;
    must(n < PATHS && json_path_read(path, n, step, keys, &fault) > 0);
    ++*(uint64_t *)to;
}

static void read_paths(struct protobuf_type *type, const char *text, uint32_t n)
{
    static struct json_step step[PATHS];
    static char keys[PATHS];
    struct json_path_fault fault;
    uint64_t sum = 0;
    for (uint32_t from = 0, to; from < n; from = to + 1) {
        const char *end = memchr(text + from, '\n', n - from);
        to = end ? (uint32_t)(end - text) : n;
        uint32_t steps = json_path_read(text + from, to - from, step + from, keys + from, &fault);
        if (steps) protobuf_each(type, step + from, steps, look, &sum);
    }
    protobuf_has_unknown(type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[400];
    uint64_t names = 0;
    int64_t first = 0;
    if (size < HEAD) return 0;
    size_t n_schema = data[0] | (size_t)data[1] << 8, n_paths = data[2];
    if (HEAD + n_schema + n_paths > size) return 0;
    char *text = exact_text(data + HEAD, n_schema);
    char *named = exactly(data + HEAD + n_schema, n_paths);
    uint32_t n = (uint32_t)(size - HEAD - n_schema - n_paths);
    uint8_t *bytes = exactly(data + size - n, n);
    struct protobuf_file file = {"", text, n_schema};
    struct protobuf_schema *schema = protobuf_schema_of(&file, 1, why, sizeof why);
    must(schema || *why);
    struct protobuf_type *type = schema ? protobuf_type_at(schema, &first, 1, true) : NULL;
    if (type) protobuf_names(type, name, &names);
    if (type && protobuf_read(type, bytes, n)) read_paths(type, named, (uint32_t)n_paths);
    protobuf_schema_free(schema);
    free(bytes);
    free(named);
    free(text);
    return 0;
}
