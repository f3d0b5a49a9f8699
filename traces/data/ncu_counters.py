#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts hardware counters that Nsight Compute took into kernel profiles that have none.

    ncu --cache-control none --clock-control none --metrics $(traces/data/ncu_counters.py --metrics) -o REPORT PROGRAM...
    ncu --import REPORT --page raw --csv --print-units base >COUNTERS.csv
    traces/data/ncu_counters.py PROFILE.wrt.zst OUT.wrt COUNTERS.csv...
    warpreel profile --join -o PROFILE.wrt.zst OUT.wrt

A launch is found by kernel, grid and block. Of sweeps in turn (mlssor, paths from 500000 on are backward) the first such launch
is forward, the second backward.
"""
import csv
import sqlite3
import subprocess
import sys

COUNTERS = {
    'l1LoadSectors': ['l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', 'l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum'],
    'l1LoadHits': ['l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum', 'l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum'],
    'l1StoreSectors': ['l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum', 'l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum'],
    'l2ReadSectors': ['lts__t_sectors_srcunit_tex_op_read.sum'],
    'l2ReadHits': ['lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum'],
    'l2WriteSectors': ['lts__t_sectors_srcunit_tex_op_write.sum'],
    'l2WriteHits': ['lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum'],
    'l2AtomicSectors': ['lts__t_sectors_srcunit_tex_op_red.sum', 'lts__t_sectors_srcunit_tex_op_atom.sum'],
    'dramReadBytes': ['dram__bytes_read.sum'],
    'dramWriteBytes': ['dram__bytes_write.sum'],
}


def three(text):
    return tuple(int(n) for n in text.strip('() ').replace('x', ',').split(','))


def counted(files):
    """(kernel, grid, block) to the counters of its launches, in order."""
    launches = {}
    for name in files:
        with open(name, newline='') as file:
            for row in csv.DictReader(line for line in file if not line.startswith('==')):
                if not row['ID']:  # units
                    continue
                values = {}
                for column, metrics in COUNTERS.items():
                    have = [row[m].replace(',', '') for m in metrics if row.get(m)]
                    if have:
                        values[column] = round(sum(map(float, have)))
                key = row['Kernel Name'].split('(')[0], three(row['Grid Size']), three(row['Block Size'])
                launches.setdefault(key, []).append(values)
    return launches


def checksum(db, table):
    """As traces/format/trace_seal.c has it."""
    total = 0xcbf29ce484222325

    def add(data):
        nonlocal total
        for byte in data:
            total = (total ^ byte) * 0x100000001b3 & (1 << 64) - 1

    for row in db.execute(f'SELECT * FROM "{table}"'):
        for value in row:
            if isinstance(value, int):
                add((1).to_bytes(8, 'little') + (value & (1 << 64) - 1).to_bytes(8, 'little'))
            elif value is None:
                add((5).to_bytes(8, 'little'))
            else:
                data = value.encode()
                add((3).to_bytes(8, 'little') + len(data).to_bytes(8, 'little') + data)
    return f'{total:016x}'


def main():
    if sys.argv[1:] == ['--metrics']:
        print(','.join(m for metrics in COUNTERS.values() for m in metrics))
        return
    profile, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    launches = counted(files)
    with open(out, 'wb') as file:
        file.write(subprocess.run(['zstd', '-dcq', profile], check=True, stdout=subprocess.PIPE).stdout)
    db = sqlite3.connect(out)
    names = dict(db.execute('SELECT id, value FROM StringIds'))
    found = missing = 0
    rows = list(db.execute('SELECT id, kernel, path, gridX, gridY, gridZ, blockX, blockY, blockZ, l2ReadSectors FROM WARPREEL_PROFILE'))
    for number, kernel, path, *shape, has in rows:
        like = launches.get((names[kernel], tuple(shape[:3]), tuple(shape[3:])), [])
        backward = path % 1000000 >= 500000
        if has is not None or len(like) <= backward:
            missing += has is None
            continue
        values = like[backward]
        db.execute('UPDATE WARPREEL_PROFILE SET ' + ', '.join(f'{c} = ?' for c in values) + ' WHERE id = ?', [*values.values(), number])
        found += 1
    db.execute("UPDATE WARPREEL_TABLES SET checksum = ? WHERE name = 'WARPREEL_PROFILE'", [checksum(db, 'WARPREEL_PROFILE')])
    db.commit()
    print(f'{profile}: {found} of {len(rows)} profiles have counters now, {missing} still have none')


main()
