"""A histogram by OpenDP, a mean by diffprivlib and counts by Dosimeter: one account pays for all three."""

import csv
import hashlib
import sys
from pathlib import Path

import diffprivlib
import opendp.prelude as dp

import dosimeter
from dosimeter.outside import REPLACE, opendp
from dosimeter.outside.diffprivlib import DosimeterAccountant

table, permit_file = sys.argv[1:]
with open(table, newline="") as file:
    rows = list(csv.DictReader(file))
penguins = dosimeter.connect().dataset("penguins")
SPECIES = ["Adelie", "Chinstrap", "Gentoo"]


def left(what: str) -> None:
    print(f"{what}; left: ε = {penguins.budget().epsilon.left}")


dp.enable_features("contrib")
unit = dp.unit_of(contributions=2)  # one penguin replaced is one row that leaves and one that comes
context = opendp.context(
    penguins,
    [row["species"] for row in rows],
    unit,
    domain=dp.vector_domain(dp.atom_domain(T=str)),
    relation=REPLACE,
    key="histogram",
    purpose="Which species there are",
)
*counts, _ = context.query(epsilon=0.3).count_by_categories(SPECIES).laplace().release()
left(f"OpenDP: {dict(zip(SPECIES, counts))}")

with DosimeterAccountant(penguins, key="mass", purpose="How heavy they are") as accountant:
    grams = [float(row["mass_g"]) for row in rows]
    mass = float(diffprivlib.tools.mean(grams, epsilon=0.3, bounds=(2000, 7000)))
left(f"diffprivlib: {mass:.0f} g")
permit = accountant.run.permits[0]
permit.evidence(sha256=hashlib.sha256(f"{mass:.0f}".encode()).hexdigest())
Path(permit_file).write_text(permit.text)

release = penguins.release(dosimeter.statistic("count", by="island", epsilon="0.3"), key="islands")
islands = {cell.group["island"]: cell.value for cell in release[0].cells}
left(f"Dosimeter: {islands}")

try:
    context.query(epsilon=0.2).count().laplace().release()
except dosimeter.DosimeterError as full:
    print(f"OpenDP again, ε = 0.2: refused, {full.code}. At most ε = {full.largest_epsilon} fits.")
