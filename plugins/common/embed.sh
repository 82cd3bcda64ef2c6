#!/usr/bin/env bash
# embed.sh FOLDER -- writes the Markdown files of a folder below plugins/ or runtime/ as C strings:
# NAME.md becomes `static const char NAME_doc[]`. README.md is left out. A line "@include FILE" is
# replaced by the text of a file of the same folder, or of a path below plugins/. NAME.css and
# NAME.html become NAME_css[] and NAME_html[] unchanged.
#
# The lines of a paragraph are joined into one, as the reader wraps them to the terminal. Blank
# lines, lines that start with "- ", "|" or blanks, and lines between fences stay separate lines. A
# line that is indented under a "- " line continues it.
set -eu -o pipefail # a missing file ends the build
folder=${1%/}
expand() {
    local file=$1 line
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        "@include "*)
            local other=${line#@include }
            [ -e "$folder/$other" ] && other=$folder/$other || other=plugins/$other
            expand "$other"
            ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$file"
}
shopt -s nullglob
for file in "$folder"/*.{css,html}; do
    name=$(basename "$file")
    printf 'static const char %s[] =\n' "${name//./_}"
    sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/' "$file"
    printf '    ;\n\n'
done
for file in "$folder"/*.md; do
    name=$(basename "$file" .md)
    [ "$name" != README ] || continue
    printf 'static const char %s_doc[] =\n' "$name"
    expand "$file" | awk '
        function put(text) { gsub(/[\\"]/, "\\\\&", text); printf "    \"%s\"\n", text }
        function flush() { if (held != "") { put(held); held = "" } }
        function put_raw() { printf "    \"\\n\"\n" }
        /^```/ { fenced = !fenced }
        /^[ \t]*$/ { blank = 1; item = 0; next }
        item && !fenced && /^  +[^ -]/ { sub(/^ +/, ""); held = held " " $0; next }
        {
            item = /^- /
            alone = fenced || /^```/ || /^[ \t]/ || /^- / || /^\|/
            if (any && blank) { flush(); put_raw(); put_raw() }
            else if (any && (alone || was_alone)) { flush(); put_raw() }
            else if (any) held = held " "
            blank = 0; any = 1; was_alone = alone
            held = held $0
        }
        END { flush(); if (!any) printf "    \"\"\n" }'
    printf '    ;\n\n'
done
