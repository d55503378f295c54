import { PrivacyError } from "@dosimeter/core";
import type { HandlersOf } from "../http/call.ts";
import { search } from "./search.ts";

export const service = {
  async health({ deps }) {
    const demo = (await deps.ready()) && (await deps.demoIsOn());
    return { status: "ok", version: deps.version, demo };
  },
  async ready({ deps }) {
    if (!(await deps.ready())) throw new PrivacyError("NOT_READY");
    return { ready: true };
  },
  async search({ deps, caller, input }) {
    return { items: [...(await search(input.text, caller, deps))] };
  },
} satisfies HandlersOf<"service">;
