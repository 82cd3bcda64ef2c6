#!/usr/bin/env bash
# lua-count-hook-slows-each-instruction -- a hook that Lua never calls more than doubles the time of a script
#
# Programs that embed Lua limit scripts by lua_sethook() with LUA_MASKCOUNT: a function that is called every N
# instructions looks at the clock. With a large N it is called rarely, or never.
#
# Guess: a counter is decreased with each instruction, some percent at most, and less the larger N is. It was so in Lua
#        5.1, and newer versions are faster.
# Truth: with N = 1,000,000,000, so that the hook is not called once, the same loop takes as long as without a hook in
#        Lua 5.1, 1.3 times as long in 5.3, 2.3 times in 5.4 and 2.6 times in 5.5. With the hook, 5.4 and 5.5 are slower
#        than 5.1 is. LuaJIT does not slow down (and calls no hook in compiled code).
#
# Cause: since 5.4 a function runs with `trap` set while any hook by count or line is. Then each instruction calls
#        luaG_traceexec(), which saves the state before it decreases the counter.
# Cure:  set no hook at the start. A timer whose signal handler calls lua_sethook() with all masks and count 1, as lua.c
#        does for SIGINT, interrupts the script at its next instruction, and costs nothing before.
#
# Seen with: Lua 5.1, 5.2, 5.3, 5.4, 5.5 and LuaJIT 2.1 in lupa 2.8.
# Sources: Lua 5.4, lvm.c (vmfetch, updatetrap), ldebug.c (luaG_traceexec, lua_sethook); Lua 5.1, lvm.c (luaV_execute).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m pip install -q --disable-pip-version-check --target packages lupa==2.8 2>pip.log || { cat pip.log; exit 1; }
echo "lupa 2.8"
cat >times.py <<'PYTHON'
import importlib
import time

CODE = """function(n, hooked)
  if hooked then debug.sethook(function() called = true end, "", 1000000000) end
  local sum = 0
  for i = 1, n do sum = sum + i % 7 end
  debug.sethook()
  return called
end"""
WANTED = {"lua51": (0, 1.25), "lua54": (1.5, 9), "lua55": (1.5, 9), "luajit21": (0, 1.25)}
changed = False
for name in ("lua51", "lua52", "lua53", "lua54", "lua55", "luajit21"):
    run = importlib.import_module("lupa." + name).LuaRuntime().eval(CODE)
    least = {False: 1e9, True: 1e9}
    for _ in range(9):
        for hooked in least:
            start = time.process_time()
            assert not run(4_000_000, hooked), "the hook was called"
            least[hooked] = min(least[hooked], time.process_time() - start)
    ratio = least[True] / least[False]
    low, high = WANTED.get(name, (0, 9))
    print("%-9s %.3f s, with a hook that is never called %.3f s: %.2f times" % (name, *least.values(), ratio))
    if not low <= ratio <= high:
        print("    changed: it was between %g and %g" % (low, high))
        changed = True
raise SystemExit(changed)
PYTHON
PYTHONPATH=packages python3 times.py
