import { join } from "node:path";
import { saidOf, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { pythonClient } from "./clients.kit.ts";

export const pythonStatistics = join(pythonClient, "src/dosimeter/statistics.py");

const HEAD = `"""One function a statistic: a row of a plan, its settings typed. Written from the registry (test/python-statistics.test.ts)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn

from .amounts import Amount
from .plan import Statistic, row

Names = str | Sequence[str]
Price = Amount | None
Text = str | None
Edge = int | float | str | None
Noise = Literal["auto", "laplace", "gaussian"] | None
Keys = Literal["select"] | None
`;

/** Settings of every row, of those with bounds, of those whose groups may be found, and those that only some statistics take. */
const always = [
  "by: Names = ()",
  "where: Text = None",
  "epsilon: Price = None",
  "rho: Price = None",
  "id: Text = None",
];
const bounded = ["lower: Edge = None", "upper: Edge = None", "granularity: float | None = None"];
const found = [
  "keys: Keys = None",
  "keys_from: Text = None",
  "key_share: Price = None",
  "delta: Price = None",
  "at_least: int | None = None",
];
const own = {
  bins: "bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None",
  with: "with_: Names | None = None",
  valuesPerUnit: "values_per_unit: int | None = None",
  unitLower: "unit_lower: float | None = None",
  unitUpper: "unit_upper: float | None = None",
  quantiles: "quantiles: Sequence[float] | None = None",
  k: "k: int | None = None",
  weights: "weights: str | Mapping[str, float] | None = None",
  impossible: "impossible: str | Mapping[str, Any] | None = None",
  tables: "tables: str | Sequence[str | Sequence[str]] | None = None",
  numbers: 'numbers: Literal["whole"] | None = None',
} as const;

const nameOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What a line of Python holds. */
const WIDE = 128;

function filled(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = `${last} ${part},`;
    if (last === undefined || longer.length > WIDE) lines.push(`    ${part},`);
    else lines[lines.length - 1] = longer;
  }
  return lines.join("\n");
}

function functionOf(name: (typeof statisticNames)[number]): string {
  const { column, takes, label, help, table } = statisticOf(name);
  const reads = column === "none" ? [] : [column === "present" ? "column: Text = None" : "column: str"];
  const settings = [
    ...always,
    ...takes.map((field) => own[field]),
    ...(column === "numeric" || column === "binned" ? bounded : []),
    ...(table === undefined ? found : []),
    ...(table === undefined ? ["noise: Noise = None"] : []),
    "**wrong: NoReturn",
  ];
  const [said = ""] = /^.*?[.:;](?=\s|$)/.exec(help) ?? [help];
  const words = `${label[0]?.toUpperCase()}${label.slice(1)}. ${said.replace(/[:;]$/, ".")}`;
  return [
    `def ${nameOf(name)}(`,
    filled([...reads, "*", ...settings]),
    ") -> Statistic:",
    `    """${words}"""`,
    `    return row("${name}", locals())`,
  ].join("\n");
}

/** The module of Python, as the registry makes it. */
export function pythonModule(): string {
  const all = statisticNames.map((name) => `    "${nameOf(name)}",`).toSorted();
  const said = statisticNames.flatMap((name) => [
    ...(saidOf[name] ?? []).filter((word) => /^[a-z]+$/.test(word)).map((word) => [word, nameOf(name)] as const),
  ]);
  const words = said
    .filter(([word]) => !all.includes(`    "${word}",`))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([word, name]) => `"${word}": "${name}"`);
  return `${[
    `${HEAD}\n__all__ = [\n${all.join("\n")}\n]\n\nSAID = {\n${filled(words)}\n}\n"""What people call them."""`,
    ...statisticNames.map(functionOf),
  ].join("\n\n\n")}\n`;
}
