import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answerLine } from "../packages/cli/src/calc/filter.ts";

/** One certified number that was once false, refused or useless, with the value it must have and on which side. */
interface Found {
  readonly fn: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The field of the answer, where it has several. */
  readonly pick?: string;
  readonly want: number | readonly number[] | "Infinity" | "refused";
  readonly side: "equal" | "notBelow" | "notAbove" | "notAboveButFinite" | "error";
  readonly rel?: number;
  readonly source: string;
}

const found: readonly Found[] = readFileSync(new URL("golden/found-math.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

interface Answer {
  readonly value?: unknown;
  readonly error?: { readonly code: string };
}

const numberOf = (value: unknown): number => (value === "Infinity" ? Number.POSITIVE_INFINITY : (value as number));

test.each(found.map((row) => [`${row.fn} ${JSON.stringify(row.args)}`.slice(0, 150), row] as const))(
  "%s",
  (_name, { fn, args, pick, want, side, rel = 0 }) => {
    const { value, error }: Answer = JSON.parse(answerLine(JSON.stringify({ fn, ...args })));
    if (side === "error") {
      expect(error?.code, JSON.stringify(value)).toBe("INVALID_PARAMETER");
      return;
    }
    expect(error).toBeUndefined();
    const picked = pick === undefined ? value : (value as Record<string, unknown>)[pick];
    const [got, wanted] = [picked, want].map((x) => (Array.isArray(x) ? x.map(numberOf) : [numberOf(x)]));
    for (const [i, bound] of (wanted ?? []).entries()) {
      const at = got?.[i] as number;
      if (side === "equal") {
        if (bound === Number.POSITIVE_INFINITY) expect(at).toBe(bound);
        else expect(Math.abs(at - bound)).toBeLessThanOrEqual(rel * bound);
      } else if (side === "notBelow") expect(at).toBeGreaterThanOrEqual(bound * (1 - rel));
      else {
        expect(at).toBeLessThanOrEqual(bound * (1 + rel));
        if (side === "notAboveButFinite") expect(Number.isFinite(at)).toBe(true);
      }
    }
  },
);
