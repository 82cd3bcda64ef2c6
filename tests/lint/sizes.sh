#!/usr/bin/env bash
# Sizes: a file with two nouns, or a function with two tasks, is too long.
source "$(dirname "$0")/../support/lint.sh"

product() { git ls-files "$@" ':!*/templates/*'; }

long_files() {
    product 'runtime/*.[ch]' 'plugins/*.[ch]' 'plugins/*.cpp' 'lua/*.lua' 'pipelines/*.lua' | xargs -r awk '
        { lines[FILENAME]++ }
        END { for (file in lines) if (lines[file] > 600) print file ": " lines[file] " lines" }'
}
nothing "no file of the product has over 600 lines" long_files

# A function begins with an unindented line with a parenthesis, and ends with a brace in the first column.
long_functions() {
    product 'runtime/*.c' 'plugins/*.c' | xargs -r awk '
        FNR == 1 { begin = 0 }
        /^[a-z][^;=]*\(/ && !/;[ ]*$/ { begin = FNR }
        /^}/ && begin { if (FNR - begin + 1 > 50) print FILENAME ":" begin ": " FNR - begin + 1 " lines"; begin = 0 }'
}
nothing "no function has over 50 lines" long_functions
done_claims
