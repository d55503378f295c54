import { readFile, writeFile } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { fdp, type TradeoffAxes, type TradeoffPlotOptions, toSvg } from "@dosimeter/plot";
import {
  compose,
  epsdelta,
  estEpsdelta,
  estGdp,
  fromPoints,
  fromScores,
  gdp,
  lap,
  named,
  numberLabel,
  readCurve,
  readPointsCsv,
  readScoresCsv,
  reportCard,
  type TradeoffFunction,
} from "@dosimeter/tradeoff";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { anyNumber } from "../flags/values.ts";
import { say, sayFacts, sayTable } from "../terminal/output.ts";

/** A curve from the flags of the command line, in their order. */
type CurveRequest =
  | { readonly kind: "curve"; readonly curve: TradeoffFunction }
  | { readonly kind: "points"; readonly file: string }
  | { readonly kind: "scores"; readonly files: string }
  | { readonly kind: "name"; readonly name: string };

interface Options {
  readonly compose?: true;
  readonly alpha?: readonly number[];
  readonly readings?: true;
  readonly fpr?: readonly number[];
  readonly prior?: number;
  readonly delta?: readonly number[];
  readonly epsilon?: readonly number[];
  readonly digits?: number;
  readonly plot?: string;
  readonly axes: TradeoffAxes;
  readonly from: number;
  readonly legend?: string;
  readonly title?: string;
  readonly tolerance?: number;
  readonly advantage?: true;
}

/** `dosimeter tradeoff`: curves by flags or from CSV; values, estimates, readings and pictures of them. */
export function define(command: Command, { terminal, globals }: Context): void {
  const asked: CurveRequest[] = [];
  const curve = (read: (text: string) => TradeoffFunction) => (text: string) => {
    asked.push({ kind: "curve", curve: read(text) });
    return text;
  };
  command
    .option("--epsdelta <ε[,δ]>", "(ε, δ)-DP; may be repeated, as every curve may", curve(pairOf))
    .option(
      "--gdp <μ>",
      "Gaussian DP",
      curve((text) => gdp(anyNumber(text, "--gdp"))),
    )
    .option(
      "--lap <μ>",
      "Laplace noise, μ = sensitivity/scale",
      curve((text) => lap(anyNumber(text, "--lap"))),
    )
    .option("--curve <json>", 'any curve, as calc takes it: {"compose":[{"gdp":1},{"lap":1}]}', curve(jsonOf))
    .option("--points <file>", "CSV with columns alpha and beta; - for standard input", (file: string) => {
      asked.push({ kind: "points", file });
      return file;
    })
    .option(
      "--scores <absent,present>",
      "two CSVs of attack scores: people not in the data, and people in it; higher says in",
      (files: string) => {
        asked.push({ kind: "scores", files });
        return files;
      },
    )
    .option("--name <name>", "name the curve before it", (name: string) => {
      asked.push({ kind: "name", name });
      return name;
    })
    .option("--compose", "add the composition of all curves given")
    .option("--alpha <list>", "print (α, β) at these type I errors", listOf("--alpha"))
    .option("--readings", "a report card of each curve")
    .option("--fpr <list>", "false positive rates of the report card", listOf("--fpr"))
    .option("--prior <p>", "chance that the person is present, for the report card", (text) =>
      anyNumber(text, "--prior"),
    )
    .option("--delta <list>", "the least ε at these δ, rounded up", listOf("--delta"))
    .option("--epsilon <list>", "the least δ at these ε, rounded up", listOf("--epsilon"))
    .option("--digits <n>", "decimal places of estimates (default 2)", (text) => anyNumber(text, "--digits"))
    .option("--plot <file>", "write a picture: .svg or .png")
    .option("--axes <kind>", "of the picture: linear, log or probit", "linear")
    .option("--from <rate>", "where log and probit axes begin", (text) => anyNumber(text, "--from"), 1e-6)
    .option("--legend <text>", "a heading for the legend")
    .option("--title <text>", "the title of the picture")
    .option("--tolerance <x>", "how far points may be off by rounding", (text) => anyNumber(text, "--tolerance"))
    .option("--advantage", "mark the advantage in the picture")
    .addHelpText(
      "after",
      "\nExamples:\n  dosimeter tradeoff --epsdelta 1,0.01 --alpha 0.05,0.1,0.25,0.5\n" +
        "  dosimeter tradeoff --gdp 1 --epsdelta 1 --readings --plot curves.png",
    )
    .action(async (options: Options) => {
      const curves = await curvesOf(asked, { terminal, options });
      if (options.plot !== undefined) await draw(curves, options, resolve(terminal.cwd, options.plot));
      const answers = curves.map((found) => answerFor(found, options));
      if (globals().json) {
        terminal.out.write(`${JSON.stringify({ curves: answers }, finite, 2)}\n`);
        return;
      }
      for (const [i, answer] of answers.entries()) {
        if (i > 0) say(terminal);
        await tell(answer, { terminal, isSkeleton: curves.slice(i, i + 1).some(hasSkeleton) });
      }
      if (options.plot !== undefined) say(terminal, `${answers.length > 0 ? "\n" : ""}wrote ${options.plot}`);
    });
}

