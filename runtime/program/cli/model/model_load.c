/* model_load.c -- `leat model load`: makes a snapshot from the lines of `leat model dump`.
 *
 * Checks the form of each line. Then verifies the complete snapshot like `leat model verify`, so
 * that other commands accept it. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "core/bits.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/store/state_codec.h"

/* Largest checkpoint number from which a run can continue. */
static const uint64_t MAX_CHECKPOINT = UINT64_C(1) << 53;

/* A section that is being loaded. Its fields are added to `w` until the next section begins. */
struct part {
    char name[SNAPSHOT_NAME];
    struct state_writer w;
    bool is_state;
    char *bytes; /* content of a section that is not a state */
    size_t n;
};

struct loading {
    const char *path;
    unsigned long line;
    uint64_t checkpoint;
    bool begun;
    struct part *part;
    uint32_t n, cap;
    char *value; /* array that is being read */
    size_t value_cap;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct loading *l, const char *format,
                                                       ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_message(LEAT_ERROR, "%s:%lu: %s", l->path, l->line, text);
    return LEAT_EDATA;
}

static const char *load_text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* ---- numbers ---- */

static bool load_read_u64(const json_t *v, uint64_t max, uint64_t *out)
{
    char *end = NULL;
    const char *text = json_string_value(v);
    errno = 0;
    if (json_is_integer(v) && json_integer_value(v) >= 0)
        *out = (uint64_t)json_integer_value(v);
    else if (text && *text >= '0' && *text <= '9')
        *out = strtoull(text, &end, 10);
    else
        return false;
    return (!end || !*end) && !errno && *out <= max;
}

/* Reads a signed number of 64 bits. Returns its bits in *out. */
static bool load_read_i64(const json_t *v, uint64_t *out)
{
    const char *text = json_string_value(v);
    char *end = NULL;
    errno = 0;
    if (json_is_integer(v))
        *out = (uint64_t)json_integer_value(v);
    else if (text && (*text == '-' || (*text >= '0' && *text <= '9')))
        *out = (uint64_t)strtoll(text, &end, 10);
    else
        return false;
    return (!end || (end > text + (*text == '-') && !*end)) && !errno;
}

/* Reads a number that JSON cannot represent: "0x" and its bits as `digits` hexadecimal digits. */
static bool read_bits(const json_t *v, size_t digits, uint64_t *out)
{
    const char *text = json_string_value(v);
    if (!text || strncmp(text, "0x", 2) || strlen(text) != 2 + digits) return false;
    char *end;
    *out = strtoull(text + 2, &end, 16);
    return !*end;
}

static bool load_is_single(uint32_t element) { return element == LEAT_U32 || element == LEAT_F32; }

/* Reads a number of type `element`. Returns its bits. */
static bool load_read_number(const json_t *v, uint32_t element, uint64_t *bits)
{
    double d = json_number_value(v);
    if (element == LEAT_U32) return load_read_u64(v, UINT32_MAX, bits);
    if (element == LEAT_U64) return load_read_u64(v, UINT64_MAX, bits);
    if (element == LEAT_I64) return load_read_i64(v, bits);
    if (!json_is_number(v)) return read_bits(v, load_is_single(element) ? 8 : 16, bits);
    *bits = load_is_single(element) ? bits_of_float((float)d) : bits_of_double(d);
    return true;
}

/* ---- bytes ---- */

static int load_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Makes room for n bytes in l->value. */
static int load_reserve(struct loading *l, size_t n)
{
    if (n <= l->value_cap) return LEAT_OK;
    char *more = realloc(l->value, n);
    if (!more) return wrong(l, "there is not enough memory for %zu bytes", n);
    l->value = more;
    l->value_cap = n;
    return LEAT_OK;
}

/* Reads the member "text" or "hex" of a line into l->value. */
static int load_read_bytes(struct loading *l, const json_t *o, size_t *n)
{
    const json_t *text = json_object_get(o, "text");
    const char *hex = load_text_of(o, "hex");
    *n = text ? json_string_length(text) : hex ? strlen(hex) / 2 : 0;
    if ((!json_is_string(text) && !hex) || (hex && strlen(hex) % 2))
        return wrong(l, "bytes need \"text\", or \"hex\" with two digits a byte");
    int status = load_reserve(l, *n + 1);
    if (status != LEAT_OK) return status;
    if (text) memcpy(l->value, json_string_value(text), *n);
    for (size_t i = 0; !text && i < *n; i++) {
        int high = load_hex_digit(hex[2 * i]), low = load_hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) return wrong(l, "\"hex\" has no hexadecimal digit at byte %zu", i);
        l->value[i] = (char)(high * 16 + low);
    }
    return LEAT_OK;
}

