# Third-party plugins: one built outside the tree loads; unfit ones are refused, by name.
# tier: long (20 s)
. "$(dirname "$0")/../support/claims.sh"
root=$PWD B=$PWD/${B:-build/release}
mkdir "$tmp/mine"

claim "the README's plugin builds with the public headers alone" \
    cc -std=c11 -O2 -shared -fPIC -fvisibility=hidden -I"$root/runtime/include" -o "$tmp/mine/clip.so" \
    docs/example-plugin/clip.c
claim "it asks nothing of the host's symbols" sh -c "! nm -D --undefined-only '$tmp/mine/clip.so' | grep -i leat"
cat >"$tmp/clip.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "clip" {
  leat.source.file { path = leat.args.data }, leat.parse.libsvm {},
  leat.feature.clip { max = leat.args.max, lanes = leat.args.lanes },
  leat.learn.logistic { id = "model", rates = "shared" },
}
LUA
printf '+1 1:100 2:-3\n-1 1:0.5\n' >"$tmp/d.svm"
leat_run run "$tmp/clip.lua" --set data="$tmp/d.svm" --set max=2 --plugin-path "$tmp/mine" \
    --quiet --summary "$tmp/s.json"
claim_exit "a plugin built outside the tree runs through --plugin-path" 0
# One step of 0.1 * 0.5 on 2 instead of 100: then half of it is taken back by the second example.
claim "and does its work" jq -e '.stages[] | select(.id == "model").top[] | select(.feature == "2") |
    .weight < -0.09 and .weight > -0.11' "$tmp/s.json"
LEAT_PLUGIN_PATH=$tmp/mine leat_run check "$tmp/clip.lua" --set data="$tmp/d.svm"
claim_exit "and through LEAT_PLUGIN_PATH" 0
leat_run check "$tmp/clip.lua" --set data=x --set max=-1 --plugin-path "$tmp/mine"
claim_says "its parameters are checked like any other's" "clip.lua:4: error: --set max=-1: clip (feature.clip)" "max"
leat_run plugins feature.clip --plugin-path "$tmp/mine"
claim "it has a manual page from its own declarations" grep -q "largest absolute value that passes" "$out"
leat_run check "$tmp/clip.lua" --set data=x
claim_says "without it the stage is unknown" "there is no stage 'feature.clip'"

cat >"$tmp/own.lua" <<'LUA'
local leat = require "leat"
return leat.pipeline "own" { leat.source.null { records = 1 }, leat.keep.all {}, leat.sink.null {} }
LUA
leat_run run "$tmp/own.lua" --quiet --plugin-path "$B/tests/plugins/own_group.so"
claim_exit "a group of a plugin's own is reached as leat.GROUP.NAME" 0
leat_run check "$tmp/own.lua"
claim_says "without the plugin there is no such group" "own.lua:2: error: there is no stage 'keep.all'"

leat_run plugins lua.batch
claim "the methods of lua.batch stand one on a line at the terminal" grep -qE '^ +b:label\(i\) +the label;' "$out"
claim "and in the manual" grep -qE '^ +b:label\(i\) +the label;' docs/stages.md
claim "what stands in backticks in a stage's text is code in the manual" \
    sh -c "grep -q 'column of \`numbers\` that' docs/stages.md && ! grep -F '\\\`' docs/stages.md"

mkdir "$tmp/bad"
cp "$B"/tests/plugins/{wrong_major,truncated,no_symbol}.so "$tmp/bad/"
leat_run plugins learn.awm --plugin-path "$tmp/bad"
claim_exit "plugins that are refused do not stop the others" 0
claim_says "a wrong major version is refused with file, found and wanted" "wrong_major.so" "ABI 7.3" "this leat has 1.1"
claim_says "a truncated descriptor is refused with file, found and wanted" "truncated.so" "24 bytes" "at least 64"
claim_says "a missing symbol is refused with its name" "no_symbol.so" "leat_plugin"