type Terminal = Context["terminal"];

async function curvesOf(
  asked: readonly CurveRequest[],
  { terminal, options }: { readonly terminal: Terminal; readonly options: Options },
): Promise<readonly TradeoffFunction[]> {
  const curves: TradeoffFunction[] = [];
  for (const item of asked) {
    if (item.kind === "name") {
      const last = curves.pop();
      if (last === undefined) invalid("--name", item.name, "after the curve it names");
      curves.push(named(last, item.name));
    } else if (item.kind === "points") curves.push(await readPoints(item.file, { terminal, options }));
    else if (item.kind === "scores") curves.push(await readScores(item.files, terminal));
    else curves.push(item.curve);
  }
  if (curves.length === 0) {
    throw new PrivacyError(
      "INVALID_PARAMETER",
      {},
      "no curve: give --epsdelta, --gdp, --lap, --points, --scores or --curve",
    );
  }
  return options.compose ? [...curves, compose(curves)] : curves;
}

async function readPoints(
  file: string,
  { terminal, options }: { readonly terminal: Terminal; readonly options: Options },
): Promise<TradeoffFunction> {
  const text = file === "-" ? await readAll(terminal.in) : await readFile(resolve(terminal.cwd, file), "utf8");
  const label = file === "-" ? "points" : basename(file, extname(file));
  return fromPoints(readPointsCsv(text, file), {
    label,
    ...(options.tolerance === undefined ? {} : { tolerance: options.tolerance }),
  });
}

async function readScores(files: string, terminal: Terminal): Promise<TradeoffFunction> {
  const names = files.split(",").map((file) => file.trim());
  const [absent, present] = names;
  if (names.length !== 2 || absent === undefined || present === undefined || absent === "" || present === "") {
    invalid("--scores", files, "two files: absent.csv,present.csv");
  }
  const read = async (file: string) => readScoresCsv(await readFile(resolve(terminal.cwd, file), "utf8"), file);
  const label = `${basename(absent, extname(absent))} and ${basename(present, extname(present))}`;
  return fromScores(await read(absent), await read(present), { label });
}

async function readAll(input: Terminal["in"]): Promise<string> {
  input.setEncoding("utf8");
  let text = "";
  for await (const piece of input) text += piece;
  return text;
}

async function draw(curves: readonly TradeoffFunction[], options: Options, file: string): Promise<void> {
  const kind = extname(file).toLowerCase();
  if (kind !== ".svg" && kind !== ".png") invalid("--plot", options.plot, "a file name ending in .svg or .png");
  const { axes, from, legend, title, advantage } = options;
  const settings: TradeoffPlotOptions = { axes, from, ...present({ legend, title, advantage }) };
  const items = curves.map((curve) =>
    "points" in curve.definition ? { of: curve.definition.points, name: curve.label, draw: "points" as const } : curve,
  );
  const { scene } = fdp(...items, settings).chart({ width: 620, heading: title !== undefined });
  if (kind === ".svg") return writeFile(file, toSvg(scene));
  const { toPng } = await import("@dosimeter/plot/png");
  return writeFile(file, toPng(scene));
}

interface Answer {
  readonly label: string;
  readonly printed: string;
  readonly exact: boolean;
  /** Points of attacks. A curve below them is consistent with the attacks, but no guarantee. */
  readonly isPoints: boolean;
  readonly rows?: readonly { readonly alpha: number; readonly beta: number; readonly upper?: number }[];
  readonly vertices: readonly { readonly alpha: number; readonly beta: number }[];
  readonly mu: number;
  readonly estimates: readonly { readonly epsilon: number; readonly delta: number }[];
  readonly readings?: ReturnType<typeof reportCard>;
}

/** The most corners of a curve to print where no α is given. */
const MAX_SKELETON = 24;

/** Whether to print a curve by its corners: piecewise linear with few of them, and not from given points. */
const hasSkeleton = (curve: TradeoffFunction): boolean =>
  curve.atoms !== null && curve.atoms.loss.length < MAX_SKELETON && !("points" in curve.definition);

