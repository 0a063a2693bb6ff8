/* SPDX-License-Identifier: MIT */
/* How a thread entered the kernel, by the instruction before its pc. */
#ifndef PROFIL_ENTRY_H
#define PROFIL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENTRY_CODE	64	/* bytes before the pc that are looked at */

/* Do the n bytes before the pc end with an instruction of a system call? */
bool entry_is_syscall(uint16_t machine, const unsigned char *code, size_t n);

/* The number of the system call that the n bytes end with, or -1. */
int entry_number(uint16_t machine, const unsigned char *code, size_t n);

/* entry.c calls these for EM_AARCH64. */
bool entry_is_syscall_arm64(const unsigned char *code, size_t n);
int entry_number_arm64(const unsigned char *code, size_t n);

#endif /* PROFIL_ENTRY_H */
