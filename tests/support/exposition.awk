# exposition.awk -- does this text keep the rules of Prometheus' format 0.0.4? Prints what is wrong; exit 1 if anything is.
#   awk -f exposition.awk metrics
# Rules: a family has one HELP, then one TYPE, then all its samples, and comes once; names and labels are words; values of
# labels are escaped; no sample comes twice; counters end in _total and are not negative; base units.
function wrong(what) { printf "line %d: %s: %s\n", NR, what, $0; bad = 1 }
function is_number(x) { return x ~ /^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$/ || x ~ /^(NaN|[-+]Inf)$/ }
function labels(text,    name, rest) {
    while (text != "") {
        if (!match(text, /^[a-zA-Z_][a-zA-Z0-9_]*="/)) return 0
        name = substr(text, 1, RLENGTH - 2)
        if (name in seen_label) return 0
        seen_label[name] = 1
        text = substr(text, RLENGTH + 1)
        if (!match(text, /^([^\\"]|\\[\\"n])*"/)) return 0
        text = substr(text, RLENGTH + 1)
        if (text == "") return 1
        if (substr(text, 1, 1) != ",") return 0
        text = substr(text, 2)
        if (text == "") return 0
    }
    return 1
}
/^# HELP / {
    if ($3 !~ /^leat_[a-z0-9_]+$/) wrong("a name")
    if ($3 in helped) wrong("a second HELP")
    if (NF < 4) wrong("no text")
    helped[family = $3] = 1
    typed = 0
    next
}
/^# TYPE / {
    if ($3 != family || typed) wrong("a TYPE that does not follow its HELP")
    if ($4 != "counter" && $4 != "gauge") wrong("a type")
    if (($4 == "counter") != (family ~ /_total$/)) wrong("_total and counter do not agree")
    if (family ~ /_(ms|us|ns|kb|mb|millis|micros)(_|$)/) wrong("no base unit")
    type = $4
    typed = 1
    next
}
/^#/ || /^$/ { wrong("neither HELP nor TYPE"); next }
{
    if (!match($0, /^[a-zA-Z_:][a-zA-Z0-9_:]*/)) { wrong("no name"); next }
    name = substr($0, 1, RLENGTH)
    rest = substr($0, RLENGTH + 1)
    if (name != family || !typed) wrong("a sample outside its family")
    delete seen_label
    inside = ""
    if (rest ~ /^\{/) {
        if (!match(rest, /\} [^ ]+$/)) { wrong("no value"); next }
        inside = substr(rest, 2, RSTART - 2)
        value = substr(rest, RSTART + 2)
        if (inside == "" || !labels(inside)) wrong("labels")
    } else value = substr(rest, 2)
    if (!is_number(value)) wrong("no number")
    if (type == "counter" && value + 0 < 0) wrong("a negative counter")
    if ((name, inside) in seen) wrong("twice")
    seen[name, inside] = 1
    n++
}
END { if (!n) { print "no sample"; bad = 1 } exit bad }
