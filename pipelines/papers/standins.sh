# shellcheck shell=bash
# standins.sh -- makes data from a seed, with the shape of missing data sets. The drivers in this folder source it.
#
# The bytes are the same with every awk: the generator is minimal standard (48271 mod 2^31 - 1).

random='
    function uniform() { state = (state * 48271) % 2147483647; return state / 2147483647 }
    function normal(  i, s) { s = -6; for (i = 0; i < 12; i++) s += uniform(); return s }
    BEGIN { state = 20180819 }
'

# ratings_like N USERS ITEMS: prints "user item rating time" with tabs. Few users and items are in most rows. A rating
# is a mean, a bias of user and item, the match of three hidden traits, and noise.
ratings_like() {
    awk -v OFS='\t' -v n="$1" -v users="$2" -v items="$3" "$random"'BEGIN {
        for (u = 1; u <= users; u++) { a[u] = 0.45 * normal(); for (k = 0; k < 3; k++) p[u, k] = normal() }
        for (i = 1; i <= items; i++) { b[i] = 0.5 * normal(); for (k = 0; k < 3; k++) q[i, k] = normal() }
        for (t = 0; t < n; t++) {
            u = 1 + int(users * uniform() ^ 2); i = 1 + int(items * uniform() ^ 3)
            r = 3.55 + a[u] + b[i] + 0.85 * normal()
            for (k = 0; k < 3; k++) r += 0.2 * p[u, k] * q[i, k]
            r = int(r + 0.5); if (r < 1) r = 1; else if (r > 5) r = 5
            print u, i, r, t
        } }'
}

# classes_like N FEATURES ENTRIES: prints libsvm, rows of length 1. Ten hidden traits make values whose spectrum falls.
# A row has all features (ENTRIES = FEATURES), or that many of value 1, the first features often. The label comes from a
# line and a product of traits; one in twenty is flipped.
classes_like() {
    awk -v n="$1" -v d="$2" -v entries="$3" "$random"'BEGIN {
        for (k = 0; k < 10; k++) for (j = 1; j <= d; j++) load[k, j] = normal() / (1 + k)
        for (t = 0; t < n; t++) {
            length2 = 0; row = ""
            for (k = 0; k < 10; k++) z[k] = normal()
            s = z[0] + 0.7 * z[1] - 0.5 * z[2] + 0.8 * z[1] * z[2]
            y = (s > 0) == (uniform() > 0.05) ? "+1" : "-1"
            for (j = 1; j <= d; j++) {
                x[j] = 0; for (k = 0; k < 10; k++) x[j] += z[k] * load[k, j]
                x[j] += uniform() - 0.5
                if (entries < d) x[j] = x[j] > 1.2 && uniform() < 3 * entries / d * (1 - j / d) * 2
                length2 += x[j] * x[j]
            }
            if (length2 == 0) { x[1] = 1; length2 = 1 }
            for (j = 1; j <= d; j++) if (x[j] != 0) row = row sprintf(" %d:%.4g", j, x[j] / sqrt(length2))
            print y row
        } }'
}

# documents_like N FEATURES ENTRIES: prints libsvm, rows of length 1. Feature i comes with a frequency near 1/i. One
# feature in five prefers rows of one label. One label in twenty is flipped. Repeated entries count once.
documents_like() {
    awk -v n="$1" -v d="$2" -v entries="$3" "$random"'
        function drawn(y,  i) { # draws a feature for a row of label y
            do {
                i = int(exp(log(d + 1) * uniform())); if (i > d) i = d
                if (!(i in lean)) lean[i] = uniform() < 0.2 ? 2 * normal() : 0
            } while (uniform() > 1 / (1 + exp(-y * lean[i])))
            return i
        }
        BEGIN {
            for (t = 0; t < n; t++) {
                y = uniform() < 0.5 ? 1 : -1; delete has; k = 0; length2 = 0; row = ""
                for (j = 0; j < entries; j++) {
                    i = drawn(y)
                    if (i in has) continue
                    id[++k] = i; has[i] = 0.2 + log(i) / log(d); length2 += has[i] ^ 2
                }
                for (j = 1; j <= k; j++) row = row sprintf(" %d:%.4g", id[j], has[id[j]] / sqrt(length2))
                print (uniform() < 0.05 ? -y : y) row
            }
        }'
}

