/* no_symbol.c -- a shared object without a plugin's symbol. */
__attribute__((visibility("default"))) int not_a_plugin(void);

int not_a_plugin(void) { return 42; }
