# many.sh -- for scripts that share work among processes: a command `leat` that is killed once.
#
#   put_leat_into DIR   makes DIR/leat. It runs $LEAT, and adds the processor seconds of each call to $USED, if set.
#                       The first call with --split $KILLED (any: with any split) dies by SIGKILL within its input
put_leat_into() {
    mkdir -p "$1"
    cat >"$1/leat" <<'SH'
#!/usr/bin/env bash
split=
for ((i = 1; i < $#; i++)); do
    [[ ${!i} != --split ]] || { i=$((i + 1)) && split=${!i}; }
done
if [[ $split && (${KILLED:-} == any || ${KILLED:-} == "$split") ]] && mkdir "$LEAT_ONCE" 2>/dev/null; then
    mkfifo "$LEAT_ONCE/half"
    "$LEAT" "$@" <"$LEAT_ONCE/half" >"$LEAT_ONCE/out" &
    exec 3>"$LEAT_ONCE/half"
    head -c 20000 >&3
    kill -KILL $!
    wait $! 2>/dev/null
    kill -KILL $$
fi
[[ ${USED:-} ]] || exec "$LEAT" "$@"
TIMEFORMAT='%U %S'
{ time "$LEAT" "$@" 2>&4; } 4>&2 2>>"$USED"
SH
    chmod +x "$1/leat"
    export LEAT LEAT_ONCE=$1/killed PATH=$1:$PATH
}
