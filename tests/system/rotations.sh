# Logs that are rotated in every way while leat runs, is down or is killed: each line comes once, or a message says why
# not.
#
# A trial is a random sequence: lines are written; the log is rotated; leat runs. Renaming with nine kept files loses
# nothing, however often it comes between two looks, and whatever is killed. A log that is copied and cut before any of
# its text was read, one kept file, or a log that is compressed, removed, or written anew may lose text, with a message.
# A run to the end comes between two such rotations, as nobody can tell what was never seen. ROTATIONS=500 SEED=7 tries
# others.
# tier: long (60 s)
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
exec 2>noise # the shell's words on killed children
RANDOM=${SEED:-11}

cat >f.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "f" {
  leat.source.file { path = leat.args.path, follow = leat.args.follow == "yes" },
  leat.parse.lines {},
  leat.sink.file { path = "out", format = "raw" },
}
LUA

# Prints line $1 of a log of kind $2; long lines reach the kilobyte that leat keeps.
line() {
    case $2 in
    constant) echo "GET /health 200 ok 0.001 ms" ;;
    short) echo "$1" ;;
    *) printf '%d %0150d\n' "$1" "$(($1 * 7919 % 1000))" ;;
    esac
}
# A file begins: with the same 1,140 bytes each time, if the kind is a preamble.
begin() {
    [[ $kind != preamble ]] || { seq -f 'preamble %02g ---------------------------' 30 | tee -a wanted >>app.log; }
}
write() {
    local i
    [[ -e app.log ]] || begin
    for ((i = RANDOM % 12; i >= 0; i--)); do
        line $((++written)) "$kind" >one
        tee -a wanted <one >>app.log
    done
}
rename() {
    local i
    rm -f app.log."$keep" # its inode is free: the next app.log gets it
    for ((i = keep; i > 1; i--)); do [[ ! -e app.log.$((i - 1)) ]] || mv app.log.$((i - 1)) app.log.$i; done
    [[ ! -e app.log ]] || mv app.log app.log.1
}
copy() {
    [[ -e app.log ]] || return 0
    mv app.log now && rename && mv now app.log
    cp app.log app.log.1 && : >app.log
    begin
}
rotate() {
    case $1 in
    rename) rename ;;
    copy) copy ;;
    compress) rename && { [[ ! -e app.log.1 ]] || gzip -f app.log.1; } ;;
    remove) rm -f app.log ;;
    anew) : >app.log && begin ;;
    esac
}
read_all() {
    "$LEAT" run f.lua --quiet --state st --set path=app.log --set follow=no 2>>err
}
follow() { # follow SIGNAL: follows for a moment, until a signal
    timeout --foreground -s "$1" "0.$((RANDOM % 2))$((RANDOM % 9 + 1))" "$LEAT" run f.lua --quiet --state st --every 5ms \
        --set path=app.log --set follow=yes 2>>err
}
kinds=(preamble short long constant) signals=(TERM KILL)
begin_trial() {
    rm -rf out* wanted app.log* st err
    kind=${kinds[RANDOM % 4]} written=0
    touch wanted out err
    write
    read_at_first
}
read_at_first() { # what is rotated before this is not read
    leat_start f.lua --quiet --state st --set path=app.log --set follow=yes
    until_true cmp -s wanted out
    leat_stop
}
renamed() { gentle rename rename; }
copied() { gentle rename copy; }
gentle() { # gentle WAY WAY
    local i ways=("$@") keep=9
    for ((i = 0; i < 4; i++)); do
        follow "${signals[RANDOM % 2]}" & local one=$!
        ((RANDOM % 2)) || wait $one
        write
        rotate "${ways[RANDOM % 2]}"
        ((RANDOM % 2)) && write && rotate "${ways[RANDOM % 2]}"
        write
        wait $one
    done
}
rough() {
    local i ways=(rename copy compress remove anew) keep=$((RANDOM % 2 + 1))
    for ((i = 0; i < 4; i++)); do
        ((RANDOM % 2)) && write
        if ((RANDOM % 2)); then
            follow "${signals[RANDOM % 2]}" & local one=$!
            sleep 0.06
        fi
        rotate "${ways[RANDOM % 5]}"
        write
        wait
        read_all
    done
}
# Counts the trials of a way whose lines came otherwise than once, without the words.
try() { # try N WAY WORDS
    local i
    bad=0 told=0
    for ((i = 0; i < $1; i++)); do
        begin_trial "$2"
        story="$2, $kind, seed $RANDOM"
        "$2"
        read_all
        sort wanted >a && sort out >b
        cmp -s a b && continue
        told=$((told + 1))
        grep -qE "$3" err && continue
        bad=$((bad + 1))
        echo "$story: $(comm -23 a b | wc -l) lost, $(comm -13 a b | wc -l) twice: $(grep -v stopping err | tail -3)"
    done
}

# The place reached is in a preamble with which each file begins. The copies tell that the text after it is another one.
kind=preamble keep=9
in_preamble() { # in_preamble STEPS…: "write", a way of rotating, or "backup", which copies and does not truncate
    rm -rf out* wanted app.log* st err && touch wanted out err
    written=0
    begin && read_at_first
    for step in "$@"; do
        sleep 0.02 # a copy is later than the text before it
        case $step in
        write) write ;;
        backup) cp app.log app.log.1 ;;
        read) read_all ;;
        *) rotate "$step" ;;
        esac
    done
    read_all
    cmp <(sort wanted) <(sort out)
}
claim "copied and truncated after its preamble was read" in_preamble write copy write
claim "twice, and three times" in_preamble write copy write copy write copy write
claim "and renamed then" in_preamble write copy write rename write
claim "renamed, and nothing was truncated" in_preamble write rename write rename write
claim "copied, and not truncated" in_preamble write backup write
claim "read between the copies" in_preamble write copy read write copy write read copy write
n=${ROTATIONS:-$(repeats 2 20)}
try "$n" renamed 'cannot be told' >stories
claim "$n logs, renamed: each line came once, or cannot be told from the next ($told)" equal "$bad" 0
try "$n" copied 'cannot be told|are lost, at least' >>stories
claim "$n logs, renamed and copied: each line came once, or a message says why not ($told)" equal "$bad" 0
try "$n" rough 'lost|is not read|cannot be told|is taken for a copy|not the file that|is shorter than' >>stories
claim "$n logs, rotated with losses: each line came once, or a message says why not ($told)" equal "$bad" 0
[[ ! -s stories ]] || why_not stories
rest_is_long
done_claims
