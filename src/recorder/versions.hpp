#pragma once
// What glibc 2.34 moved into libc.so.6, by the names with which all before had it in libraries of its own, which
// lab/freehold_lab/advise/building.py links: so the recorder needs no newer glibc than 2.17.

asm(".symver dlopen, dlopen@GLIBC_2.2.5");
asm(".symver dlsym, dlsym@GLIBC_2.2.5");
asm(".symver pthread_key_create, pthread_key_create@GLIBC_2.2.5");
asm(".symver pthread_setspecific, pthread_setspecific@GLIBC_2.2.5");
