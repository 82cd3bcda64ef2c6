# The page of a run at work (--http), in a browser. Without Chromium it only tests that it is one piece.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
awk 'BEGIN { srand(3); print "y,a,b"; for (i = 0; i < 30000; i++) { a = int(rand() * 20); printf "%d,a%d,<i>b%d</i>\n",
    rand() < a / 20, a, rand() * 30 } print "1" }' >rows.csv
cat >page.lua <<'LUA'
--- Which <b>markup</b> pays?

local leat = require "leat"
return leat.pipeline "page<script>document.title='taken'</script>" {
  leat.source.file { path = "rows.csv", follow = true },
  leat.parse.csv {}, leat.label.is { column = "y", positive = "1" }, leat.feature.columns { "a", "b" },
  leat.learn.awm { id = "model", budget = "16KB" },
  leat.sink.top { k = 30, path = "top.out", title = "What pays & what \"not\"" },
  dead_letters = "bad.jsonl",
}
LUA
leat_start page.lua --quiet --http :0
has_url() {
    url=$(sed -n 's/^leat: watch this run at //p' "$err")
    [[ $url ]]
}
until_true has_url
learned() { [[ $(curl -gs "${url}top/model?n=1" | jq .examples) == 30000 ]]; }
until_true learned
curl -gs "$url" >page.html
claim "its figures say where dead letters are" equal "$(curl -gs "${url}status" | jq -r .dead_letters_to)" bad.jsonl
claim "the page is there" grep -q '</html>' page.html
claim "it loads nothing from elsewhere" sh \
    -c "! grep -qiE '<script [^>]*src|<link|<img|<iframe|url\(|@import|https?://' page.html"
claim "it sets no markup from data" sh \
    -c "! grep -qE 'innerHTML|outerHTML|insertAdjacent|document.write|eval\(' page.html"
claim "and may load nothing" grep -qi "^Content-Security-Policy: default-src 'none'" <(curl -gsi "$url")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [[ $browser ]]; then
    # Twice two seconds pass for the page, so that it has looked again. Seconds of the machine are another matter.
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$tmp/profile" \
        --virtual-time-budget=6000 --dump-dom "$url" >dom.html 2>browser.log
    has() { grep -qF -- "$1" dom.html || { echo "the page lacks: $1"; head -c 3000 dom.html; return 1; }; }
    claim "the state" has '<span class="state" id="state">running</span>'
    claim "the question, as text" has '<h1 id="title">Which &lt;b&gt;markup&lt;/b&gt; pays?</h1>'
    claim "records" has '<b>30,001</b><span>records</span>'
    claim "rejected ones" has '<b>1</b><span>rejected</span>'
    claim "the graph" has \
        '<div class="node">columns<small>feature.columns</small><small>30,000 in, 30,000 out</small></div>'
    claim "threads, and how they spend their time" has '<i class="starved" style="width:'
    claim "the learner's loss" has '<td class="name">model</td><td>learn.awm</td><td class="n">30,000</td>'
    claim "the answer, under its title" has '<h2>What pays &amp; what "not"</h2>'
    claim "a feature with its bar" grep \
        -qE '<td class="name">a=a0</td><td><div class="bar"><i class="blocked" style="width: 100(\.0)?%' dom.html
    claim "names that are markup are text" has '<td class="name">b=&lt;i&gt;b'
    claim "nothing of it ran" sh -c "! grep -q '<title>taken' dom.html"
    claim "where dead letters are" has '<b>1</b><span>dead letters in bad.jsonl</span>'
    claim "under their reasons, too" has '<p>All of them are in bad.jsonl.</p>'
    claim "reasons of rejections" has '<td>fields</td><td class="n">1</td>'
else
    skip "a browser shows the page" "there is no chromium"
fi
leat_stop
claim_exit "the run ends" 0
done_claims
