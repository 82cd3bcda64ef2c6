# runtime/sdk/templates/leat.rs and its parts declare the same as the headers: every number, and every struct with all
# members.
# tier: long (4 s)
. "$(dirname "$0")/../support/claims.sh"
headers=(runtime/include/leat/{status,batch,schema,host,param,state,query,stage,plugin}.h)
rust=(runtime/sdk/templates/leat.rs runtime/sdk/templates/leat_calls.rs runtime/sdk/templates/leat_constants.rs)

: >"$err"

# The headers, without comments and directives.
declarations() { cc -w -fpreprocessed -dD -E -P "${headers[@]}"; }

# ---- numbers ----

# LEAT_NAME of each constant: of enums, and of macros without arguments that are numbers.
names() {
    declarations | tr '\n' ' ' | grep -oE 'enum( leat_[a-z_]+)? \{[^}]*\}' | grep -oE 'LEAT_[A-Z0-9_]+( =|,| *\})' |
        grep -oE 'LEAT_[A-Z0-9_]+'
    declarations | sed -nE 's/^#define (LEAT_[A-Z0-9_]+) [^"]*$/\1/p' | grep -vE '^LEAT_SYMBOL$|_H$'
}
{
    printf '#include <stdio.h>\n#include <leat/plugin.h>\nint main(void) {\n'
    names | sed -E 's/^LEAT_(.*)$/    printf("\1 %lld\\n", (long long)LEAT_\1);/'
    echo '}'
} >"$tmp/numbers.c"
claim "the headers' numbers are found" test "$(grep -c printf "$tmp/numbers.c")" -gt 130
claim "and they are numbers" cc -w -Iruntime/include -o "$tmp/numbers" "$tmp/numbers.c"
of_rust() {
    sed -nE 's/^pub const ([A-Z0-9_]+): (Status|c_int|[iu][0-9]+) = (.*);$/\1 \3/p' \
        runtime/sdk/templates/leat_constants.rs |
        while read -r name value; do
            case $value in
                i64::MIN) value=-9223372036854775808 ;;
                u32::MAX) value=4294967295 ;;
            esac
            printf '%s %d\n' "$name" "$value"
        done
}
claim "leat_constants.rs has all of them, and no other" diff <("$tmp/numbers" | sort -u) <(of_rust | sort)

# ---- structs ----

# Name.member of each struct, in the order of its members; members that are declared together are apart.
of_headers() {
    declarations | tr '\n' ' ' | sed 's/struct leat_[a-z_]* {/\n&/g' |
        sed -nE 's/^struct (leat_[a-z_]+) \{([^{}]*)\}.*/\1 \2/p' |
        awk '{
            name = $1; $1 = ""
            gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "")
            n = split($0, member, ";")
            for (i = 1; i <= n; i++) {
                text = member[i]
                if (match(text, /\(\*[a-z_0-9]+\)\(/)) { print name "." substr(text, RSTART + 2, RLENGTH - 4);
                continue }
                sub(/\[[^]]*\]/, "", text)
                m = split(text, one, ",")
                for (k = 1; k <= m; k++) if (match(one[k], /[a-z_0-9]+ *$/)) { word = substr(one[k], RSTART); gsub(/ /,
                "", word); print name "." word }
            }
        }'
}
# The same of Rust: FILE Name.member, of what both languages lay out in the same way.
of_files() {
    awk '
        FNR == 1 { laid_out = 0 }
        /^#\[repr\(C\)\]$/ { laid_out = 1; next }
        laid_out && /^#\[derive/ { next }
        laid_out && /^(pub )?struct [A-Za-z]+(<.*>)? \{$/ { sub(/^pub /, ""); name = $2; sub(/<.*/, "", name);
        inside = 1; laid_out = 0; next }
        { laid_out = 0 }
        /^}/ { inside = 0 }
        inside && match($0, /^    (pub )?[a-z_0-9]+:/) { word = substr($0, RSTART, RLENGTH); gsub(/pub |[ :]/, "",
        word); print FILENAME, name "." word }
    ' "${rust[@]}" | grep -vE ' (Memory|PollFd|Top)\.'
}
# Under the headers' names. What C may call so, Rust may not, or has another word for.
in_c() {
    sed -E 's/^[^ ]* //; s/^Answer\./Result./
        s/^([A-Z][a-z]*)([A-Z][a-z]+)\./\1_\2./; s/^([^.]*)/leat_\L\1/
        s/^(leat_(param|column))\.kind$/\1.type/; s/^(leat_(ctx|negotiation))\.input$/\1.in/; s/^leat_host\.where_from$/leat_host.where/'
}
of_headers >"$tmp/members"
of_files >"$tmp/of_rust"
in_c <"$tmp/of_rust" >"$tmp/structs"
claim "the headers' members are found" test "$(grep -c . "$tmp/members")" -gt 300
claim "leat.rs has all of them, in their order" diff <(sort -s -t. -k1,1 "$tmp/members") <(sort -s -t. -k1,1 \
    "$tmp/structs")

# ---- where they lie ----

command -v rustc >/dev/null || skip_rest "there is no rustc"
{
    printf '#include <stdio.h>\n#include <leat/plugin.h>\nint main(void) {\n'
    sed -E 's/^([a-z_]+)\.([a-z_0-9]+)$/    printf("%zu\\n", offsetof(struct \1, \2));/' "$tmp/structs"
    echo '}'
} >"$tmp/places.c"
claim "the members have places" cc -w -Iruntime/include -o "$tmp/places" "$tmp/places.c"
cp "${rust[@]}" "$tmp"
"$tmp/places" | paste -d ' ' "$tmp/of_rust" - | while read -r file member place; do
    of=${member%.*}
    case $of in
        Stage | Source | Learner | State | Transaction) of="$of<(), ()>" ;;
        Ctx) of="Ctx<()>" ;;
    esac
    echo "const _: () = assert!(std::mem::offset_of!($of, ${member#*.}) == $place);" >>"$tmp/$(basename "$file")"
done
printf 'mod leat;\n' >"$tmp/all.rs"
claim "of all $(grep -c . "$tmp/of_rust") members they are those of the headers" \
    rustc --edition 2021 --crate-type lib --emit metadata -A warnings -o "$tmp/all.rmeta" "$tmp/all.rs"
done_claims
