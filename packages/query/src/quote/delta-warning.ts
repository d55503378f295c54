/** Why a δ is too large for a number of people, or undefined. */
export function deltaWarning(delta: number, people: number): string | undefined {
  if (delta <= 1 / people) return undefined;
  return `δ = ${delta} is above 1/n = ${Number((1 / people).toPrecision(2))}: it would allow a mechanism that publishes about ${Number((delta * people).toPrecision(2))} of the ${people.toLocaleString("en-US")} records in full.`;
}
