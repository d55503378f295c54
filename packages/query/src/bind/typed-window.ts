import type { Plan } from "../statistics/request.ts";

export function typedWindow(window: NonNullable<Plan["window"]>): string {
  if (typeof window === "string") return window;
  if ("latest" in window) return `latest ${window.latest}`;
  if ("all" in window) return "all closed";
  return "from" in window ? `${window.from} to ${window.to}` : window.blocks.join(", ");
}

/** The same, a long list of blocks by its first ones. */
export function shortWindow(window: NonNullable<Plan["window"]>): string {
  const typed = typedWindow(window);
  const [first, second, ...others] = typed.split(", ");
  return others.length < 2 ? typed : `${first}, ${second} and ${others.length} more`;
}