/* ---- fields ---- */

static uint32_t load_element_of(const char *type)
{
    for (uint32_t e = LEAT_U8; type && e <= LEAT_I64; e++)
        if (!strcmp(type, state_element_name(e))) return e;
    return 0;
}

static int read_values(struct loading *l, const char *field, uint32_t element, const json_t *values)
{
    size_t each = load_is_single(element) ? 4 : 8, i;
    json_t *v;
    uint64_t bits = 0;
    int status = load_reserve(l, json_array_size(values) * each + 1);
    json_array_foreach((json_t *)values, i, v)
    {
        if (status != LEAT_OK) break;
        bool number = load_read_number(v, element, &bits);
        uint32_t low = (uint32_t)bits;
        if (number)
            memcpy(l->value + i * each, load_is_single(element) ? (void *)&low : (void *)&bits,
                   each);
        else
            status = wrong(l, "field %s: value %zu is not a number of type %s", field, i + 1,
                           state_element_name(element));
    }
    return status;
}

static int load_add_number(struct loading *l, struct part *p, const char *field, uint32_t element,
                           const json_t *v)
{
    struct leat_writer *w = &p->w.base;
    uint64_t bits;
    bool whole = element == LEAT_U64 || element == LEAT_I64;
    if ((!whole && element != LEAT_F64) || !load_read_number(v, element, &bits))
        return wrong(l, "field %s: the value is not a number of type %s", field,
                     state_element_name(element));
    return element == LEAT_U64   ? w->u64(w, field, bits)
           : element == LEAT_I64 ? w->i64(w, field, (int64_t)bits)
                                 : w->f64(w, field, double_of_bits(bits));
}

static int load_add_field(struct loading *l, struct part *p, const json_t *o)
{
    const char *field = load_text_of(o, "field");
    const json_t *values = json_object_get(o, "values"), *value = json_object_get(o, "value");
    const char *type = load_text_of(o, "type");
    bool text = type && !strcmp(type, "text");
    uint32_t element = text ? LEAT_U8 : load_element_of(type);
    size_t n = json_array_size(values);
    int status;
    if (!field || !element) return wrong(l, "a field needs \"field\" and \"type\"");
    if (text) {
        status = load_read_bytes(l, o, &n);
        if (status == LEAT_OK) status = p->w.base.text(&p->w.base, field, l->value, n);
    } else if (value) {
        status = load_add_number(l, p, field, element, value);
    } else {
        status = element == LEAT_U8      ? load_read_bytes(l, o, &n)
                 : json_is_array(values) ? read_values(l, field, element, values)
                                         : wrong(l, "field %s has no value", field);
        if (status == LEAT_OK) status = p->w.base.array(&p->w.base, field, element, l->value, n);
    }
    return status == LEAT_OK || status == LEAT_EDATA ? status : wrong(l, "%s", p->w.error);
}

/* ---- sections ---- */

static struct part *load_last_part(struct loading *l) { return l->n ? &l->part[l->n - 1] : NULL; }

static struct part *new_part(struct loading *l, const char *name)
{
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? 2 * l->cap : 32;
        struct part *more = realloc(l->part, cap * sizeof *more);
        if (!more) return NULL;
        l->part = more;
        l->cap = cap;
    }
    struct part *p = &l->part[l->n++];
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static int begin_section(struct loading *l, const char *name, const json_t *o)
{
    const char *stage = load_text_of(o, "stage");
    uint64_t version;
    for (uint32_t i = 0; i < l->n; i++)
        if (!strcmp(l->part[i].name, name)) return wrong(l, "section %s occurs twice", name);
    struct part *p = strlen(name) < SNAPSHOT_NAME ? new_part(l, name) : NULL;
    if (!p)
        return wrong(l, "section %.40s: its name is too long, or there is not enough memory", name);
    p->is_state = stage != NULL;
    if (!stage) {
        int status = load_read_bytes(l, o, &p->n);
        p->bytes = status == LEAT_OK ? malloc(p->n + 1) : NULL;
        if (p->bytes) memcpy(p->bytes, l->value, p->n);
        return p->bytes || status != LEAT_OK
                   ? status
                   : wrong(l, "there is not enough memory for %zu bytes", p->n);
    }
    if (!load_read_u64(json_object_get(o, "version"), UINT32_MAX, &version))
        return wrong(l, "section %s has no version", name);
    return state_writer_begin(&p->w, stage, (uint32_t)version) == LEAT_OK
               ? LEAT_OK
               : wrong(l, "%s", p->w.error);
}

