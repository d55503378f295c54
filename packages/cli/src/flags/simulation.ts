import {
  type CalendarUnit,
  calendarUnits,
  type DpEvent,
  epsilonAmount,
  invalid,
  MAX_BLOCKS,
  parseEvent,
  quotaDelta,
  type RepeatedReport,
  type Simulation,
  type Terms,
} from "@dosimeter/core";

/** `24 months`: how many blocks, and what one is. */
export function readDuration(text: string): { readonly blocks: number; readonly every: CalendarUnit } {
  const [, count, unit] = /^\s*(\d{1,7})\s+([a-z]+?)s?\s*$/.exec(text) ?? [];
  const every = calendarUnits.find((name) => name === unit);
  const blocks = Number(count);
  return every !== undefined && blocks >= 1 && blocks <= MAX_BLOCKS
    ? { blocks, every }
    : invalid("--for", text, `from 1 to ${MAX_BLOCKS} days, weeks, months, quarters or years, such as 24 months`);
}

const TEAM = "a team and its part of the budget such as 'research 40%', or an ε of its own such as 'research 0.4'";

/** `research 40%` or `research 0.4`. A percentage may have decimals, and rounds down. */
export function readTeam(text: string, terms: Terms): Simulation["teams"][number] {
  const [, name = "", share, percent] = /^\s*(.+?)\s+([\d.e-]+)\s*(%)?\s*$/i.exec(text) ?? [];
  if (share === undefined) return invalid("--team", text, TEAM);
  const amount = epsilonAmount(share, "down", `--team ${name}`);
  // an amount is in units of a fixed fraction: a percent of the budget is exact integer arithmetic
  const hundred = epsilonAmount("100", "down");
  const epsilon = percent === undefined ? amount : (((terms.epsilon * amount) / hundred) as typeof amount);
  return { name, quota: { epsilon, delta: quotaDelta(terms, { epsilon }) } };
}

const REPORT =
  "a team, a colon and a price such as 'research: 0.05 over 12 every 3'; 'gaussian 30' is noise of 30 sensitivities, 'horizon 24' a running total that goes on for 24, and + joins the parts of a plan";

/** `research: 0.05 + gaussian 30 over 12 every 3`: over the latest block and after each, when nothing else is said. */
export function readReport(text: string): RepeatedReport {
  const [, team = "", price, latest = "1", every = "1", horizon] =
    /^\s*(.+?)\s*:\s*(.+?)(?:\s+over\s+(\d{1,6}))?(?:\s+every\s+(\d{1,6}))?(?:\s+horizon\s+(\d{1,6}))?\s*$/i.exec(
      text,
    ) ?? [];
  if (price === undefined) return invalid("--report", text, REPORT);
  return {
    team,
    events: price.split("+").map((part) => eventOf(part.trim(), text)),
    latest: Number(latest),
    every: Number(every),
    ...(horizon === undefined ? {} : { horizon: Number(horizon) }),
  };
}

function eventOf(part: string, text: string): DpEvent {
  const [, kind, amount] = /^(gaussian\s+|pure\s+)?([\d.]+(?:e-?\d+)?(?:\/\d+)?)$/i.exec(part) ?? [];
  if (amount === undefined) return invalid("--report", text, REPORT);
  const isGaussian = kind?.toLowerCase().startsWith("gaussian") === true;
  return parseEvent(
    isGaussian ? { kind: "gaussian", noiseMultiplier: amount } : { kind: "pure", epsilon: amount },
    `--report ${text}`,
  );
}
