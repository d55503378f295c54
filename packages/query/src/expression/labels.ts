import { invalid } from "@dosimeter/core";
import { type Code, JOINT, partOf } from "../declaration/code.ts";
import { formulaText } from "../declaration/formula.ts";
import { compare, constantOf } from "./arithmetic.ts";
import {
  alike,
  MAX_PARTS,
  merged,
  NOTHING,
  type Node,
  type NumberNode,
  type Place,
  shared,
  type TextNode,
} from "./node.ts";

export const MAX_LABELS = 10_000;

export const MAX_JOINED = 8;

/** The most stored texts that one joined text may use, counted through all nesting, which bounds its length. [M123] */
const MAX_STORED = 8;

/**
 * The interval between edges that holds the number, as a text such as "18–29" or "[0.5, 1)"; every number is in one.
 */
export function bucket(value: NumberNode, edges: readonly NumberNode[], place: Place): TextNode {
  const [node, ...starts] = shared([value, ...edges], place) as readonly [NumberNode, ...NumberNode[]];
  starts.forEach((edge, index) => {
    constantOf(edge, `${place.path}.of[${index + 1}]`);
    const before = starts[index - 1];
    if (before !== undefined && edge.least <= before.least)
      invalid(`${place.path}.of[${index + 1}]`, formulaText(place.formula), "edges in rising order");
  });
  const at = (edge: NumberNode): string =>
    String(Number(edge.least * edge.step.numerator) / Number(edge.step.denominator));
  const whole = node.step.denominator === 1n;
  const labels = starts.map((edge, index) => {
    const next = starts[index + 1];
    if (next === undefined) return `${at(edge)}+`;
    const last = { ...next, least: next.least - 1n };
    if (whole) return at(edge) === at(last) ? at(edge) : `${at(edge)}–${at(last)}`;
    return `[${at(edge)}, ${at(next)})`;
  });
  const values = [`under ${at(starts[0] ?? node)}`, ...labels];
  const text = (label: string): Code => ({ do: "constant", value: label, type: "text" });
  const code = starts.reduce<Code>(
    (rest, edge, index) => ({
      do: "if",
      condition: { do: "compare", op: ">=", a: node.code, b: edge.code },
      yes: text(labels[index] ?? ""),
      no: rest,
    }),
    text(values[0] ?? ""),
  );
  const whenMissing: Code = {
    do: "if",
    condition: { do: "missing", a: node.code },
    yes: { do: "constant", value: null, type: "text" },
    no: code,
  };
  return { type: "text", code: node.nullable ? whenMissing : code, values, nullable: node.nullable, stored: 0 };
}

/** map(column, from, to, from, to, …, otherwise): without `otherwise` all other values become missing. */
export function mapped(parts: readonly Node[], place: Place): Node {
  const { path } = place;
  const [value, ...rest] = parts;
  if (value === undefined || rest.length < 2)
    return invalid(path, parts.length, "a value and pairs of texts: map(region, 'a', 'north')");
  const pairs = Array.from(
    { length: Math.floor(rest.length / 2) },
    (_, index) => [rest[2 * index], rest[2 * index + 1]] as const,
  );
  const otherwise = rest.length % 2 === 1 ? rest.at(-1) : undefined;
  const results = alike([...pairs.map(([, to]) => to ?? NOTHING), otherwise ?? NOTHING], place);
  const last = results.at(-1) ?? NOTHING;
  const code = pairs.reduceRight<Code>((no, [from], index) => {
    if (from?.code.do !== "constant")
      return invalid(`${path}.of[${2 * index + 1}]`, formulaText(place.formula), "a constant");
    const condition = compare("=", [value, from], place).code;
    return { do: "if", condition, yes: results[index]?.code ?? last.code, no };
  }, last.code);
  return merged(
    results,
    code,
    results.some(({ nullable }) => nullable),
  );
}

/**
 * Several values as one text, so that key selection can find groups of several columns. Its values are declared when
 * all its parts have few declared values.
 */
export function joined(parts: readonly Node[], place: Place): TextNode {
  const texts = parts.map((part, index) => asPart(part, `${place.path}.of[${index}]`));
  const stored = texts.reduce((sum, text) => sum + text.stored, 0);
  if (stored > MAX_STORED)
    invalid(
      place.path,
      formulaText(place.formula),
      `at most ${MAX_STORED} stored texts joined, those within parts too`,
    );
  const values = texts.reduce<readonly string[] | null>((heads, { values: tails }, index) => {
    if (heads === null || tails === null || heads.length * tails.length > MAX_PARTS) return null;
    return index === 0 ? tails : heads.flatMap((head) => tails.map((tail) => `${head}${JOINT}${tail}`));
  }, []);
  return {
    type: "text",
    code: { do: "join", of: texts.map(({ code }) => code) },
    values,
    nullable: texts.some(({ nullable }) => nullable),
    stored,
  };
}

/** A part of a joined text, cut, with its bars doubled: different parts make different texts. */
function asPart(node: Node, path: string): TextNode {
  const { nullable } = node;
  switch (node.type) {
    case "text":
      return { ...node, code: { do: "part", a: node.code }, values: node.values?.map(partOf) ?? null };
    case "boolean": {
      const yes: Code = { do: "constant", value: "true", type: "text" };
      const no: Code = { do: "constant", value: "false", type: "text" };
      const code: Code = { do: "if", condition: node.code, yes, no };
      const none: Code = { do: "constant", value: null, type: "text" };
      const whole: Code = { do: "if", condition: { do: "missing", a: node.code }, yes: none, no: code };
      return { type: "text", code: nullable ? whole : code, values: ["false", "true"], nullable, stored: 0 };
    }
    case "number": {
      const { step, least, largest } = node;
      if (step.denominator !== 1n)
        return invalid(path, "a fraction", "a text, true or false, or whole numbers: use floor");
      const times = step.numerator;
      const count = largest - least + 1n;
      const values =
        count > BigInt(MAX_LABELS)
          ? null
          : Array.from({ length: Number(count) }, (_, at) => String((least + BigInt(at)) * times));
      return { type: "text", code: { do: "digits", a: node.code, times }, values, nullable, stored: 0 };
    }
    case "date":
      return invalid(path, "date", "a text, true or false, or whole numbers: use year(…) and month(…)");
    case "nothing":
      return invalid(path, "nothing", "a text, true or false, or a whole number");
  }
}
