import { flushCompileCache } from "node:module";
import { PrivacyError } from "@dosimeter/core";
import { boundPlan, type EngineOptions, type Engines, noiseSteps, openEngines, spareDraws } from "@dosimeter/engines";
import type { Engine } from "@dosimeter/query/plan";
import type { Ended, Job, JobName, Jobs, Said } from "./job.ts";
import { systemRandom } from "./random.ts";
import { inSlices } from "./slices.ts";

const jobs: {
  readonly [Name in JobName]: (
    engine: Engine,
    given: Jobs[Name]["given"],
    signal: AbortSignal,
    options: NonNullable<EngineOptions["files"]>,
  ) => Promise<Jobs[Name]["result"]>;
} = {
  probe: (engine) => engine.probe(),
  describe: (engine, { source }, signal) => engine.describe(source, signal),
  list: (engine, { source }, signal) => engine.list(source, signal),
  check: (engine, { declaration, salt }, signal) => engine.check(declaration, { salt, signal }),
  fit: (engine, { declaration, fewerThan }, signal) => engine.fit(declaration, { fewerThan, signal }),
  append: (engine, { declaration, ...appending }, signal) => engine.append(declaration, { ...appending, signal }),
  async checkSize(engine, { plan, declaration }) {
    engine.checkSize(boundPlan(plan, declaration));
    return null;
  },
  answer,
  calibrate: async (_, { isWhole }, signal, options) =>
    (await import("./calibrate.ts")).calibrate(options, {
      isWhole,
      answer: (engine, given) => answer(engine, given, signal),
    }),
};

async function answer(
  engine: Engine,
  { plan, declaration, table, earlier = [] }: Jobs["answer"]["given"],
  signal: AbortSignal,
): Promise<Jobs["answer"]["result"]> {
  const bounded = boundPlan(plan, declaration);
  const exact = await engine.run(bounded, { ...table, signal });
  const released = earlier.map((integers) => integers.map(BigInt));
  const answers = await inSlices(noiseSteps(bounded, exact, systemRandom(), released));
  await inSlices(spareDraws(bounded, exact, systemRandom()));
  return answers;
}

/** Reads private rows as it hears, and sends back answers with noise, public names and refusals. */
export function openJobs(send: (ended: Ended) => void): {
  hear(said: Said): void;
  close(): Promise<void>;
} {
  let engine: Promise<Engines> | null = null;
  let files: EngineOptions["files"];
  const running = new Map<number, AbortController>();
  const working = new Set<Promise<void>>();

  function run<Name extends JobName>(
    { name, given }: { readonly name: Name; readonly given: Jobs[Name]["given"] },
    signal: AbortSignal,
  ) {
    if (engine === null) throw new PrivacyError("INTERNAL");
    return engine.then((opened) => jobs[name](opened, given, signal, files ?? { root: "" }));
  }

  async function endOf(id: number, job: Job, signal: AbortSignal): Promise<Ended> {
    try {
      return { id, result: await run(job, signal) };
    } catch (error) {
      if (!(error instanceof PrivacyError)) return { id, refusal: null };
      const { code, details, message } = error;
      return { id, refusal: { code, details, message } };
    }
  }

  async function work(id: number, job: Job): Promise<void> {
    const stopping = new AbortController();
    running.set(id, stopping);
    const ended = await endOf(id, job, stopping.signal);
    running.delete(id);
    send(ended);
  }

  return {
    hear(said) {
      if (said.kind === "open") {
        engine = openEngines(said.options);
        files = said.options.files;
        // This process never ends by itself: where Node keeps what it compiled, it does so now. Where none opens, each job rejects with it.
        engine.then(
          () => flushCompileCache(),
          () => undefined,
        );
      } else if (said.kind === "use") {
        const idle = Promise.all(working);
        const use = (opened: Engines) => opened.use(said.connections, idle).catch(() => undefined); // it knows the others
        engine = engine?.then((opened) => use(opened).then(() => opened)) ?? null;
        engine?.catch(() => undefined); // each job rejects with it
      } else if (said.kind === "stop") running.get(said.id)?.abort();
      else {
        const one = work(said.id, said.job).finally(() => working.delete(one));
        working.add(one);
      }
    },
    async close() {
      for (const stopping of running.values()) stopping.abort();
      await engine?.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}
