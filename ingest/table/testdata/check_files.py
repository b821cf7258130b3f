"""Reads files of tailpath with PyArrow, pandas and DuckDB and compares every cell.

usage: check_files.py DIRECTORY

DIRECTORY holds TABLE.parquet and TABLE.arrows for every table, and expected.json:
{"TABLE": {"columns": [[name, kind], ...], "rows": [[cell, ...], ...]}}. A cell is
null, a number, a string, the 16 hexadecimal digits of a double, or, of a map, a list
of [key, type, str, int, double].
"""

import json
import math
import struct
import sys

import duckdb
import pandas
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

directory = sys.argv[1]
faults = []


def double(value):
    """Spells a double; every NaN alike, since not every reader keeps its bits."""
    if value is None:
        return None
    return "nan" if math.isnan(value) else struct.pack(">d", value).hex()


def entries(pairs):
    """Spells a map given as (key, value) pairs."""
    return [[k, v["type"], v["str"], v["int"], double(v["double"])] for k, v in pairs]


def compare(reader, table, columns, rows, got):
    """Compares rows of cells with those expected."""
    if len(got) != len(rows):
        faults.append(f"{reader}: {table}: {len(got)} rows, not {len(rows)}")
    for i, (want_row, got_row) in enumerate(zip(rows, got)):
        for (name, _), want, have in zip(columns, want_row, got_row):
            if want != have:
                faults.append(f"{reader}: {table}: row {i}: {name}: {have!r}, not {want!r}")


def arrow_cells(column, kind):
    if kind == "timestamp":
        assert column.type == pyarrow.timestamp("ns", tz="UTC"), column.type
        column = column.cast(pyarrow.int64())
    values = column.to_pylist()
    if kind == "id":
        return [None if v is None else v.hex() for v in values]
    if kind == "double":
        return [double(v) for v in values]
    if kind == "map":
        return [entries(v) for v in values]
    return values


def check_arrow(reader, name, columns, rows, table):
    table.validate(full=True)
    assert [c for c, _ in columns] == table.column_names, table.column_names
    got = [arrow_cells(table[c], kind) for c, kind in columns]
    compare(reader, name, columns, rows, list(map(list, zip(*got))))
    for field in table.schema:
        assert field.metadata[b"doc"], field
        if field.name.endswith("_ns"):
            assert field.metadata[b"unit"] == b"ns", field
    assert table.schema.metadata[b"tailpath.table"] == name.encode()


def check_pandas(name, columns, rows, path):
    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    got = []
    for column, kind in columns:
        values = [None if kind != "map" and pandas.isna(v) and kind != "double" else v for v in frame[column].tolist()]
        if kind == "timestamp":
            values = [None if v is None else v.value for v in values]
        elif kind == "id":
            values = [None if v is None else v.hex() for v in values]
        elif kind == "double":
            values = [None if v is pandas.NA else double(v) for v in values]
        elif kind == "map":
            values = [entries(v) for v in values]
        got.append(values)
    compare("pandas", name, columns, rows, list(map(list, zip(*got))))


def check_duckdb(name, columns, rows, path):
    spelled = {"timestamp": "epoch_ns({})", "id": "lower(hex({}))", "map": "map_entries({})"}
    select = ", ".join(spelled.get(kind, "{}").format(f'"{column}"') for column, kind in columns)
    got = []
    for row in duckdb.execute(f"select {select} from read_parquet(?)", [path]).fetchall():
        cells = list(row)
        for i, (_, kind) in enumerate(columns):
            if kind == "double":
                cells[i] = double(cells[i])
            elif kind == "map":
                cells[i] = entries((e["key"], e["value"]) for e in cells[i])
        got.append(cells)
    compare("duckdb", name, columns, rows, got)

    # A filter is answered from statistics where they allow it: no row may be lost.
    for i, (column, kind) in enumerate(columns):
        if kind in ("number", "text"):
            for value in {row[i] for row in rows}:
                want = sum(row[i] == value for row in rows)
                have = duckdb.execute(f'select count(*) from read_parquet(?) where "{column}" is not distinct from ?', [path, value]).fetchone()[0]
                if want != have:
                    faults.append(f"duckdb: {name}: {have} rows where {column} is {value!r}, not {want}")
        if kind == "map":
            for key in {e[0] for row in rows for e in row[i]}:
                want = [next((e[2] for e in row[i] if e[0] == key), None) for row in rows]
                have = [r[0] for r in duckdb.execute(f'select "{column}"[?].str from read_parquet(?)', [key, path]).fetchall()]
                if want != have:
                    faults.append(f"duckdb: {name}: {column}[{key!r}].str is {have}, not {want}")


with open(f"{directory}/expected.json", encoding="utf-8") as f:
    expected = json.load(f)
for name, content in expected.items():
    columns, rows = content["columns"], content["rows"] or []
    parquet = f"{directory}/{name}.parquet"
    check_arrow("pyarrow parquet", name, columns, rows, pyarrow.parquet.read_table(parquet))
    check_arrow("pyarrow ipc", name, columns, rows, pyarrow.ipc.open_stream(f"{directory}/{name}.arrows").read_all())
    check_pandas(name, columns, rows, parquet)
    check_duckdb(name, columns, rows, parquet)
for fault in faults[:20]:
    print(fault)
print(f"{sum(len(c['rows'] or []) for c in expected.values())} rows of {len(expected)} tables, {len(faults)} faults")
sys.exit(1 if faults else 0)
