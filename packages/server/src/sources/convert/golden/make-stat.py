"""Writes people.* of this folder: `python3 make-stat.py`, with pyreadstat 1.3.7 and pandas 3.1.1."""
import datetime as d
import numpy as np
import pandas as pd
import pyreadstat

people = pd.DataFrame({
    "person": ["a", "b", "ü😀", ""],
    "age": np.array([31, 99, -1, 0], dtype=float),
    "sex": np.array([1, 2, 9, np.nan], dtype=float),
    "income": [0.1, 1e9 + 0.25, -3.5, np.nan],
    "born": [d.date(1960, 1, 1), d.date(2024, 2, 29), None, d.date(1899, 12, 31)],
    "seen": [d.datetime(2024, 3, 15, 10, 30, 15), d.datetime(1969, 12, 31, 23, 59, 59), None, d.datetime(9999, 12, 31, 23, 59, 59)],
    "story": ["x" * 600, 'say "y",\nz', "", "end" * 100],
})
labels = ["Who", "Age", "Sex at \x07birth", "Income", "Born", "Seen", "Story"]
values = {"sex": {1: "male", 2: "female", 9: "no answer"}, "age": {-1: "refused"}}
spss = {"column_labels": labels, "variable_value_labels": values, "variable_measure": {"sex": "nominal", "age": "scale"},
        "missing_ranges": {"age": [-1], "sex": [{"lo": 8, "hi": 9}]}, "variable_format": {"age": "F3.0"}}
pyreadstat.write_sav(people, "people.sav", **spss)
pyreadstat.write_sav(people, "people-rows.sav", row_compress=True, **spss)
pyreadstat.write_sav(people, "people.zsav", compress=True, **spss)
short = people.drop(columns=["story"])
short["person"] = ["a", "b", "c", ""]
pyreadstat.write_xport(short, "people-5.xpt", column_labels=labels[:-1], file_format_version=5)
long = short.rename(columns={"income": "income_of_the_household"})
pyreadstat.write_xport(long, "people-8.xpt", column_labels=[f"{one}, of which this label says more than forty letters" for one in labels[:-1]], file_format_version=8)
stata = people.copy()
stata["sex"] = pd.Series([1, 2, "a", np.nan], dtype=object)
stata_values = {"sex": {1: "male", 2: "female", "a": "no answer"}, "age": {-1: "refused"}}
pyreadstat.write_dta(stata, "people-118.dta", version=14, column_labels=labels, variable_value_labels=stata_values, missing_user_values={"sex": ["a"]})
stata["person"] = ["a", "b", "c", ""]
pyreadstat.write_dta(stata.drop(columns=["story"]), "people-113.dta", version=8, column_labels=labels[:-1], variable_value_labels=stata_values, missing_user_values={"sex": ["a"]})
kinds = pd.DataFrame({
    "b": np.array([1, 100, -127], dtype=np.int8), "i": np.array([1, 32740, -5], dtype=np.int16),
    "l": np.array([1, 2147483620, -5], dtype=np.int32), "f": np.array([0.1, 1e30, np.nan], dtype=np.float32),
    "d": [0.1, np.nan, -1e21], "c": pd.Categorical(["lo", "hi", "lo"]), "st": ["l" * 3000, "", "q"],
    **{unit: pd.to_datetime(["1960-01-01", "2024-02-29", None]) for unit in ("tw", "tm", "tq", "th", "ty")},
})
units = {unit: unit for unit in ("tw", "tm", "tq", "th", "ty")}
for version, order in ((117, "big"), (119, "little")):
    kinds.to_stata(f"kinds-{version}.dta", version=version, write_index=False, convert_dates=units, convert_strl=["st"], byteorder=order)
kinds.drop(columns=["st"]).to_stata("kinds-114.dta", version=114, write_index=False, convert_dates=units, byteorder="big")
