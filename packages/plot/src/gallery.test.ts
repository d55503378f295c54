import { expect, test } from "vitest";
import { gallery } from "./gallery.kit.ts";
import { toCsv, toSvg, toTable, walk } from "./index.ts";
import { textWidth } from "./scene/text.ts";

const sizes = [340, 720];
const cases = Object.keys(gallery).flatMap((name) => sizes.map((width) => ({ name, width })));

function draw(name: string, width: number, heading = true) {
  const make = gallery[name];
  if (make === undefined) throw new Error(`no chart ${name}`);
  return make({ width, heading });
}

test.each(cases)("$name at $width px looks as reviewed", async ({ name, width }) => {
  await expect(toSvg(draw(name, width).scene)).toMatchFileSnapshot(`../test/snapshots/${name}-${width}.svg`);
});

test.each(Object.keys(gallery))("%s has a table twin and a sentence", (name) => {
  const chart = draw(name, 720);
  expect(chart.summary).toMatch(/^[\s\S]{10,}\.$/);
  expect(chart.summary).not.toMatch(/NaN|undefined|Infinity/);
  expect(chart.table.rows.length).toBeGreaterThan(0);
  for (const row of chart.table.rows) expect(row).toHaveLength(chart.table.columns.length);
  expect(`${toTable(chart)}\n\n${toCsv(chart)}`).toMatchSnapshot();
});

test.each(cases)("no word of $name at $width px leaves the picture", ({ name, width }) => {
  const { scene } = draw(name, width);
  for (const { edge, text } of unturnedWords(scene.nodes, 0)) {
    expect(edge.left, text).toBeGreaterThanOrEqual(0);
    expect(edge.right, text).toBeLessThanOrEqual(scene.width + 0.5);
  }
});

test.each(cases)("every coordinate of $name at $width px is finite", ({ name, width }) => {
  for (const node of walk(draw(name, width).scene.nodes)) {
    for (const value of Object.values(node.attributes)) expect(String(value)).not.toMatch(/NaN|Infinity/);
  }
});

test("a fixed theme needs no CSS variables, so that any renderer can draw it", () => {
  for (const theme of ["light", "dark"] as const)
    expect(toSvg(draw("rows", 720).scene, { theme })).not.toContain("var(");
});

test("markup in names is text, never markup", () => {
  const svg = toSvg(draw("rows", 720).scene);
  expect(svg).toContain("Doctorate &amp; &lt;more&gt;");
  expect(svg).not.toContain("<more>");
});

type Nodes = ReturnType<typeof draw>["scene"]["nodes"];

function* unturnedWords(
  nodes: Nodes,
  shift: number,
): Generator<{ text: string; edge: { left: number; right: number } }> {
  for (const node of nodes) {
    const transform = String(node.attributes.transform ?? "");
    if (transform.includes("rotate")) continue;
    const offset = shift + Number(/translate\(([-\d.]+)/.exec(transform)?.[1] ?? 0);
    if (node.tag === "text") {
      const text = node.children.map((child) => (typeof child === "string" ? child : child.children.join(""))).join("");
      const width = textWidth(text, Number(node.attributes["font-size"]));
      const anchor = node.attributes["text-anchor"] ?? "start";
      const left =
        offset + Number(node.attributes.x) - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0);
      yield { text, edge: { left, right: left + width } };
    } else {
      yield* unturnedWords(
        node.children.filter((child) => typeof child !== "string"),
        offset,
      );
    }
  }
}
