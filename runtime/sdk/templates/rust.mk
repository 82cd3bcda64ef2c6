# make: builds mystage.so. make test: tests it. make install: installs it for this user's leat.
LEAT   ?= leat
RUSTC  ?= rustc
RUSTFLAGS ?= -O -g
FLAGS  := --edition 2021 --crate-type cdylib --crate-name mystage -C panic=abort
HERE   := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/leat/plugins

mystage.so: $(wildcard *.rs)
	$(RUSTC) $(FLAGS) $(RUSTFLAGS) -o $@.new mystage.rs
	mv $@.new $@

test: mystage.so
	LEAT=$(LEAT) ./test.sh

install: mystage.so
	install -D -m 644 mystage.so $(HERE)/mystage.so

clean:
	rm -f mystage.so

.PHONY: test install clean
