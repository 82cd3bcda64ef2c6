# shellcheck shell=bash
# fit.sh -- the best fixed linear model of some examples, by another method than leat's: L-BFGS in awk.
#
# It works over the whole data. recovery.sh and regret.sh source it.

# fit LOSS LAMBDA [TOLERANCE]: reads libsvm lines on standard input. Prints the w of the least mean of loss(w'x, y) +
# lambda/2 |w|^2, as lines "feature weight". LOSS is logistic or squared, (w'x - y)^2, and y is 1 or -1. It ends when
# the gradient is TOLERANCE (1e-5) of the first one. It also ends after 300 steps, and then says so.
fit() {
    awk -v loss="$1" -v lambda="$2" -v tolerance="${3:-1e-5}" '
        # Computes the cost at w, and its gradient in g. exp(m) cannot overflow at margins of real data.
        function cost(w, g,  t, e, z, y, c, slope) {
            c = 0
            for (e = 1; e <= d; e++) { g[e] = lambda * w[e]; c += lambda / 2 * w[e] * w[e] }
            for (t = 1; t <= n; t++) {
                z = 0; y = label[t]
                for (e = first[t]; e < first[t + 1]; e++) z += w[id[e]] * x[e]
                if (loss == "squared") { c += (z - y) ^ 2 / n; slope = 2 * (z - y) / n }
                else {
                    c += (y * z < -500 ? -y * z : log(1 + exp(-y * z))) / n
                    slope = -y / (1 + (y * z > 500 ? 1e200 : exp(y * z))) / n
                }
                for (e = first[t]; e < first[t + 1]; e++) g[id[e]] += slope * x[e]
            }
            return c
        }
        function dot(a, b,  e, s) { for (e = 1; e <= d; e++) s += a[e] * b[e]; return s }
        function direction(  i, j, k, e, a, b, scale) { # p = -H g by the last steps S and changes Y of the gradient
            for (e = 1; e <= d; e++) p[e] = -g[e]
            for (i = steps; i > steps - 8 && i > 0; i--) {
                k = i % 8; a = 0
                for (e = 1; e <= d; e++) a += S[k, e] * p[e]
                alpha[k] = a / sy[k]
                for (e = 1; e <= d; e++) p[e] -= alpha[k] * Y[k, e]
            }
            if (steps) { k = steps % 8; for (e = 1; e <= d; e++) p[e] *= sy[k] / yy[k] }
            for (i = steps > 8 ? steps - 7 : 1; i <= steps; i++) {
                k = i % 8; b = 0
                for (e = 1; e <= d; e++) b += Y[k, e] * p[e]
                for (e = 1; e <= d; e++) p[e] += (alpha[k] - b / sy[k]) * S[k, e]
            }
        }
        function step(  e, k, slope, size, c) { # goes along p, halved until the cost falls enough; 0 if it never falls
            slope = dot(g, p)
            for (size = 1; size > 1e-10; size /= 2) {
                for (e = 1; e <= d; e++) next_w[e] = w[e] + size * p[e]
                c = cost(next_w, next_g)
                if (c <= now + 1e-4 * size * slope) break
            }
            if (size <= 1e-10) return 0
            k = ++steps % 8; sy[k] = yy[k] = 0
            for (e = 1; e <= d; e++) {
                S[k, e] = next_w[e] - w[e]; Y[k, e] = next_g[e] - g[e]
                sy[k] += S[k, e] * Y[k, e]; yy[k] += Y[k, e] ^ 2
                w[e] = next_w[e]; g[e] = next_g[e]
            }
            now = c
            return sy[k] > 0
        }
        {
            label[++n] = $1 > 0 ? 1 : -1; first[n] = entries + 1
            for (i = 2; i <= NF; i++) {
                split($i, v, ":")
                if (!(v[1] in index_of)) { index_of[v[1]] = ++d; name[d] = v[1]; w[d] = 0 }
                id[++entries] = index_of[v[1]]; x[entries] = v[2] + 0
            }
        }
        END {
            first[n + 1] = entries + 1
            now = cost(w, g); from = sqrt(dot(g, g))
            while (sqrt(dot(g, g)) > tolerance * from) {
                if (steps == 300) { print "fit: 300 steps were not enough" >"/dev/stderr"; break }
                direction()
                if (!step()) break
            }
            for (e = 1; e <= d; e++) printf "%s %.9g\n", name[e], w[e]
        }'
}
