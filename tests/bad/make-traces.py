#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the malformed traces beside it (trace-*). They are kept in the repository; this says how each came to be.

The good trace they start from has two launches of one kernel, as Nsight Systems would export it.
"""
import os
import sqlite3
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "TARGET_INFO_GPU": "vmId INTEGER, id INTEGER, name TEXT",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,"
                                   " nameId INTEGER, returnValue INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
                                  " correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER,"
                                  " gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER",
}
PID = 77 << 24
ROWS = {
    "StringIds": [(0, ""), (1, "scale"), (2, "cudaLaunchKernel_v7000")],
    "META_DATA_EXPORT": [("EXPORT_SCHEMA_VERSION", "3.16.1")],
    "TARGET_INFO_GPU": [(0, 0, "GPU")],
    "CUPTI_ACTIVITY_KIND_RUNTIME": [(100, 110, 0, PID | 77, 1, 2, 0), (120, 130, 0, PID | 77, 2, 2, 0)],
    "CUPTI_ACTIVITY_KIND_KERNEL": [(150, 200, 0, 1, 7, 1, PID, 1, 1, 8, 1, 1, 128, 1, 1), (210, 260, 0, 1, 7, 2, PID, 1, 1, 8, 1, 1, 128, 1, 1)],
}
KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"


def path_of(name):
    return os.path.join(HERE, "trace-" + name)


def make(name, after="", without=(), page_size=512):
    path = path_of(name)
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size=%d" % page_size)
    for table, columns in TABLES.items():
        if table in without:
            continue
        db.execute("CREATE TABLE %s (%s)" % (table, columns))
        for row in ROWS[table]:
            db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)
    db.executescript(after)
    db.commit()
    db.close()
    return path


def edit(path, change):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data = change(data) or data
    with open(path, "wb") as file:
        file.write(data)


def root_page(path, table):
    db = sqlite3.connect(path)
    page = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
    db.close()
    return page


def compress(path, data):
    subprocess.run(["zstd", "-q", "-f", "-19", "-o", path], input=bytes(data), check=True)


def sqlite_header(page_count):
    head = bytearray(100)
    head[0:16] = b"SQLite format 3\0"
    head[16:18] = (4096).to_bytes(2, "big")
    head[18:24] = bytes([1, 1, 0, 64, 32, 32])
    head[24:28] = head[92:96] = (1).to_bytes(4, "big")
    head[28:32] = page_count.to_bytes(4, "big")
    return head


def cycle(data, page, size):
    """Page `page` becomes an inner page whose children are itself: a few bytes, rows without end."""
    at = (page - 1) * size
    data[at:at + 12] = bytes([5, 0, 0, 0, 2]) + (size - 20).to_bytes(2, "big") + bytes([0]) + page.to_bytes(4, "big")
    for i in range(2):  # so are two more
        data[at + 12 + 2 * i:at + 14 + 2 * i] = (size - 20 + 10 * i).to_bytes(2, "big")
        data[at + size - 20 + 10 * i:at + size - 15 + 10 * i] = page.to_bytes(4, "big") + bytes([i + 1])


good = make("good.sqlite")
with open(good, "rb") as file:
    good_bytes = file.read()
os.unlink(good)

edit(make("truncated.sqlite"), lambda data: data[:len(data) // 2])
compress(path_of("truncated.sqlite.zst"), good_bytes)
edit(path_of("truncated.sqlite.zst"), lambda data: data[:len(data) // 2])
with open(path_of("text.sqlite"), "w") as file:
    file.write("This is a text file with a name that promises something else.\n" * 4)
open(path_of("empty.sqlite"), "w").close()
db_path = path_of("foreign.sqlite")
if os.path.exists(db_path):
    os.unlink(db_path)
db = sqlite3.connect(db_path)
db.executescript("PRAGMA page_size=512; CREATE TABLE bookmarks (url TEXT, title TEXT); INSERT INTO bookmarks VALUES ('a', 'b');")
db.close()
compress(path_of("bomb-zeros.sqlite.zst"), bytes(64 << 20))
compress(path_of("bomb-declared.sqlite.zst"), sqlite_header(1 << 30) + bytes(32 << 20))
compress(path_of("bomb-silent.sqlite.zst"), sqlite_header(4) + bytes(32 << 20))
make("schema-4.sqlite", "UPDATE META_DATA_EXPORT SET value = '4.0.0'")
make("version-99.sqlite", "CREATE TABLE WARPREEL_META (key TEXT, value TEXT);"
     "INSERT INTO WARPREEL_META VALUES ('warpreel-trace-version', '99')")
make("view.sqlite", "CREATE VIEW %s AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start, i AS end,"
     " 0 AS deviceId FROM n" % KERNEL, without=(KERNEL,))
make("computed-column.sqlite", "DROP TABLE %s; CREATE TABLE %s (start INTEGER, end INTEGER AS (length(zeroblob(1000000000))));"
     "INSERT INTO %s (start) VALUES (1)" % (KERNEL, KERNEL, KERNEL))
make("missing-column.sqlite", "ALTER TABLE %s DROP COLUMN streamId" % KERNEL)
make("text-in-number.sqlite", "UPDATE %s SET start = 'soon' WHERE correlationId = 2" % KERNEL)
make("number-too-large.sqlite", "UPDATE %s SET gridX = 99999999999 WHERE correlationId = 2" % KERNEL)
make("dangling-string.sqlite", "UPDATE %s SET shortName = 4000" % KERNEL)
cyclic = make("page-cycle.sqlite")
edit(cyclic, lambda data: cycle(data, root_page(cyclic, KERNEL), 512))
garbage = make("garbage-page.sqlite")
page = root_page(garbage, KERNEL)


def spoil(data):
    for i in range(512):
        data[(page - 1) * 512 + i] = (i * 73 + 41) & 255


edit(garbage, spoil)
# These are read; `warpreel check` counts what is wrong, and they do not replay.
make("end-before-start.sqlite", "UPDATE %s SET end = 100 WHERE correlationId = 2" % KERNEL)
make("unknown-stream.sqlite", "UPDATE %s SET streamId = NULL WHERE correlationId = 2" % KERNEL)
make("unknown-gpu.sqlite", "UPDATE %s SET deviceId = 70000 WHERE correlationId = 2" % KERNEL)
make("call-ends-before-start.sqlite", "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = 100 WHERE correlationId = 2")
make("far-future.sqlite", "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = 4000000000000000000 WHERE correlationId = 2")
make("no-calls.sqlite", without=("CUPTI_ACTIVITY_KIND_RUNTIME",))
