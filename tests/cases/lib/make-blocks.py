#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Makes tests/cases/lib/blocks.wrt.zst, a trace with the blocks of two launches by round numbers: 10 blocks on 3 SMs, two at once on one, and
# 3 blocks whose kernel is not in the trace.   python3 make-blocks.py blocks.wrt && zstd -19 --rm blocks.wrt
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
db.executescript("""
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.16.1');
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE WARPREEL_META (key TEXT NOT NULL, value TEXT);
CREATE TABLE WARPREEL_CLOCK (at INTEGER, deviceId INTEGER, smKilohertz INTEGER, memoryKilohertz INTEGER, skew INTEGER);
CREATE TABLE WARPREEL_BLOCK (launch INTEGER, correlationId INTEGER, globalPid INTEGER, deviceId INTEGER, kernel INTEGER, block INTEGER, sm INTEGER,
  "begin" INTEGER, "end" INTEGER, beginClock INTEGER, endClock INTEGER);
INSERT INTO StringIds VALUES (1, 'rbsor_tuned_f64'), (2, 'triad_f32');
INSERT INTO WARPREEL_META VALUES ('kind', 'recorded'), ('warpreel-trace-version', '1');
INSERT INTO WARPREEL_CLOCK VALUES (1, 0, 1000000, 3000000, 0);
""")
row = "INSERT INTO WARPREEL_BLOCK VALUES (?, NULL, 0, 0, ?, ?, ?, ?, ?, ?, ?)"
for block in range(10):
    sm, turn = block % 3, block // 6
    begin = 100 + 1000 * turn + 10 * (block % 6)
    end = begin + 900 + 10 * sm
    db.execute(row, (0, 1, block, sm, begin // 32 * 32, end // 32 * 32, begin + 7000 * sm, end + 7000 * sm))
for block in range(3):
    db.execute(row, (1, 2, block, block, 5000, 5500, None, None))
db.commit()
