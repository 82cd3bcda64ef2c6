LIBS := -lsimdjson -Wl,--as-needed -lstdc++
