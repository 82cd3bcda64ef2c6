#!/usr/bin/env bash
# Circles of files: no more than two files of runtime/ call each other in a circle, by the symbols of their objects.
# Listed circles are allowed: a line has the files (by any word of their paths) and the reason.
source "$(dirname "$0")/../support/lint.sh"
B=${B:-build/release}

listed='
'

# Prints the objects whose sources still exist.
objects() {
    local source
    git ls-files 'runtime/*.c' | while read -r source; do
        [[ -e $B/${source%.c}.o ]] && echo "$B/${source%.c}.o"
    done
}

# Prints each circle of three files or more that is not listed, one a line.
circles() {
    objects | xargs nm -A --defined-only --extern-only | sed -E "s|^$B/(runtime/[^:]*)\.o:[^ ]* . (.*)|D \1 \2|" \
        >"$tmp/symbols"
    objects | xargs nm -A --undefined-only | sed -E "s|^$B/(runtime/[^:]*)\.o: *. (.*)|U \1 \2|" >>"$tmp/symbols"
    awk -v listed="$listed" '
        $1 == "D" { home[$3] = $2; file[$2] }
        $1 == "U" && ($3 in home) && home[$3] != $2 && !(($2, home[$3]) in edge) {
            edge[$2, home[$3]]
            out[$2] = out[$2] " " home[$3]
            back[home[$3]] = back[home[$3]] " " $2
        }
        # Kosaraju: orders the files as a walk leaves them, then walks against the arrows.
        function leave(f,   i, n, next_file) {
            seen[f]
            n = split(out[f], next_file, " ")
            for (i = 1; i <= n; i++) if (!(next_file[i] in seen)) leave(next_file[i])
            order[++left] = f
        }
        function gather(f,   i, n, next_file) {
            taken[f]
            members = members " " f
            size++
            n = split(back[f], next_file, " ")
            for (i = 1; i <= n; i++) if (!(next_file[i] in taken)) gather(next_file[i])
        }
        function is_listed(   i, j, k, n, lines, word, f, all) {
            n = split(listed, lines, "\n")
            for (i = 1; i <= n; i++) {
                sub(/ *:.*/, "", lines[i])
                if ((k = split(lines[i], word, " ")) == 0) continue
                all = 1
                split(members, f, " ")
                for (j in f) all = all && match_any(f[j], word, k)
                if (all) return 1
            }
            return 0
        }
        function match_any(f, word, k,   i) {
            for (i = 1; i <= k; i++) if (index(f, word[i])) return 1
            return 0
        }
        END {
            for (f in file) if (!(f in seen)) leave(f)
            for (i = left; i >= 1; i--) {
                if (order[i] in taken) continue
                members = ""
                size = 0
                gather(order[i])
                if (size > 2 && !is_listed()) print "circle of " size ":" members
            }
        }' "$tmp/symbols"
}
nothing "no more than two files of runtime/ call each other in a circle" circles
done_claims
