import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "./folder.kit.ts";

// GitHub's parser imports JSON without the attribute that Node asks for.
registerHooks({
  resolve: (name, context, next) => {
    const found = next(name, context);
    return name.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found;
  },
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");

const root = join(import.meta.dirname, "..");

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly name?: string;
    readonly uses?: string;
    readonly run?: string;
    readonly with?: object;
  }[];
}

const jobsOf = (text: string) => (parse(text) as { readonly jobs: Readonly<Record<string, Job>> }).jobs;

/** All that a job with an identity, or a right to write, may do: it installs, builds and tests nothing, and has no file but what another job packed. */
const PUBLISHES = [
  /^actions\/(download-artifact|setup-node|attest-build-provenance)@/,
  /^skopeo copy --dest-creds "\$GITHUB_ACTOR:\$TOKEN" oci-archive:packed\/dosimeter-image\.tar "docker:\/\/ghcr\.io\/[^ ]+"$/,
  /^gh release create "\$GITHUB_REF_NAME" packed\/\* --repo "\$GITHUB_REPOSITORY" --verify-tag --notes-file packed\/NOTES\.md$/,
  /^for packed in packed\/\*\.tgz; do npm publish "\.\/\$packed" [a-z -]*--ignore-scripts; done$/,
];

/** Of each such job, all that it may do. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  attest: ["id-token: write", "attestations: write"],
  publish: ["id-token: write"],
  image: ["packages: write"],
  page: ["contents: write"],
};

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

  test("gives an identity or a right to write to no job that runs what was installed or is tested", () => {
    for (const [name, { permissions = {}, steps }] of Object.entries(jobsOf(text))) {
      const rights = Object.entries(permissions).map(([right, level]) => `${right}: ${level}`);
      if (rights.every((right) => right === "contents: read")) continue;
      expect([name, ...rights]).toEqual([name, ...(RIGHTS[name] ?? [])]);
      for (const { uses, run } of steps)
        expect(
          PUBLISHES.some((one) => one.test(`${uses ?? run}`.trim())),
          `${name}: ${uses ?? run}`,
        ).toBe(true);
    }
  });
});

describe("a release", () => {
  const jobs = jobsOf(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));

  test("is published from what one job packed, of a tag on main alone, before anything of it runs", () => {
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ["build", undefined],
      ["attest", "build"],
      ["publish", "attest"],
      ["image", "attest"],
      ["page", ["publish", "image"]],
    ]);
    const [checkout, check] = jobs.build?.steps ?? [];
    expect(checkout).toMatchObject({ uses: expect.stringMatching(/^actions\/checkout@/), with: { "fetch-depth": 0 } });
    expect(check?.name).toBe("The tag is on main");
  });

  test("of a commit that is not on main is refused", () => {
    const folder = temporaryFolder();
    const git = (...given: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...given], {
        cwd: folder,
        encoding: "utf8",
        timeout: 20_000,
      }).trim();
    const commit = (message: string) => {
      git("commit", "--allow-empty", "--quiet", "--message", message);
      return git("rev-parse", "HEAD");
    };
    git("init", "--quiet", "--initial-branch=main");
    const earlier = commit("one");
    const newest = commit("two");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("checkout", "--quiet", "-b", "side", earlier);
    const aside = commit("three");
    git("update-ref", "refs/heads/origin/main", aside); // a branch that is only called so
    const run = jobs.build?.steps.find(({ name }) => name === "The tag is on main")?.run ?? "exit 9";
    const statusOf = (sha: string) =>
      spawnSync("bash", ["-e", "-c", run], { cwd: folder, env: { ...process.env, GITHUB_SHA: sha }, timeout: 20_000 })
        .status;
    expect([earlier, newest, aside].map(statusOf)).toEqual([0, 0, 1]);
  });
});

test("every change is checked as a release is", () => {
  const { check } = jobsOf(readFileSync(join(root, ".github/workflows/check.yml"), "utf8"));
  expect(check?.steps.at(-1)?.run).toBe(".ci/run");
  expect(check?.permissions).toEqual({ contents: "read" });
});

test("the check above sees what is wrong", async () => {
  const wrong = "on: push\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    step: []\n    needs: nothing\n";
  expect((await problemsOf("wrong.yml", wrong)).length).toBeGreaterThan(0);
});
