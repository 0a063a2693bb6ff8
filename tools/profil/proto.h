/* SPDX-License-Identifier: MIT */
/* The encoding of protocol buffers: numbers of seven bits a byte, lengths. */
#ifndef PROFIL_PROTO_H
#define PROFIL_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is written, in memory. */
struct out {
	unsigned char *data;
	size_t size, room;
};

void out_number(struct out *out, uint64_t number);
/* A field that is 0 is left out, as every writer does. */
void out_field(struct out *out, unsigned int field, uint64_t number);
void out_bytes(struct out *out, unsigned int field, const void *data,
	       size_t size);
/* A field of the bytes of message, which is empty again afterwards. */
void out_message(struct out *out, unsigned int field, struct out *message);

/* What is read; bad is set by what is damaged, and stays set. */
struct in {
	const unsigned char *at, *end;
	bool bad;
};

/* A field: with bytes, or (where they are NULL) with a number. */
struct field {
	unsigned int nr;
	uint64_t number;
	const unsigned char *bytes;
	size_t size;
};

uint64_t in_number(struct in *in);
/* The next field; false at the end, and at what is damaged. */
bool in_field(struct in *in, struct field *field);
/* The field's bytes as a message; bad where it has a number. */
struct in in_message(const struct field *field);
/*
 * The next number of a repeated field, which may be packed or not; at begins
 * as in_message() of a packed one, else as { NULL }.
 */
bool in_next(struct in *at, const struct field *field, uint64_t *number);

#endif /* PROFIL_PROTO_H */
