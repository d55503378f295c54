import { PrivacyError } from "@dosimeter/core";
import type { HandlersOf } from "../call.ts";
import { search } from "../search.ts";

export const service = {
  async health({ deps }) {
    return { status: "ok", version: deps.version, demo: await deps.demoIsOn() };
  },
  async ready({ deps }) {
    if (!(await deps.ready())) throw new PrivacyError("NOT_READY");
    return { ready: true };
  },
  async search({ deps, caller, input }) {
    return { items: [...(await search(input.text, caller, deps))] };
  },
} satisfies HandlersOf<"service">;
