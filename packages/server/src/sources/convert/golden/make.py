"""Writes the files of this folder: `python3 make.py`, with openpyxl 3.1.5 and pyarrow 26.0.1."""
import datetime as d
import decimal
import zipfile
import openpyxl
from openpyxl.utils.datetime import CALENDAR_MAC_1904
import pyarrow as pa
import pyarrow.feather as feather

def altered(name: str, part: str, change, source: str = "visits-1900.xlsx") -> None:
    """A workbook with one part changed."""
    with zipfile.ZipFile(source) as old:
        parts = [(entry, old.read(entry)) for entry in old.namelist()]
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as new:
        for entry, text in parts:
            new.writestr(entry, change(text.decode()).encode() if entry == part else text)


BOOK = "xl/workbook.xml"
SHEET = "xl/worksheets/sheet2.xml"


for system in (1900, 1904):
    book = openpyxl.Workbook()
    if system == 1904:
        book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    sheet.title = "Visits"
    sheet.append(["person", "cost in €", "seen", "arrived", "clock", "open", "note", "ratio"])
    sheet.append(["a", 12.5, d.date(2024, 2, 29), d.datetime(2024, 3, 15, 10, 30, 15), d.time(9, 5), True, 'say "x", y\nz', 0.1 + 0.2])
    sheet.append(["b", 1e21, d.date(1904, 1, 2), d.datetime(9999, 12, 31, 23, 59, 59), d.time(23, 59, 59), False, None, 1e-7])
    sheet.append([None] * 8)
    sheet.append(["ü😀", -3, None, None, None, None, "", 9007199254740993])
    sheet.append(["#N/A", "=1+1", d.date(2100, 1, 1), None, None, None, "#N/A", None])
    sheet["G6"].data_type = "e"
    other = book.create_sheet("Other")
    other.append(["n"])
    other.append([1])
    hidden = book.create_sheet("Hidden", 0)
    hidden.sheet_state = "hidden"
    hidden.append(["secret"])
    book.active = 1
    book.save(f"visits-{system}.xlsx")
    if system == 1900:
        altered("formula-without-value.xlsx", BOOK, lambda text: text)
    # As Excel saves it: a formula with its value, and no need to compute it.
    for part, given, saved in ((SHEET, "<f>1+1</f><v />", "<f>1+1</f><v>2</v>"), (BOOK, ' fullCalcOnLoad="1"', "")):
        altered(f"visits-{system}.xlsx", part, lambda text: text.replace(given, saved), f"visits-{system}.xlsx")

zone = d.timezone.utc
table = pa.table({
    "person": pa.array(["a", None, "", "ü😀"]).dictionary_encode(),
    "id": pa.array([2**63 - 1, -2**63, None, 0], pa.int64()),
    "u": pa.array([2**64 - 1, 0, None, 1], pa.uint64()),
    "small": pa.array([-128, 127, None, 0], pa.int8()),
    "x": pa.array([0.1, 1e-7, None, -0.0], pa.float64()),
    "price": pa.array([decimal.Decimal("12.50"), decimal.Decimal("-0.05"), None, decimal.Decimal("99999999999999999999999999999999999.99")], pa.decimal128(38, 2)),
    "wide": pa.array([decimal.Decimal(10) ** 70, None, decimal.Decimal(-1), decimal.Decimal(0)], pa.decimal256(76, 0)),
    "seen": pa.array([d.date(2024, 2, 29), d.date(1, 1, 1), None, d.date(9999, 12, 31)], pa.date32()),
    "day": pa.array([d.date(2024, 2, 29), d.date(1969, 12, 31), None, d.date(1970, 1, 1)], pa.date64()),
    "arrived": pa.array([d.datetime(2024, 3, 15, 10, 30, 15, 250000), d.datetime(1969, 12, 31, 23, 59, 59), None, d.datetime(9999, 12, 31, 23, 59, 59)], pa.timestamp("us")),
    "instant": pa.array([1710498615123456789, -1, None, 0], pa.timestamp("ns", "Europe/Berlin")),
    "clock": pa.array([d.time(9, 5), d.time(23, 59, 59), None, d.time(0, 0)], pa.time64("us")),
    "open": pa.array([True, False, None, True]),
    "none": pa.nulls(4),
    "long": pa.array(["x,y", 'a"b', None, "l1\nl2"], pa.large_string()),
})
many = pa.concat_tables([table.slice(0, 2), table.slice(2, 2)])
feather.write_feather(many, "visits-lz4.feather", chunksize=2)
feather.write_feather(many, "visits-zstd.feather", compression="zstd", chunksize=2)
feather.write_feather(many, "visits-plain.feather", compression="uncompressed")
with pa.ipc.new_stream("visits-stream.arrows", many.schema) as out:
    out.write_table(many, max_chunksize=2)
nested = pa.table({"a": pa.array([1]), "many things": pa.array([[1, 2]])})
feather.write_feather(nested, "nested.feather")


bomb = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
altered("entities.xlsx", SHEET, lambda text: bomb + text.replace("<v>-3</v>", "<v>&b;</v>"))
altered("names-of-cells.xlsx", SHEET, lambda text: text.replace('r="A2"', 'r="ZZZ2"'))
altered("wide-row.xlsx", SHEET, lambda text: text.replace('r="B3"', 'r="J3"'))
# Written by a library that computes nothing, which says so: 2 need not be the value.
altered("formula-to-compute.xlsx", BOOK, lambda text: text.replace("<calcPr ", '<calcPr fullCalcOnLoad="1" '))
altered("formula-of-no-text.xlsx", SHEET, lambda text: text.replace('r="B6"><f>1+1</f><v>2</v>', 'r="B6" t="str"><f>""</f><v></v>'))
altered("text-that-is-not-there.xlsx", SHEET, lambda text: text.replace('<c r="B3" t="n"><v>1e+21</v>', '<c r="B3" t="s"><v>999</v>'))
altered("number-that-is-none.xlsx", SHEET, lambda text: text.replace("<v>-3</v>", "<v>three</v>"))
altered("merged.xlsx", SHEET, lambda text: text.replace("</sheetData>", '</sheetData><mergeCells count="1"><mergeCell ref="A3:A5" /></mergeCells>'))
with zipfile.ZipFile("no-workbook.xlsx", "w") as other:
    other.writestr("hello.txt", "hello")
empty = openpyxl.Workbook()
empty.save("empty.xlsx")


# pandas 3 with odfpy 1.4.1: an OpenDocument spreadsheet.
import pandas

visits = pandas.DataFrame({
    "person": ["a", "b", "ü😀"],
    "cost in €": [12.5, 1e21, None],
    "seen": [d.date(2024, 2, 29), d.date(1904, 1, 2), None],
    "arrived": [d.datetime(2024, 3, 15, 10, 30, 15), None, d.datetime(9999, 12, 31, 23, 59, 59)],
    "open": pandas.array([True, None, False], dtype=object),
    "note": ['say "x", y', "two\nlines", None],
})
with pandas.ExcelWriter("visits.ods", engine="odf", date_format="YYYY-MM-DD") as out:
    visits.to_excel(out, sheet_name="Visits", index=False)
    pandas.DataFrame({"n": [1]}).to_excel(out, sheet_name="Other", index=False)
