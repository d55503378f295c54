import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import { connectedSource, connectionKinds, sourceKinds } from "../../../query/src/source/kinds.ts";
import { openEngines } from "./engines.ts";

const files = { root: tmpdir() };

describe.each(connectionKinds)("tables of kind %s", (kind) => {
  const [scheme] = sourceKinds[kind].connection.schemes;
  const url = `${scheme}//role@127.0.0.1:1/nothing-listens`;
  const sourceAt = (connection: string) => connectedSource(kind, { connection, schema: "s", table: "t" });

  test("are read by the engine of that kind, which says what is wrong with its connection", async () => {
    const engine = await openEngines({ files, connections: { clinic: { url } } });
    try {
      await expect(engine.describe(sourceAt("clinic"))).rejects.toMatchObject({
        code: "DATA_UNREADABLE",
        details: { name: `source.${kind}` },
      });
      expect(await engine.probe()).toEqual({ clinic: "nothing listens at its address" });
    } finally {
      await engine.close();
    }
  });

  test.each([
    ["no connection", {}],
    ["another one", { clinic: { url } }],
  ])("are refused where the server has %s", async (_, connections) => {
    const engine = await openEngines({ files, connections });
    try {
      const refused = { code: "DATA_UNREADABLE", message: 'this server knows no connection "ward"' };
      const details = { name: `source.${kind}.connection` };
      await expect(engine.describe(sourceAt("ward"))).rejects.toMatchObject({ ...refused, details });
      const columns = { age: { type: "integer", lower: 0, upper: 9 } };
      const declaration = checkDeclaration({ name: "t", source: sourceAt("ward"), privacyUnit: "row", columns });
      await expect(engine.check(declaration, { salt: "00" })).rejects.toMatchObject({ ...refused, details });
      const plan = boundPlan({ statistics: [{ statistic: "count", epsilon: 1 }] }, declaration);
      await expect(engine.run(plan, { version: "", salt: "00" })).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    } finally {
      await engine.close();
    }
  });
});

test("an address of no kind is refused by the name of its setting, never its value", async () => {
  const opening = openEngines({ files, connections: { ward: { url: "gopher://secret@host" } } });
  await expect(opening).rejects.toMatchObject({ code: "INVALID_PARAMETER", details: { name: "sources.ward.url" } });
  await expect(opening).rejects.not.toThrow("secret");
});
