// SPDX-License-Identifier: MIT
/* Reading and writing the encoding of protocol buffers. */
#include <stdlib.h>
#include <string.h>

#include "proto.h"
#include "util.h"

enum wire { WIRE_NUMBER = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static void out_raw(struct out *out, const void *data, size_t size)
{
	if (out->size + size > out->room) {
		unsigned char *old = out->data;

		out->room = 2 * (out->size + size) + 64;
		out->data = xmalloc(out->room);
		if (out->size)
			memcpy(out->data, old, out->size);
		free(old);
	}
	if (size)
		memcpy(out->data + out->size, data, size);
	out->size += size;
}

void out_number(struct out *out, uint64_t number)
{
	unsigned char bytes[10];
	size_t nr = 0;

	while (number > 0x7f) {
		bytes[nr++] = (number & 0x7f) | 0x80;
		number >>= 7;
	}
	bytes[nr++] = number;
	out_raw(out, bytes, nr);
}

void out_field(struct out *out, unsigned int field, uint64_t number)
{
	if (!number)
		return;
	out_number(out, field << 3 | WIRE_NUMBER);
	out_number(out, number);
}

void out_bytes(struct out *out, unsigned int field, const void *data,
	       size_t size)
{
	out_number(out, field << 3 | WIRE_BYTES);
	out_number(out, size);
	out_raw(out, data, size);
}

void out_message(struct out *out, unsigned int field, struct out *message)
{
	out_bytes(out, field, message->data, message->size);
	message->size = 0;
}

uint64_t in_number(struct in *in)
{
	uint64_t number = 0;
	unsigned int shift;

	for (shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		unsigned char byte = *in->at++;

		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	in->bad = true;
	return 0;
}

static const unsigned char *in_skip(struct in *in, uint64_t size)
{
	const unsigned char *from = in->at;

	if (size > (size_t)(in->end - in->at)) {
		in->bad = true;
		return NULL;
	}
	in->at += size;
	return from;
}

bool in_field(struct in *in, struct field *field)
{
	uint64_t tag, size;

	while (!in->bad && in->at < in->end) {
		tag = in_number(in);
		if (in->bad || !(tag >> 3) || tag >> 32)
			break;
		*field = (struct field){ .nr = tag >> 3 };
		switch (tag & 7) {
		case WIRE_NUMBER:
			field->number = in_number(in);
			return !in->bad;
		case WIRE_BYTES:
			size = in_number(in);
			if (in->bad)
				return false;
			field->bytes = in_skip(in, size);
			field->size = size;
			return !in->bad;
		case WIRE_64:
			in_skip(in, 8);
			break;
		case WIRE_32:
			in_skip(in, 4);
			break;
		default:
			in->bad = true;
		}
	}
	if (in->at < in->end)
		in->bad = true;
	return false;
}

struct in in_message(const struct field *field)
{
	struct in in = { field->bytes, NULL, !field->bytes };

	if (field->bytes)
		in.end = field->bytes + field->size;
	return in;
}

bool in_next(struct in *at, const struct field *field, uint64_t *number)
{
	if (!field->bytes) {
		*number = field->number;
		at->at = at->at ? NULL : (const unsigned char *)"";
		return at->at;
	}
	if (at->bad || at->at == at->end)
		return false;
	*number = in_number(at);
	return !at->bad;
}
