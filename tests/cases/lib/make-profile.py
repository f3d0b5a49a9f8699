#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes profile.wrt.zst beside it: kernel profiles by hand, real instructions with invented counts, which no GPU ever had.

`toy`: blocks of two warps load, pass values through shared memory with bank conflicts four times round a loop, store every other word; once
with 8 blocks, once with 800. `odd`: one instruction that no decoder knows, and no counters.
"""
import os
import sqlite3
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOY = [  # low, high, text, runs a warp, threads a warp and run
    (0x0000000000067919, 0x000E220000002500, "S2R R6, SR_CTAID.X", 1, 32),
    (0x000000060A087981, 0x000EA2000C1E1B00, "LDG.E.64 R8, desc[UR6][R10.64]", 1, 32),
    (0x0000000A09007388, 0x0041E80000000A00, "STS.64 [R9], R10", 1, 32),
    (0x0000000000007B1D, 0x000FEC0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0", 1, 32),
    (0x00039000090C7984, 0x000E220000000A00, "LDS.64 R12, [R9+0x390]", 4, 32),
    (0x0000000A070A7221, 0x001FC40000000000, "FADD R10, R7, R10", 4, 32),
    (0xFFFFFFFC00D00947, 0x000FEA000383FFFF, "@P0 BRA 0x40", 4, 24),
    (0x0000000802007986, 0x0001E2000C101B06, "@!P1 STG.E.64 desc[UR6][R2.64], R8", 1, 28),
    (0x000000000000794D, 0x000FEA0003800000, "EXIT", 1, 32),
    (0xFFFFFFFC00FC7947, 0x000FC0000383FFFF, "BRA 0x90", 0, 0),
]
ODD = [
    (0x0000000000067FFF, 0x000E220000002500, "QUUX.64 R6, [R2+0x10]", 1, 32),
    (0x000000000000794D, 0x000FEA0003800000, "EXIT", 1, 32),
]
# sectors and lines of global memory, wavefronts of shared memory, a run of a warp: actual, ideal
GLOBAL = {1: (16, 8, 4), 7: (14, 7, 4)}
SHARED = {2: (2, 2), 4: (8, 2)}
STRINGS = ["", "toy", "_Z3toyPf", "odd", "_Z3oddv"]
PROFILE = ("id version kernel symbol isa path gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory registersPerThread"
           " rows columns points l1LoadSectors l1LoadHits l1StoreSectors l2ReadSectors l2ReadHits l2WriteSectors l2WriteHits l2AtomicSectors"
           " dramReadBytes dramWriteBytes")
COUNT = ("profile offset warps threads sectorsGlobal sectorsGlobalIdeal tagsGlobal sectorsLocal wavefrontsShared wavefrontsSharedIdeal")


def signed(word):
    return word - (1 << 64) if word >> 63 else word


def columns(names):
    return ", ".join('"%s"' % name for name in names.split())


def fill(db):
    def insert(table, row):
        db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)

    db.executescript("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT); CREATE TABLE WARPREEL_META (key TEXT, value TEXT);"
                     "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT);"
                     "CREATE TABLE WARPREEL_PROFILE (%s); CREATE TABLE WARPREEL_PROFILE_CODE (symbol, offset, codeLow, codeHigh, text);"
                     "CREATE TABLE WARPREEL_PROFILE_COUNT (%s);" % (columns(PROFILE), columns(COUNT)))
    insert("META_DATA_EXPORT", ("EXPORT_SCHEMA_VERSION", "3.16.1"))
    insert("WARPREEL_META", ("warpreel-trace-version", "1"))
    insert("WARPREEL_META", ("command", "made by hand, not recorded"))
    for item in enumerate(STRINGS):
        insert("StringIds", item)
    for symbol, code in ((2, TOY), (4, ODD)):
        for place, (low, high, text, _, _) in enumerate(code):
            insert("WARPREEL_PROFILE_CODE", (symbol, 16 * place, signed(low), signed(high), text))
    for number, blocks in ((1, 8), (2, 800)):
        warps = 2 * blocks
        insert("WARPREEL_PROFILE", (number, 1, 1, 2, "sm_90", None, blocks, 1, 1, 64, 1, 1, 1024, 0, 20, blocks, 64, 64 * blocks,
                                    16 * warps, 4 * warps, 14 * warps, 12 * warps, 6 * warps, 14 * warps, 14 * warps, 0, 192 * warps, None))
        for place, (_, _, _, runs, threads) in enumerate(TOY):
            if runs:
                actual, ideal, tags = GLOBAL.get(place, (0, 0, 0))
                waves, best = SHARED.get(place, (0, 0))
                insert("WARPREEL_PROFILE_COUNT", (number, 16 * place, runs * warps, runs * threads * warps, actual * warps, ideal * warps,
                                                  tags * warps, 0, waves * runs * warps, best * runs * warps))
    insert("WARPREEL_PROFILE", (3, 1, 3, 4, "sm_90", 2, 1, 1, 1, 32, 1, 1, 0, 4096, 8, 0, 0, 0) + (None,) * 10)
    for place, (_, _, _, runs, threads) in enumerate(ODD):
        insert("WARPREEL_PROFILE_COUNT", (3, 16 * place, runs, runs * threads) + (None,) * 6)


def make(path, page_size):
    if os.path.exists(path):
        os.unlink(path)
    base = sqlite3.connect(path)
    base.execute("PRAGMA page_size=%d" % page_size)
    fill(base)
    base.commit()
    base.close()
    return path


make(os.path.join(HERE, "..", "..", "corpus", "profile.sqlite"), 512)  # a seed for fuzzing: small, and not compressed
plain = make(os.path.join(HERE, "profile.wrt"), 4096)
subprocess.check_call(["zstd", "-q", "-19", "-f", "--rm", plain, "-o", plain + ".zst"])
