import { answer, noise, synthetic } from "./answers.ts";
import { blocks } from "./blocks.ts";
import { composition } from "./composition.ts";
import type { Figure } from "./figure.ts";
import { bet, curve, risk } from "./loss.ts";
import { quota } from "./quota.ts";

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
