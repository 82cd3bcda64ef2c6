# Promises of leat_start to other scripts: signals end the run, and its messages are its own.
. "$(dirname "$0")/../support/claims.sh"
cd "$tmp" || exit 1
cat >endless.lua <<'LUA'
local leat = require "leat"
return leat.pipeline "endless" { leat.source.null { records = 0, text = "a" }, leat.parse.lines {}, leat.sink.null {} }
LUA

echo "said before" | tee "$out" >"$err"
codes=""
for _ in {1..10}; do
    leat_start endless.lua --quiet
    leat_stop
    codes+=$status
done
claim "SIGTERM at once ends the run, and not the process" equal "$codes" 0000000000
claim "nothing is left of what was said before" sh -c '! grep "said before" "$0" "$1"' "$out" "$err"
leat_start missing.lua
leat_end
claim_exit "what cannot start has ended" 2
claim_says "and said why" missing.lua
leat_start endless.lua --quiet
kill -KILL "$pid"
leat_end
claim_exit "a run that was killed has its exit code" 137
done_claims
