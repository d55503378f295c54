import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "./version.ts";

const root = new URL("../../..", import.meta.url).pathname;

test.each(globSync(["package.json", "{packages,apps}/*/package.json"], { cwd: root }))(
  "%s has the one version",
  (file) => {
    expect(JSON.parse(readFileSync(`${root}/${file}`, "utf8"))).toMatchObject({ version: VERSION });
  },
);
