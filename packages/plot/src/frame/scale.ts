import {
  type Calendar,
  type CalendarUnit,
  clockOf,
  dayOfPeriod,
  dayPeriod,
  FIRST_DAY,
  firstDayOf,
  formatPeriod,
  isCalendarUnit,
  LAST_DAY,
  periodOfDay,
  periodsOf,
} from "@dosimeter/core";
import { scaleBand as visxBand, scaleLinear as visxLinear, scaleLog as visxLog } from "@visx/scale";
import { formatNumber } from "../scene/number.ts";

export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** Values to pixels. Any monotone axis fits: linear, logarithmic, probit, FPR–TPR. */
export interface Scale {
  readonly kind: string;
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
  /** Pixel of a value; values outside the domain are clamped to it. */
  map(value: number): number;
  invert(pixel: number): number;
  /** About `count` round values inside the domain. */
  ticks(count: number): readonly Tick[];
}

export interface ScaleOptions {
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
  /** Widen the domain to round values. */
  readonly nice?: boolean;
  /** A mark as people read it, of a linear scale; default: as many digits as the step asks for. */
  readonly label?: (value: number) => string;
}

/** Equal steps. */
export function linearScale({ domain, range, nice = false, label }: ScaleOptions): Scale {
  const [low, high] = widen(domain);
  const scale = visxLinear<number>({ domain: [low, high], range: [...range], clamp: true, nice });
  return {
    kind: "linear",
    domain: ends(scale.domain()),
    range,
    map: (value) => scale(value),
    invert: (pixel) => scale.invert(pixel),
    ticks: (count) => {
      const values = scale.ticks(count);
      const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0));
      return values.map((value) => ({ value, label: label?.(value) ?? tickLabel(value, step) }));
    },
  };
}

/** What the marks of an axis of dates may be, finest first: none is finer than what the axis counts. */
const MARKS: Readonly<Record<CalendarUnit, readonly CalendarUnit[]>> = {
  day: ["day", "month", "year"],
  week: ["week", "month", "year"],
  month: ["month", "year"],
  quarter: ["quarter", "year"],
  year: ["year"],
};

/** Dates, counted in periods from 1970 on; marks are the first periods of years or months. One date alone has its neighbours on each side. */
export function dateScale({ domain, range, calendar }: ScaleOptions & { readonly calendar: Calendar }): Scale {
  const [first, end] = domain;
  const scale = linearScale({ domain: first === end ? [first - 1, end + 1] : domain, range });
  const [low, high] = scale.domain.map((end) => dayWithin(Math.round(end), calendar)) as [number, number];
  return {
    ...scale,
    kind: "date",
    ticks: (count) => {
      if (clockOf(calendar) !== null && high - low < count) return clockTicks(scale.domain, calendar, count);
      const marks = MARKS[isCalendarUnit(calendar) ? calendar : "day"];
      const by = marks.find((unit) => periodsIn(low, high, unit) <= 4 * count) ?? "year";
      const all = Array.from(
        { length: Math.min(10_000, periodsIn(low, high, by)) },
        (_, index) => periodOfDay(low, by) + index,
      );
      const stride =
        [1, 2, 3, 5, 6, 10, 12, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000].find(
          (each) => all.length / each <= count,
        ) ?? 1;
      return all
        .filter(
          (period) =>
            (by === "year" ? 1970 + period : period) % stride === 0 &&
            firstDayOf(period, by) >= low &&
            firstDayOf(period, by) <= high,
        )
        .map((period) => ({
          value: dayPeriod(firstDayOf(period, by), calendar),
          label: formatPeriod(period, by),
        }));
    },
  };
}

/** The day of a period; an axis may reach beyond the calendar. */
function dayWithin(period: number, calendar: Calendar): number {
  const [first, last] = periodsOf(calendar);
  return Math.min(
    LAST_DAY - 1,
    Math.max(FIRST_DAY + 1, dayOfPeriod(Math.min(last, Math.max(first, period)), calendar)),
  );
}

