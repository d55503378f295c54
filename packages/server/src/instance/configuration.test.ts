import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { readSources } from "../sources/connections.ts";
import { checkSettings, readConfiguration } from "./configuration.ts";
import { settingRows } from "./settings.ts";

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
  [{ DOSIMETER_POSTGRES_WIRE: "5432" }, "DOSIMETER_POSTGRES_WIRE_KEY come together"],
  [{ DOSIMETER_POSTGRES_WIRE_KEY: "hunter2" }, "DOSIMETER_POSTGRES_WIRE_KEY must be a private key in PEM"],
  [{ DOSIMETER_OIDC: "/no/such/file" }, "DOSIMETER_OIDC must be a JSON file"],
])("%j is refused, and no value is repeated", (env, message) => {
  expect(() => readConfiguration(env)).toThrow(message);
  expect(() => readConfiguration(env)).not.toThrow("hunter2");
});

describe("a file of settings", () => {
  let place: string;
  beforeEach(() => {
    place = temporaryFolder();
  });
  const write = (name: string, text: string) => {
    writeFileSync(join(place, name), text);
    return join(place, name);
  };

  test("is the same as the environment, which wins over it, and options win over both", () => {
    const file = write("d.yaml", "port: 9001\nhost: 0.0.0.0\nmetrics: true\nfolders: [a, /b]\nthreads: 2\nlog: info\n");
    const env = { PORT: "9002", DOSIMETER_HOST: "::1", DOSIMETER_CONFIG: file };
    expect(readConfiguration(env, { options: { PORT: "9003" } })).toEqual({
      port: 9003,
      host: "::1",
      metrics: true,
      folders: [join(place, "a"), "/b"],
      measuring: { threads: 2 },
      logLevel: "info",
    });
    expect(checkSettings({ env, options: { PORT: "9003" } }).set.slice(0, 2)).toEqual([
      { name: "PORT", from: "option" },
      { name: "DOSIMETER_HOST", from: "environment" },
    ]);
  });

  test("holds sources and providers itself, with paths from where it lies, and secrets come from files", async () => {
    write("secret", "a secret of twenty characters\n");
    const file = write(
      "d.yaml",
      `keySecretFile: secret
sources: { clinic: { url: "postgres://reader@db.example/clinic", passwordFile: secret } }
oidc: [{ id: x, name: X, issuer: "https://id.example", clientId: c, clientSecretFile: secret }]`,
    );
    const { sources, oidc, keySecret } = readConfiguration({}, { file });
    expect(keySecret).toBe("a secret of twenty characters");
    expect(oidc).toMatchObject([{ id: "x", clientSecret: "a secret of twenty characters" }]);
    expect(await readSources(sources ?? "", {})).toMatchObject({
      clinic: { password: "a secret of twenty characters" },
    });
    const path = write("url", "postgres://u:p@h/d\n");
    expect(readConfiguration({ DATABASE_URL_FILE: path })).toEqual({
      database: "postgres://u:p@h/d",
      secretFiles: { DATABASE_URL: path },
    });
  });

  test.each([
    ["port: 1\nport: 2", "has a key twice, in line 2"],
    ["port: [hunter2", "is not valid YAML, in line 1"],
    ["- port", 'must hold settings by name, such as "port: 8080"'],
    ["publicURL: x", "is not a setting; see docs/settings.md"],
    ["data: x", "data in "],
    ["port: { hunter2: 1 }", "must be 0 to 65535"],
    ["keySecret: hunter2", "must be 20 characters or more"],
    ["keySecret: hunter2\nkeySecretFile: x", "are both set, must be one of them"],
    ["keySecretFile: nowhere", "must be a file that can be read"],
    ["metrics: maybe", "must be 0 or 1"],
    ["oidc: [{ id: hunter2 }]", "look at 0.name"],
  ])("%j is refused, and no value is repeated", (text, message) => {
    const file = write("d.yaml", text);
    expect(() => readConfiguration({}, { file })).toThrow(message);
    expect(() => readConfiguration({}, { file })).not.toThrow("hunter2");
  });

  test("everything that is wrong is said at once", () => {
    const env = {
      PORT: "x",
      DOSIMETER_METRIX: "1",
      DOSIMETER_KEY_SECRET_FILE: "/nowhere",
      DOSIMETER_CONFIG: "/no/file",
    };
    expect(checkSettings({ env }).problems).toEqual([
      "/no/file must be a YAML file of settings that can be read",
      "DOSIMETER_KEY_SECRET_FILE must be a file that can be read",
      "DOSIMETER_METRIX is not a setting; see docs/settings.md",
      "PORT must be 0 to 65535",
    ]);
  });
});

const page = new URL("../../../../docs/settings.md", import.meta.url);
const [START, END] = ["<!-- settings -->\n", "<!-- /settings -->"];

function table(): string {
  const rows = settingRows.map(([name, { flag, key, secret, means, usual, want }]) => {
    const option = flag === undefined ? "" : `\`${flag}\``;
    const names = [`\`${name}\``, ...(secret ? [`\`${name}_FILE\``] : [])].join(" ");
    const keys = key === null ? "" : [`\`${key}\``, ...(secret ? [`\`${key}File\``] : [])].join(" ");
    return `| ${[names, keys, option, means, want, usual].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return [
    "| variable | in the file | option | means | a value is | without it |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

test("the page lists the settings as they are (UPDATE_DOCS=1 writes them), and its example is right", () => {
  const text = readFileSync(page, "utf8");
  const [before = "", rest = ""] = text.split(START);
  const [listed = "", after = ""] = rest.split(END);
  if (import.meta.env.UPDATE_DOCS) writeFileSync(page, `${before}${START}${table()}${END}${after}`);
  else expect(listed).toBe(table());
  const [, example = ""] = /```yaml dosimeter.yaml\n([^`]*)```/.exec(text) ?? [];
  const names = Object.keys(parse(example) as object).map((key) => key.replace(/File$/, ""));
  expect(settingRows.map(([, { key }]) => key)).toEqual(expect.arrayContaining(names));
});
