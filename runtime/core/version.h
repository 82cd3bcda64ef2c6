/* version.h -- version of the command and of the runtime. */
#ifndef LEAT_CORE_VERSION_H
#define LEAT_CORE_VERSION_H
#define LEAT_VERSION "0.2.0"
#endif
