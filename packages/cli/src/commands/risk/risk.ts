import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { defineBudget } from "./budget.ts";
import { defineCompose } from "./compose.ts";
import { defineCurve } from "./curve.ts";
import { defineSensitivity } from "./sensitivity.ts";

/** `dosimeter risk`: privacy at risk as published, and what is true. Needs no server; charges and admits nothing. */
export function define(command: Command, context: Context): void {
  defineCurve(command, context);
  defineSensitivity(command, context);
  defineBudget(command, context);
  defineCompose(command, context);
}
