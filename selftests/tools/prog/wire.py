# SPDX-License-Identifier: MIT
"""The wire format of a profile, read and written without any of profil's code."""


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    at = 0
    while at < len(data):
        tag, at = number(data, at)
        if tag & 7 == 0:
            value, at = number(data, at)
        else:
            assert tag & 7 == 2, tag
            size, at = number(data, at)
            value = data[at:at + size]
            assert len(value) == size
            at += size
        yield tag >> 3, value


def packed(data):
    """A list of numbers, or one that stands alone."""
    if not isinstance(data, bytes):
        yield data
        return
    at = 0
    while at < len(data):
        value, at = number(data, at)
        yield value


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def put_number(field, value):
    return varint(field << 3) + varint(value)


def put_data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value
