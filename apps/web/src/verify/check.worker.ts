import { type Check, checkExport } from "@dosimeter/verify";

interface Scope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(message: Checked): void;
}

export type Checked = { readonly check: Check } | { readonly problem: string };

const scope = globalThis as unknown as Scope;

/** Recomputes an export away from the page. */
scope.onmessage = ({ data }) => {
  checkExport(data).then(
    (check) => scope.postMessage({ check }),
    (error: unknown) => scope.postMessage({ problem: error instanceof Error ? error.message : "cannot be read" }),
  );
};
