#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# How the malformed pictures here were made: python3 tests/bad/make-pictures.py
import os, struct, zlib

folder = os.path.dirname(os.path.abspath(__file__))

def chunk(kind, data, wrong=0):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) ^ wrong)

def png(name, width, height, depth, kind, rows, extra=b"", wrong=0, cut=None):
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
    data += extra + chunk(b"IDAT", zlib.compress(rows), wrong) + chunk(b"IEND", b"")
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data[:cut])

grey = b"".join(b"\0" + bytes(range(8)) for _ in range(8))
png("picture-16-bit.png", 4, 8, 16, 0, grey)
png("picture-palette.png", 8, 8, 8, 3, grey, chunk(b"PLTE", bytes(range(24))))
png("picture-giant.png", 1 << 20, 1 << 20, 8, 0, b"\0")
png("picture-no-columns.png", 0, 8, 8, 0, b"\0" * 8)
png("picture-wrong-sum.png", 8, 8, 8, 0, grey, wrong=1)
png("picture-truncated.png", 8, 8, 8, 0, grey, cut=50)
png("picture-see-through.png", 2, 1, 8, 4, b"\0\x80\xff\x80\x7f")
for name, text in (("picture-short.pgm", b"P5\n9 9\n255\n1234"), ("picture-16-bit.pgm", b"P5\n1 1\n65535\n12"),
                   ("picture-giant.ppm", b"P6\n99999 99999\n255\n"), ("picture-no-height.ppm", b"P3\n7"),
                   ("picture-word.pgm", b"P2\n2 1\n255\n1 one\n"), ("picture-text.png", b"no picture at all\n")):
    with open(os.path.join(folder, name), "wb") as out:
        out.write(text)
