const browsers = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const;

const systems = [
  [/Windows/, "Windows"],
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
] as const;

const first = (of: readonly (readonly [RegExp, string])[], agent: string): string | undefined =>
  of.find(([pattern]) => pattern.test(agent))?.[1];

/** How a session began and in which program, so that its owner recognises it: "by password, Firefox on Linux". */
export function sessionName(how: string, agent: string): string {
  const where = [first(browsers, agent), first(systems, agent)].filter((part) => part !== undefined).join(" on ");
  return [how, where].filter((part) => part !== "").join(", ");
}
