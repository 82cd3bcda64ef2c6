/* part_again.c -- the command that gives the same again, and what it depends on. */
#include <string.h>

#include "fields.h"
#include "parts.h"

void part_again(const struct page *p)
{
    const char *command = field_text(p->summary, "command"),
               *version = field_text(p->summary, "version"), *file = field_text(p->summary, "file");
    double seed = field_number(p->summary, "seed");
    page_heading(p, "How to get this again");
    if (*command)
        p->sheet->language->code(p->sheet, command);
    else if (!*file)
        page_say(p, SHEET_NOTE,
                 "This summary has no command line: one of this version of leat has.");
    if (*file) page_say(p, SHEET_PLAIN, arena_printf(p->arena, "Made of the snapshot %s.", file));
    if (*file)
        page_say(p, SHEET_NOTE,
                 "The command line is in the report of a run (--report, --summary).");
    if (strstr(command, "***")) page_say(p, SHEET_NOTE, "*** stands for what may be a secret.");
    page_say(p, SHEET_PLAIN,
             arena_printf(p->arena,
                          "leat %s%s. The same input, seed and version give the same "
                          "numbers, whatever the number of threads.",
                          *version ? version : "(version not known)",
                          seed >= 0 ? arena_printf(p->arena, ", seed %.0f", seed) : ""));
}
