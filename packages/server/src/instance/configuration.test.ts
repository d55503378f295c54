import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readConfiguration, settings } from "./configuration.ts";

test("an empty environment says nothing", () => {
  expect(readConfiguration({ PATH: "/bin", HOME: "/root" })).toEqual({});
});

test("values are read and checked", () => {
  expect(
    readConfiguration({
      PORT: "9000",
      DATABASE_URL: "postgres://u:p@h/d",
      DOSIMETER_METRICS: "1",
      DOSIMETER_REQUEST_PAUSE: "2",
      DOSIMETER_FOLDERS: "/a:/b",
      DOSIMETER_MEMORY: "4GB",
      DOSIMETER_THREADS: "3",
      DOSIMETER_SPILL: "/scratch",
      DOSIMETER_MAIL_URL: "smtp://h:25",
      DOSIMETER_MAIL_FROM: "Dosimeter <d@example.org>",
    }),
  ).toEqual({
    port: 9000,
    database: "postgres://u:p@h/d",
    metrics: true,
    requestLimits: { pauseHours: 2 },
    folders: ["/a", "/b"],
    measuring: { memoryLimit: "4GB", threads: 3, spill: "/scratch" },
    mail: { url: "smtp://h:25", from: "Dosimeter <d@example.org>" },
  });
});

test.each([
  [{ PORT: "99999" }, "PORT must be 0 to 65535"],
  [{ DATABASE_URL: "mysql://root:hunter2@h" }, "DATABASE_URL must be postgres://"],
  [{ DOSIMETER_MEMORY: "much" }, "DOSIMETER_MEMORY must be a size"],
  [{ DOSIMETER_METRICS: "yes" }, "DOSIMETER_METRICS must be 0 or 1"],
  [{ DOSIMETER_REQUESTS_A_DAY: "0" }, "DOSIMETER_REQUESTS_A_DAY must be a number above 0"],
  [{ DOSIMETER_METRIX: "1" }, "DOSIMETER_METRIX is not a setting"],
  [{ DOSIMETER_MAIL_URL: "smtp://h" }, "come together"],
  [{ DOSIMETER_OIDC: "/no/such/file" }, "DOSIMETER_OIDC must be a JSON file"],
])("%j is refused, and no value is repeated", (env, message) => {
  expect(() => readConfiguration(env)).toThrow(message);
  expect(() => readConfiguration(env)).not.toThrow("hunter2");
});

test("the page for operators lists every setting", () => {
  const page = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8");
  for (const [name, { means }] of Object.entries(settings))
    expect(page).toContain(`| \`${name}\` | ${means.replaceAll("|", "\\|")} |`);
});
