import type { Scene } from "./scene/scene.ts";
import { textWidth } from "./scene/text.ts";

/** Widths are those of the widest face. */
const SLACK = 3;

/** The words that leave a picture; those that lean are not measured. */
export function wordsOutside({ width, height, nodes }: Scene): readonly string[] {
  const found: string[] = [];
  const look = (all: Scene["nodes"], [dx, dy]: readonly [number, number]): void => {
    for (const { tag, attributes, children } of all) {
      const transform = String(attributes.transform ?? "");
      if (transform.includes("rotate")) continue;
      const [, x = "0", y = "0"] = /translate\(([-\d.]+) ?([-\d.]+)?/.exec(transform) ?? [];
      const at = [dx + Number(x), dy + Number(y)] as const;
      if (tag !== "text") {
        look(
          children.filter((child) => typeof child !== "string"),
          at,
        );
        continue;
      }
      const text = children.map((child) => (typeof child === "string" ? child : child.children.join(""))).join("");
      const size = Number(attributes["font-size"]);
      const wide = textWidth(text, size);
      const anchor = attributes["text-anchor"] ?? "start";
      const left = at[0] + Number(attributes.x ?? 0) - (anchor === "end" ? wide : anchor === "middle" ? wide / 2 : 0);
      const base = at[1] + Number(attributes.y ?? 0);
      const isInside = left >= -0.5 && left + wide <= width + SLACK && base - 0.7 * size >= -1 && base <= height + 0.5;
      if (!isInside) found.push(`${text} at ${left}, ${base} of ${width} by ${height}`);
    }
  };
  look(nodes, [0, 0]);
  return found;
}