# every_form FORM TEST…: says which stages' description in that form fails, or what TEST finds wrong in
every_form() {
    local form=$1 name bad=0
    shift
    for name in pipeline $(sed -n 's/^\([a-z]*\.[a-z_0-9]*\) .*/\1/p' "$tmp/all"); do
        # shellcheck disable=SC2086
        "$LEAT" plugins "$name" $form >"$tmp/one" 2>&1 && "$@" "$tmp/one" >/dev/null && continue
        echo "plugins $name $form" && bad=1
    done
    return $bad
}
"$LEAT" plugins >"$tmp/all"
claim "all stages are described by name" test "$(grep -c '^[a-z]*\.' "$tmp/all")" -gt 60
claim "each stage and the pipeline's options are described for a terminal" every_form "" test -s
claim "each as JSON" every_form --json jq -e '.name and (.params | length >= 0)'
claim "each as its section of the manual" every_form --markdown grep -q '^### '
claim "each as an annotation of Lua" every_form --lua grep -q '^---@class leat.args\.'
leat_run plugins parse.json --markdown
in_manual() { sed -n '/^### parse.json/,/^### parse.l/p' docs/stages.md | sed '$d' | cmp - <(sed 1d "$out"; echo); }
claim "and a section is that of the manual" in_manual
leat_run plugins pipeline --markdown
claim "the pipeline's options have no kind" sh -c "! grep -q null '$out'"

# A folder of the user's.
mkdir -p "$tmp/data/leat/plugins"
leat_run plugins --paths --plugin-path "$tmp/mine"
claim "the folders are listed in the order in which they are searched" equal "$(sed 's/.*(//' "$out" |
    paste -sd' ')" "--plugin-path) installed with leat) the user's folder; it does not exist)"
cp "$tmp/mine/clip.so" "$tmp/data/leat/plugins/"
XDG_DATA_HOME=$tmp/data leat_run plugins feature.clip
claim_exit "a plugin in the user's folder is found" 0
for path in plugins/clip.so plugins; do
    chmod o+w "$tmp/data/leat/$path"
    XDG_DATA_HOME=$tmp/data leat_run plugins feature.clip
    claim_says "$path that everybody can write is not" "$tmp/data/leat/$path: plugin refused: every user can write it"
    chmod o-w "$tmp/data/leat/$path"
done
if [[ $EUID == 0 ]]; then
    chown 4711 "$tmp/data/leat/plugins/clip.so"
    XDG_DATA_HOME=$tmp/data leat_run plugins feature.clip
    claim_says "nor is one of another user" "clip.so: plugin refused: it belongs to another user"
    leat_run plugins feature.clip --plugin-path "$tmp/data/leat/plugins"
    claim_exit "unless it is named" 0
    chown 0 "$tmp/data/leat/plugins/clip.so"
fi

# Installed: headers, pkg-config, command, plugins and the Lua module find each other.
[[ $B == */release ]] || skip_rest "a release is installed"
claim "make install works" make -s install PREFIX="$tmp/usr"
LEAT=$tmp/usr/bin/leat
flags=$(PKG_CONFIG_PATH=$tmp/usr/lib/pkgconfig pkg-config --cflags leat)
claim "pkg-config --cflags leat is all a plugin needs" \
    cc -std=c11 -shared -fPIC $flags -o "$tmp/mine/clip.so" docs/example-plugin/clip.c
leat_run run "$tmp/clip.lua" --set data="$tmp/d.svm" --plugin-path "$tmp/mine" --quiet
claim_exit "the installed command runs a script" 0
claim "docs/stages.md is what the stages say of themselves (make docs)" cmp docs/stages.md <("$LEAT" plugins \
    --markdown)
cp "$B"/tests/plugins/{crash,wild_text,good}.so "$tmp/usr/lib/leat/plugins/"
leat_run plugins
claim_exit "plugins of others that crash do not stop the installed command" 0
claim_says "they are refused by name" "crash.so: plugin refused: crashed while loading" \
    "wild_text.so: plugin refused: crashed"
claim "one that works among them is listed" grep -q '^feature.every ' "$out"
rm "$tmp"/usr/lib/leat/plugins/{crash,wild_text,good}.so
leat_run run "$tmp/usr/share/leat/pipelines/explain.lua" --quiet
claim_exit "the installed demo runs on the installed data" 0
claim "documents are installed" test -s "$tmp/usr/share/doc/leat/guide/README.md" \
    -a -s "$tmp/usr/share/doc/leat/example-plugin/clip.c"
claim "make uninstall works" make -s uninstall PREFIX="$tmp/usr"
claim "and leaves no file" test -z "$(find "$tmp/usr" -type f)"
done_claims
