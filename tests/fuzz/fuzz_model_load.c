/* fuzz_model_load.c -- any text as the lines of a dump: refused, or made into readable states.
 *
 * sources:
 * runtime/host/store/{state_reader,state_codec,zero_blocks}.c
 * runtime/host/store/{crc32c,snapshot,odirect_file}.c
 * -ljansson
 */
#include "program/cli/model/model_load.c"
#include "fuzz.h"

/* Replacements for the program's functions, which write no file and no message. */
_Noreturn void memory_lost(void) { abort(); }

int model_write(const char *to, struct snapshot_file_form form,
                const struct snapshot_section *section, uint32_t n)
{
    return LEAT_OK;
}

int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known)
{
    free(bytes);
    return LEAT_OK;
}

void log_message(int level, const char *format, ...) {}

static void read_back(const struct part *p)
{
    static struct state_reader r;
    if (state_reader_init(&r, p->w.bytes, p->w.n) != LEAT_OK) abort();
    state_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct loading l = {.path = "text"};
    FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!in) return 0;
    int status = read_lines(&l, in);
    if (status == LEAT_OK)
        status = write_parts(&l, &(struct command_line){.operand = (const char *[]){"text", "to"}},
                             NULL);
    for (uint32_t i = 0; i < l.n; i++) {
        if (status == LEAT_OK && l.part[i].is_state) read_back(&l.part[i]);
        state_writer_free(&l.part[i].w);
        free(l.part[i].bytes);
    }
    free(l.part);
    free(l.value);
    fclose(in);
    return 0;
}
