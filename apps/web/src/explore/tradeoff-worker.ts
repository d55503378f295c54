import { type CurveDefinition, leastMu, lossDistribution, readCurve } from "@dosimeter/core/tradeoff";

/** Composes one curve away from the page and answers with its privacy loss distribution. */
interface Scope {
  onmessage: ((event: MessageEvent<{ readonly key: string; readonly definition: CurveDefinition }>) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data: { key, definition } }) => {
  try {
    const curve = readCurve(definition);
    scope.postMessage({ key, losses: lossDistribution(curve), mu: leastMu(curve) });
  } catch (error) {
    scope.postMessage({ key, problem: error instanceof Error ? error.message : "cannot be composed" });
  }
};
