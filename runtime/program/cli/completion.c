/* completion.c -- `leat completion`: a script of the shell that completes command lines of leat,
 * made from the table of options. Stages are asked for when they are completed, so those of a
 * user's plugins are there. */
#include <stdio.h>
#include <string.h>

#include "program/cli/command_line/options.h"
#include "command.h"

struct list {
    const char *command; /* of the line that is being written; NULL: none yet */
};

static void see(void *to, const char *option, bool has_text, const char *command)
{
    struct list *l = to;
    (void)has_text;
    if (l->command != command) printf("%s    '%s') options='", l->command ? "' ;;\n" : "", command);
    l->command = command;
    printf(" --%s", option);
}

static const char before[] =
    "# Completion of leat's command lines.\n"
    "_leat() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options words\n"
    "    local command=${COMP_WORDS[1]}\n"
    "    [[ $command == model || $command == plugin ]] && command+=\" ${COMP_WORDS[2]}\"\n"
    "    case $command in\n";

static const char after[] =
    "' ;;\n"
    "    esac\n"
    "    case $before in\n"
    "    --progress) words='auto always never' ;;\n"
    "    --kind) words='source parser feature learner sink transaction' ;;\n"
    "    --lang) words='c cpp rust' ;;\n"
    "    --log-level) words='error warn info debug' ;;\n"
    "    --log-format) words='text json' ;;\n"
    "    --state|--plugin-path) mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); return ;;\n"
    "    esac\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        words='run check graph trace top peek plugins plugin model report test new completion help version'\n"
    "    elif ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == model ]]; then\n"
    "        words='info top dump load verify merge diff'\n"
    "    elif ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == plugin ]]; then\n"
    "        words='test'\n"
    "    elif [[ $word == -* ]]; then\n"
    "        words=$options\n"
    "    elif [[ $command == plugins ]]; then\n"
    "        words=$(leat plugins 2>/dev/null | sed -n 's/^\\([a-z_0-9]*\\.[a-z_0-9.]*\\) .*/\\1/p')\n"
    "    elif ((COMP_CWORD == 2)) && [[ $command == new ]]; then\n"
    "        words='plugin pipeline'\n"
    "    elif [[ $command == completion ]]; then\n"
    "        words='bash zsh'\n"
    "    fi\n"
    "    if [[ -n $words ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _leat leat\n";

int command_completion(const struct command_line *c)
{
    struct list l = {NULL};
    bool zsh = !strcmp(c->script, "zsh");
    if (!zsh && strcmp(c->script, "bash"))
        return usage_error("completion is there for bash and zsh, not for ", c->script);
    if (zsh) puts("autoload -U +X bashcompinit && bashcompinit");
    fputs(before, stdout);
    options_each(see, &l);
    fputs(after, stdout);
    return EXIT_DONE;
}
