#!/usr/bin/env bash
# Prints the purpose of each file of runtime, plugins and lua, by folder: the first sentence of the file. It leaves out
# sources that are an implementation of NAME.h.
set -eu
cd "$(dirname "$0")/../.."
git ls-files 'runtime/*.[ch]' 'plugins/*.[ch]' 'plugins/*.cpp' 'lua/*.lua' | grep -v /templates/ |
    sed -E 's|^(.*)/([^/]*)$|\1\t\2|' | sort | tr '\t' / | xargs awk '
    function end_of_sentence() {
        if (purpose == "" || purpose ~ /^(see|implementation of) [^ ]+\.h$/) return
        folder = name = file
        sub(/\/[^\/]*$/, "", folder)
        sub(/^.*\//, "", name)
        if (folder != last) print (last == "" ? "" : "\n") folder "/"
        last = folder
        printf "  %-26s %s\n", name, purpose
        purpose = ""
    }
    FNR == 1 { end_of_sentence(); file = FILENAME; purpose = ""; sub(/^(\/\*|---?) *[^ ]*( --|:) /, ""); open = 1 }
    open {
        if (FNR > 1 && !/^( \*|--)/ || /^( \*|---?) *$/) { open = 0; next }
        sub(/^( \*|---?) */, "")
        if (/\*\/|[.?]( |$)/) open = 0
        sub(/ *\*\/.*$|\.( .*)?$|:$/, "")
        purpose = purpose (purpose == "" ? "" : " ") $0
    }
    END { end_of_sentence() }'
