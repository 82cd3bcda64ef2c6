# The contract next to each function of stage.h and host.h equals the tables in docs/plugins.md.
. "$(dirname "$0")/../support/claims.sh"

# NAME|CELLS of each function pointer in the headers $@; nothing after the bar where the comment before it has no
# contract. What a diag or another struct offers within a call has none of its own.
of_headers() {
    awk '
        /\/\*/ { text = "" }
        { inside = inside || /\/\*/ }
        inside { line = $0; sub(/^ *\/?\* ?/, "", line); text = text " " line }
        /\*\// { inside = 0; contract = match(text, /\[[^]]*\] *\*\/ *$/) ? substr(text, RSTART + 1) : "";
        sub(/\] *\*\/ *$/, "", contract); next }
        inside { next }
        match($0, /\(\*[a-z_]+\)\(struct leat_diag/) { next }
        match($0, /\(\*[a-z_]+\)\(/) { print substr($0, RSTART + 2, RLENGTH - 4) "|" contract; contract = "" }
    ' "$@" | sed -E 's/ *\| */|/g; s/  +/ /g' | sort
}

of_tables() {
    sed -n 's/`//g; s/^| \([a-z_, ]*\) | \(.*\) |$/\1|\2/p' docs/plugins.md |
        awk -F '|' 'NF == 6 && $2 !~ /^ *thread/ { n = split($1, name, ", "); sub(/^[^|]*\|/, ""); for (i = 1; i <= n; i++) print name[i] "|" $0 }' |
        sed -E 's/ *\| */|/g' | grep -E '^[a-z_]+\|(check|run|own|any|call)\b' | sort
}

: >"$err"
of_headers runtime/include/leat/{stage,host}.h >"$tmp/headers"
of_tables >"$tmp/tables"
claim "every function has a contract of five parts" equal "$(awk -F '|' 'NF != 6' "$tmp/headers")" ""
claim "there are as many as the structs have" equal "$(grep -c . "$tmp/headers")" \
    "$(cc -w -fpreprocessed -dD -E -P runtime/include/leat/stage.h runtime/include/leat/host.h 2>"$tmp/why" |
    grep -o '(\*[a-z_]*)(' | grep -vc 'error\|warn')"
claim "the tables of the guide have the same contracts" diff "$tmp/headers" "$tmp/tables"
done_claims
