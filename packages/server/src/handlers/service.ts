import type { HandlersOf } from "../call.ts";

export const service = {
  async health({ deps }) {
    return { status: "ok", version: deps.version, demo: await deps.demoIsOn() };
  },
} satisfies HandlersOf<"service">;