# streams_like N ITEMS: prints CSV "item,label" of two streams, labelled 1 and -1; chance decides the stream of each
# entry. Item i comes with a frequency near 1/i. The log of its ratio between the streams has a Laplace distribution of
# scale 1/2.
streams_like() {
    awk -v n="$1" -v d="$2" "$random"'BEGIN {
        print "item,label"
        for (t = 0; t < n; t++) {
            i = int(exp(log(d + 1) * uniform())); if (i > d) i = d
            if (!(i in ratio)) { u = uniform() - 0.5; ratio[i] = u < 0 ? 0.5 * log(1 + 2 * u) : -0.5 * log(1 - 2 * u) }
            print i "," (uniform() < 1 / (1 + exp(-ratio[i])) ? 1 : -1)
        } }'
}

# text_like N WORDS: prints N sentences of 20 words. Word i comes with a frequency near 1/i. One word in ten has a
# companion, which follows it one time in four, and seldom comes alone.
text_like() {
    awk -v n="$1" -v d="$2" "$random"'BEGIN {
        for (t = 0; t < n; t++) {
            row = ""
            for (j = 0; j < 20; j++) {
                i = int(exp(log(d + 1) * uniform())); if (i > d) i = d
                row = row " w" i
                if (i % 10 == 7 && uniform() < 0.25) { row = row " c" i; j++ }
            }
            print substr(row, 2)
        } }'
}

# product_like LEFT RIGHT COLUMNS RANK NOISE: prints libsvm, a column pair a line, features of the right side after
# those of the left. Each side is a diagonal of RANK, RANK - 1, …, 1. Random plane rotations spread it until one entry
# in a hundred is not 0. NOISE=1 adds as many uniform entries.
product_like() {
    awk -v left="$1" -v right="$2" -v n="$3" -v rank="$4" -v noise="$5" "$random"'
    function put(i, j, x) {
        if (!((i, j) in v)) { in_row[i, ++rows[i]] = j; in_column[j, ++columns[j]] = i; entries++ }
        v[i, j] = x
    }
    function turn(i, j, p, q,  x, y) { # entries (i, j) and (p, q)
        x = v0(i, j); y = v0(p, q)
        if (x == 0 && y == 0) return
        put(i, j, c * x - s * y); put(p, q, s * x + c * y)
    }
    function v0(i, j) { return (i, j) in v ? v[i, j] : 0 }
    function rotate(a, b, turned,  k, na, nb) { # turns entries of only b after those of a
        na = turned ? columns[a] : rows[a]; nb = turned ? columns[b] : rows[b]
        delete done
        for (k = 1; k <= na; k++) line[k] = turned ? in_column[a, k] : in_row[a, k]
        for (k = 1; k <= nb; k++) line[na + k] = turned ? in_column[b, k] : in_row[b, k]
        for (k = 1; k <= na + nb; k++) if (!(line[k] in done)) {
            done[line[k]]; if (turned) turn(line[k], a, line[k], b); else turn(a, line[k], b, line[k])
        }
    }
    function side(m, first,  i, j, k, t, a, b, angle) {
        delete v; delete rows; delete columns; delete in_row; delete in_column; entries = 0
        for (k = 1; k <= rank; k++) put(k, k, rank - k + 1)
        for (t = 0; entries < m * n / 100; t++) {
            angle = 6.283185307179586 * uniform(); c = cos(angle); s = sin(angle)
            a = 1 + int((t % 2 ? n : m) * uniform()); b = 1 + int((t % 2 ? n : m) * uniform())
            if (a != b) rotate(a, b, t % 2)
        }
        for (k = 0; noise && k < m * n / 100; k++) {
            i = 1 + int(m * uniform()); j = 1 + int(n * uniform()); put(i, j, v0(i, j) + uniform())
        }
        for (j = 1; j <= n; j++) for (k = 1; k <= columns[j]; k++)
            text[j] = text[j] " " (first + in_column[j, k]) ":" sprintf("%.7g", v[in_column[j, k], j])
    }
    BEGIN { side(left, 0); side(right, left); for (j = 1; j <= n; j++) print "1" text[j] }'
}
