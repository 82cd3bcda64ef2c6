LIBS := -lsimdjson -lisal -Wl,--as-needed -lstdc++
