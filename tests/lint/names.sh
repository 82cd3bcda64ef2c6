#!/usr/bin/env bash
# Names within files: a backtrace of functions that are in several files cannot be read.
source "$(dirname "$0")/../support/lint.sh"

# Prints each static function and each structure that several C files define, with these files.
shared() {
    git ls-files 'runtime/*.c' 'plugins/*.c' ':!*/templates/*' | xargs awk '
        function note(name) { if (!seen[name, FILENAME]++) { files[name] = files[name] " " FILENAME; n[name]++ } }
        /^static [^;={}()#]*[a-z0-9_]+\(/ && !/__attribute__/ {
            sub(/\(.*/, ""); sub(/.*[^a-z0-9_]/, ""); note($0)
        }
        /^struct [a-z0-9_]+ \{/ { note("struct " $2) }
        END { for (name in n) if (n[name] > 1) print name ":" files[name] }'
}
nothing "no two files give a function or a structure of their own the same name" shared
done_claims
