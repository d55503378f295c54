import { answer } from "./answer.ts";
import { bet } from "./bet.ts";
import { blocks } from "./blocks.ts";
import { composition } from "./composition.ts";
import { curve } from "./curve.ts";
import type { Figure } from "./figure.ts";
import { noise } from "./noise.ts";
import { quota } from "./quota.ts";
import { risk } from "./risk.ts";
import { synthetic } from "./synthetic.ts";

export type { Figure } from "./figure.ts";

/** Every live figure of the book. A page shows one by its still picture, `figures/<name>.svg`. */
export const figures = {
  answer,
  bet,
  noise,
  composition,
  quota,
  curve,
  risk,
  synthetic,
  blocks,
} as const satisfies Record<string, Figure>;

export const figureNamed = (name: string): Figure | undefined =>
  Object.hasOwn(figures, name) ? figures[name as keyof typeof figures] : undefined;
