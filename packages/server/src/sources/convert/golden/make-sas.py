"""Writes sas.json, what pyreadstat 1.3.7 reads of the SAS files here. Which real files they are, packed with gzip -9n:

sas-dates: tests/testthat/sas/datetime of tidyverse/haven (MIT). sas-labels: tests/testthat/sas/hadley of the same.
sas-runs: mix_and_missing, sas-wide: date_format_datetime, sas-deleted: comp_deleted of epam/parso (Apache-2.0).
sas-patterns: test/data_reikoch/binary, sas-foreign: test/data_misc/types of tk3369/SASLib.jl (MIT).
"""

import gzip, json, math, pathlib, tempfile
import pyreadstat

said = {}
for packed in sorted(pathlib.Path(__file__).parent.glob("sas-*.sas7bdat.gz")):
    with tempfile.NamedTemporaryFile(suffix=".sas7bdat") as file:
        file.write(gzip.decompress(packed.read_bytes()))
        file.flush()
        table, meta = pyreadstat.read_sas7bdat(file.name)

    def cell(value):
        if value is None or value != value:
            return None
        if hasattr(value, "isoformat"):
            return value.isoformat()[:19]
        return value if isinstance(value, str) else float(value)

    rows = [[cell(value) for value in row] for row in table.astype(object).itertuples(index=False)]
    labels = [label or "" for label in meta.column_labels]
    said[packed.name] = {"names": meta.column_names, "labels": labels, "count": len(rows), "rows": rows[:4] + rows[-2:]}
lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(of, ensure_ascii=False)}" for name, of in said.items())
pathlib.Path(__file__).with_name("sas.json").write_text(f"{{\n{lines}\n}}\n")
