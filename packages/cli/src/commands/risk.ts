import type { Command } from "commander";
import type { Context } from "../program.ts";
import { defineBudget } from "../risk/budget.ts";
import { defineCompose } from "../risk/compose.ts";
import { defineCurve } from "../risk/curve.ts";
import { defineSensitivity } from "../risk/sensitivity.ts";

/** `dosimeter risk`: privacy at risk as published, and what is true beside it. Needs no server; charges and admits nothing. */
export function define(command: Command, context: Context): void {
  defineCurve(command, context);
  defineSensitivity(command, context);
  defineBudget(command, context);
  defineCompose(command, context);
}
