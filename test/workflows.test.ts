import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";

// GitHub's parser imports JSON without the attribute that Node asks for.
registerHooks({
  resolve: (name, context, next) => {
    const found = next(name, context);
    return name.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found;
  },
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");

const root = join(import.meta.dirname, "..");

/** What GitHub would say of a workflow. */
async function problemsOf(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

describe.each(globSync(".github/workflows/*.yml", { cwd: root }))("%s", (file) => {
  const text = readFileSync(join(root, file), "utf8");

  test("is a workflow that GitHub takes", async () => {
    expect(await problemsOf(basename(file), text)).toEqual([]);
  });

  test("runs only actions pinned to a commit, and starts without permissions", () => {
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).toMatch(/^permissions: \{\}$/m);
  });
});

test("the check above sees what is wrong", async () => {
  const wrong = "on: push\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    step: []\n    needs: nothing\n";
  expect((await problemsOf("wrong.yml", wrong)).length).toBeGreaterThan(0);
});