static int take_line(struct loading *l, const json_t *o)
{
    const char *section = load_text_of(o, "section");
    struct part *p = load_last_part(l);
    uint64_t format;
    if (!l->begun) {
        l->begun = load_read_u64(json_object_get(o, "snapshot"), SNAPSHOT_FORMAT, &format) &&
                   format == SNAPSHOT_FORMAT &&
                   load_read_u64(json_object_get(o, "checkpoint"), MAX_CHECKPOINT, &l->checkpoint);
        return l->begun ? LEAT_OK
                        : wrong(l, "the first line must be {\"snapshot\":%d,\"checkpoint\":N}",
                                SNAPSHOT_FORMAT);
    }
    if (!section) return wrong(l, "a line needs \"section\"");
    if (!json_object_get(o, "field")) return begin_section(l, section, o);
    if (!p || !p->is_state || strcmp(p->name, section))
        return wrong(l, "a field of section %s comes before the section's own line", section);
    return load_add_field(l, p, o);
}

static int read_lines(struct loading *l, FILE *in)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = 0;
    int status = LEAT_OK;
    while (status == LEAT_OK && (n = getline(&line, &cap, in)) >= 0) {
        json_error_t why;
        json_t *o = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, &why);
        l->line++;
        status = json_is_object(o) ? take_line(l, o)
                                   : wrong(l, "the line is not a JSON object: %s", why.text);
        json_decref(o);
    }
    if (n < 0 && !feof(in) && errno == ENOMEM) memory_lost();
    if (status == LEAT_OK && ferror(in)) status = wrong(l, "%s", strerror(errno));
    if (status == LEAT_OK && !l->begun) status = wrong(l, "the input is empty");
    free(line);
    return status;
}

/* Completes the states of all parts, and fills `section` with the parts' bytes. */
static int finish_parts(struct loading *l, struct snapshot_section *section)
{
    for (uint32_t i = 0; i < l->n; i++) {
        struct part *p = &l->part[i];
        if (p->is_state && state_writer_finish(&p->w) != LEAT_OK)
            return wrong(l, "section %s: %s", p->name, p->w.error);
        section[i].bytes = p->is_state ? p->w.bytes : p->bytes;
        section[i].n = p->is_state ? p->w.n : p->n;
        memcpy(section[i].name, p->name, sizeof p->name);
    }
    return LEAT_OK;
}

/* Returns LEAT_OK if `leat model verify` accepts the sections. */
static int load_check_parts(struct loading *l, const struct snapshot_section *section,
                            uint64_t memory, struct registry *known)
{
    size_t n = snapshot_bytes(section, l->n);
    void *bytes = malloc(n);
    if (!bytes) return wrong(l, "there is not enough memory for %zu bytes", n);
    snapshot_put(bytes, l->checkpoint, section, l->n);
    return model_accept(l->path, bytes, n, memory, known);
}

static int write_parts(struct loading *l, const struct command_line *c, struct registry *known)
{
    struct snapshot_section *section = calloc(l->n + 1, sizeof *section);
    int status = section ? finish_parts(l, section) : LEAT_ENOMEM;
    if (status == LEAT_OK) status = load_check_parts(l, section, c->memory, known);
    if (status == LEAT_OK)
        status = model_write(
            c->operand[1], (struct snapshot_file_form){.checkpoint = l->checkpoint}, section, l->n);
    free(section);
    return status;
}

int model_load(const struct command_line *c, struct registry *known)
{
    struct loading l = {.path = c->operand[0]};
    bool standard = !strcmp(l.path, "-");
    FILE *in = standard ? stdin : fopen(l.path, "re");
    if (!in) {
        log_message(LEAT_ERROR, "%s: %s", l.path, strerror(errno));
        return LEAT_EIO;
    }
    int status = read_lines(&l, in);
    if (status == LEAT_OK) status = write_parts(&l, c, known);
    for (uint32_t i = 0; i < l.n; i++) {
        state_writer_free(&l.part[i].w);
        free(l.part[i].bytes);
    }
    free(l.part);
    free(l.value);
    if (!standard) fclose(in);
    return status;
}
