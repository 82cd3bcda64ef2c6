# sites.awk -- prints the places of a C file where one token can become another: "line column length token".
#
# The form is that of clang-format: an operator of two operands has spaces on both sides. Left out are comments, texts,
# lines of the preprocessor, assertions, and what only looks whether invariants hold: X_check() and CHECKS=1.

function blank(n,   s) {
    s = sprintf("%" n "s", "")
    return s
}

# The line without comments and texts; what remains keeps its column.
function code_of(s,   out, c, d) {
    out = ""
    while (s != "") {
        d = substr(s, 1, 2)
        if (in_comment) {
            if (d == "*/") { in_comment = 0; out = out "  "; s = substr(s, 3) } else { out = out " "; s = substr(s, 2) }
        } else if (d == "/*") {
            in_comment = 1
            out = out "  "
            s = substr(s, 3)
        } else if (match(s, /^("([^"\\]|\\.)*"|'([^'\\]|\\.)*')/)) {
            out = out blank(RLENGTH)
            s = substr(s, RLENGTH + 1)
        } else {
            c = substr(s, 1, 1)
            out = out c
            s = substr(s, 2)
        }
    }
    return out
}

function found(column, from, to) { print FNR, column, length(from), to }

# Numbers, words and operators of one line.
function sites(s,   at, column, token, before) {
    for (at = 0; match(s, words); ) {
        column = at + RSTART
        token = substr(s, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(s, RSTART - 1, 1) : ""
        at += RSTART + RLENGTH - 1
        s = substr(s, RSTART + RLENGTH)
        if (token ~ /^[0-9]/) {
            number(column, token)
        } else if (token == "true") {
            found(column, token, "false")
        } else if (token == "false") {
            found(column, token, "true")
        } else if (token == "++" || token == "--") {
            found(column, token, token == "++" ? "--" : "++")
        } else if (token == "!") {
            found(column, token, "")
        } else if (before == " " && substr(s, 1, 1) == " " && token in other) {
            found(column, token, other[token])
        }
    }
}

# 0 becomes 1, 1 becomes 0 or 2, another number one more; 0.5 becomes 1.5.
function number(column, token,   digits) {
    if (token ~ /^0[xX]/ || !match(token, /^[0-9]+/)) return
    digits = substr(token, 1, RLENGTH)
    if (digits == "1") found(column, digits, "0")
    found(column, digits, digits + 1)
}

BEGIN {
    words = "[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.]*|<<=|>>=|->|[+][+]|--|<<|>>|&&|[|][|]|[-+*/%&|^<>=!]=|[-+*/%&|^<>=!]"
    n = split("< <= <= < > >= >= > == != != == + - - + * / / * % * && || || && & | | & ^ & << >> >> << " \
              "+= -= -= += *= /= /= *= &= |= |= &= ^= |=", pair, " ")
    for (i = 1; i < n; i += 2) other[pair[i]] = pair[i + 1]
}
{ line = code_of($0) }
/^#/ {
    if (/LEAT_CHECKS/) checks = 1
    if (/^#endif/ || /^#else/) checks = 0
    next
}
/^[a-z].*_check\(/ { invariants = 1 }
/^}/ { invariants = 0 }
checks || invariants || line ~ /assert\(/ { asserts = line !~ /;/ && line ~ /assert\(/; next }
asserts { asserts = line !~ /;/; next }
{ sites(line) }