function answerFor(curve: TradeoffFunction, options: Options): Answer {
  const { digits = 2, alpha, delta = [], epsilon = [], fpr, prior } = options;
  const estimates = [
    ...delta.map((value) => estEpsdelta(curve, { delta: value, digits })),
    ...epsilon.map((value) => estEpsdelta(curve, { epsilon: value, digits })),
  ];
  const upper = alpha === undefined ? null : curve.upper;
  return {
    label: curve.label,
    printed: curve.toString(),
    exact: curve.isExact,
    isPoints: "points" in curve.definition,
    ...(alpha === undefined
      ? {}
      : {
          rows: curve.evaluate(alpha).map((row) => (upper === null ? row : { ...row, upper: upper.beta(row.alpha) })),
        }),
    vertices: curve.atoms !== null && curve.atoms.loss.length > 200 ? [] : curve.vertices(),
    mu: estGdp(curve, { digits }).mu,
    estimates: estimates.map((e) => ({ epsilon: e.epsilon, delta: e.delta })),
    ...(options.readings ? { readings: reportCard(curve, present({ falsePositiveRates: fpr, prior })) } : {}),
  };
}

async function tell(
  answer: Answer,
  { terminal, isSkeleton }: { readonly terminal: Terminal; readonly isSkeleton: boolean },
): Promise<void> {
  say(terminal, answer.printed === answer.label ? answer.label : `${answer.label}: ${answer.printed}`);
  if (!answer.exact)
    say(terminal, "a certified lower bound of the exact curve: it never claims less loss than there is");
  if (answer.rows !== undefined) {
    await sayTable(terminal, answer.rows, [
      { heading: "alpha", cell: ({ alpha }) => numberLabel(alpha), right: true },
      { heading: "beta", cell: ({ beta }) => shown(beta), right: true },
      ...(answer.rows.some(({ upper }) => upper !== undefined)
        ? [
            {
              heading: "at most",
              cell: ({ upper }: { readonly upper?: number }) => shown(upper ?? Number.NaN),
              right: true as const,
            },
          ]
        : []),
    ]);
  }
  if (answer.rows === undefined && isSkeleton) {
    await sayTable(terminal, answer.vertices, [
      { heading: "alpha", cell: ({ alpha }) => alpha.toFixed(7), right: true },
      { heading: "beta", cell: ({ beta }) => beta.toFixed(7), right: true },
    ]);
  }
  const covers = answer.isPoints ? "lies below the points (no guarantee)" : "covers it";
  sayFacts(terminal, [
    ["Gaussian DP", Number.isFinite(answer.mu) ? `μ = ${numberLabel(answer.mu)} ${covers}` : `no μ ${covers}`],
    ...answer.estimates.map(
      ({ epsilon, delta }) => ["(ε, δ)-DP", `ε = ${numberLabel(epsilon)}, δ = ${numberLabel(delta)}`] as const,
    ),
  ]);
  if (answer.readings !== undefined) await tellReadings(answer.readings, terminal);
}

async function tellReadings(card: ReturnType<typeof reportCard>, terminal: Terminal): Promise<void> {
  sayFacts(terminal, [
    ["advantage", shown(card.advantage)],
    ["best balanced accuracy", shown(card.balancedAccuracy)],
    [`best accuracy, prior ${numberLabel(card.prior)}`, shown(card.bayesAccuracy)],
    ["area under the curve", shown(card.auc)],
    ["greatest likelihood ratio", shown(card.greatestLikelihoodRatio)],
    ["nearest Gaussian", `μ = ${shown(card.gaussian.mu)}, regret ${shown(card.gaussian.regret)}`],
    ...card.guarantees.map(({ epsilon, delta }) => [`ε at δ = ${numberLabel(delta)}`, shown(epsilon)] as const),
  ]);
  await sayTable(terminal, card.rates, [
    { heading: "false positives", cell: (rate) => numberLabel(rate.falsePositiveRate), right: true },
    { heading: "true positives", cell: (rate) => shown(rate.truePositiveRate), right: true },
    { heading: "precision", cell: (rate) => shown(rate.precision), right: true },
    { heading: "LR+", cell: (rate) => shown(rate.positiveLikelihoodRatio), right: true },
    { heading: "LR−", cell: (rate) => shown(rate.negativeLikelihoodRatio), right: true },
  ]);
}

/** Seven significant digits, as R prints a table. */
const shown = (value: number): string => numberLabel(Number(value.toPrecision(7)));

const finite = (_key: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;

function pairOf(text: string): TradeoffFunction {
  const [epsilon = "", delta = "0", ...more] = text.split(",");
  if (more.length > 0) invalid("--epsdelta", text, "ε or ε,δ");
  return epsdelta(anyNumber(epsilon, "--epsdelta"), anyNumber(delta, "--epsdelta"));
}

function jsonOf(text: string): TradeoffFunction {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    invalid("--curve", text, 'JSON such as {"gdp":1}');
  }
  return readCurve(json, "--curve");
}

const listOf = (name: string) => (text: string) => text.split(",").map((part) => anyNumber(part, name));
