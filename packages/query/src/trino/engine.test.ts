import { describe } from "vitest";
import { noTrino } from "../../../../test/trino.kit.ts";
import { engineKit } from "../engine/engine.kit.ts";
import { trinoUnderTest } from "./under-test.kit.ts";

describe.skipIf(noTrino !== null)(`over a real server${noTrino === null ? "" : `: ${noTrino}`}`, () => {
  engineKit("Trino", trinoUnderTest, { pairs: 2, every: 4, joins: 1 });
});