/** Of an axis of a few days: whole hours or minutes, of UTC. */
function clockTicks([low, high]: readonly [number, number], calendar: Calendar, count: number): readonly Tick[] {
  const { seconds = 1 } = clockOf(calendar) ?? {};
  const stride = [60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200].find(
    (each) => (high - low) * seconds <= each * count,
  );
  const step = Math.max(1, (stride ?? 86_400) / seconds);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, index) => {
    const value = (first + index) * step;
    return { value, label: formatPeriod(value, calendar).slice(5, 16).replace("T", " ") };
  });
}

const periodsIn = (low: number, high: number, unit: CalendarUnit): number =>
  periodOfDay(high, unit) - periodOfDay(low, unit) + 1;

/** Equal steps whose marks are whole numbers: for things that are counted. */
export function countScale(options: ScaleOptions): Scale {
  const scale = linearScale(options);
  return { ...scale, ticks: (count) => scale.ticks(count).filter(({ value }) => Number.isInteger(value)) };
}

/** Equal ratios; both ends of the domain must be above 0. */
export function logScale({ domain, range, nice = false }: ScaleOptions): Scale {
  const scale = visxLog<number>({ domain: [...widen(domain)], range: [...range], clamp: true, nice });
  const [low, high] = ends(scale.domain());
  return {
    kind: "log",
    domain: [low, high],
    range,
    map: (value) => scale(Math.max(value, Number.MIN_VALUE)),
    invert: (pixel) => scale.invert(pixel),
    ticks: (count) => logTicks(low, high, count),
  };
}

/** An axis of one's own: `transform` strictly increasing with `inverse`; `values` are the round values it may mark. */
export function transformedScale(
  options: ScaleOptions & {
    readonly kind: string;
    readonly transform: (value: number) => number;
    readonly inverse: (transformed: number) => number;
    readonly values: readonly number[];
    readonly label?: (value: number) => string;
  },
): Scale {
  const { domain, range, kind, transform, inverse, values, label = formatNumber } = options;
  const inner = visxLinear<number>({
    domain: [transform(domain[0]), transform(domain[1])],
    range: [...range],
    clamp: true,
  });
  return {
    kind,
    domain,
    range,
    map: (value) => inner(transform(Math.min(Math.max(value, domain[0]), domain[1]))),
    invert: (pixel) => inverse(inner.invert(pixel)),
    ticks: (count) =>
      thin(
        values.filter((value) => value >= domain[0] && value <= domain[1]),
        count,
      ).map((value) => ({ value, label: label(value) })),
  };
}

/** Named slots of equal width. */
export interface BandScale {
  readonly bandwidth: number;
  start(index: number): number;
  center(index: number): number;
}

/** `count` slots along `range`, a share `padding` of each left empty. */
export function bandScale(count: number, range: readonly [number, number], padding = 0.24): BandScale {
  const scale = visxBand<number>({
    domain: Array.from({ length: count }, (_, i) => i),
    range: [...range],
    paddingInner: padding,
    paddingOuter: padding / 2,
  });
  const bandwidth = scale.bandwidth();
  const start = (index: number) => scale(index) ?? range[0];
  return { bandwidth, start, center: (index) => start(index) + bandwidth / 2 };
}

const ends = (domain: readonly number[]): readonly [number, number] => [domain[0] ?? 0, domain.at(-1) ?? 1];

function widen([low, high]: readonly [number, number]): readonly [number, number] {
  if (low !== high) return [low, high];
  return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
}

function tickLabel(value: number, step: number): string {
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const resolution = Math.floor(Math.log10(step) + 1e-9);
  return formatNumber(value, Math.min(12, Math.max(1, size - resolution + 1)));
}

function logTicks(low: number, high: number, count: number): readonly Tick[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const powers = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
  const between =
    powers.length >= 3
      ? powers
      : [first - 1, ...Array.from({ length: last - first + 1 }, (_, i) => first + i)]
          .flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power))
          .filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  return thin(between, count).map((value) => ({ value, label: formatNumber(value, 3) }));
}

function thin(values: readonly number[], count: number): readonly number[] {
  const stride = Math.max(1, Math.ceil(values.length / Math.max(1, count)));
  return values.filter((_, index) => index % stride === 0);
}
