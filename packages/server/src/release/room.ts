import { foundBytesOf } from "@dosimeter/query/bind";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { connectionOf } from "@dosimeter/query/source";
import type { ReleaseDeps } from "./deps.ts";
import { MARGIN } from "./timetable.ts";

/** What a release takes of the process that measures it, until it departs: by public facts alone, whatever it takes in fact. */
export interface Room {
  readonly process: "files" | "connected";
  /** The part of its time or memory, whichever is more: those that run at once take 1 at most [M363]. */
  readonly share: number;
  /** Whether it departs within a moment. */
  readonly isBrief: boolean;
  /** Whether it departs so late that others must not wait for it: one of those runs at a time. */
  readonly isLong: boolean;
}

/** The longest that anyone waits for a release of another person while theirs is as brief. */
const BRIEF_MS = 800;
const SHORT_MS = 12_800;
/** What is left for brief ones where two others have room next to them, and the most that they take where none has. */
const FOR_BRIEF = 1 - 2 / MARGIN;
const MAX_BRIEF = 0.5;
/** Three that look for values may take half as much again as one: all next to the engine, where the people's states are too. */
const MEMORY = 1.5;
/** What a database answers at once, each up to 128 MiB. */
const OVER_CONNECTION = 1 / 3;

/** Of what is drawn; nothing is where all answers were there before. */
export function roomOf(
  drawn: BoundedPlan | null,
  { timetable, mostFoundBytes }: Pick<ReleaseDeps, "timetable" | "mostFoundBytes">,
): Room {
  if (drawn === null) return { process: "files", share: 0, isBrief: true, isLong: false };
  const { source } = drawn.declaration;
  const { cost, deadline, held } = timetable.departureOf(drawn);
  const isConnected = connectionOf(source) !== null;
  const parts = [
    Math.min(cost / deadline, 1 / MARGIN),
    foundBytesOf(drawn) / mostFoundBytes(source) / MEMORY + held * (1 - FOR_BRIEF),
    isConnected ? OVER_CONNECTION : 0,
  ];
  return {
    process: isConnected ? "connected" : "files",
    // What was charged while there was more memory has a place all the same.
    share: Math.min(1 - FOR_BRIEF, Math.max(...parts)),
    isBrief: deadline <= BRIEF_MS,
    isLong: deadline > SHORT_MS,
  };
}

type Running = readonly { readonly room: Room }[];

const taken = (running: Running, by: (room: Room) => boolean): number =>
  running.reduce((sum, { room }) => sum + (by(room) ? room.share : 0), 0);

/** Two that are longer leave one for what is small. */
const isSmall = ({ share, isBrief }: Room): boolean => isBrief && share <= FOR_BRIEF;

/** Whether it waits for brief ones at most: those that run otherwise leave it a place. */
function hasPlace(room: Room, running: Running): boolean {
  const { process, share, isBrief, isLong } = room;
  if (isSmall(room)) return true;
  if (isLong && running.some(({ room }) => room.isLong)) return false;
  const longer = taken(running, (room) => room.process === process && !room.isBrief);
  return longer + share <= (isBrief ? 1 : 1 - FOR_BRIEF) + ROUNDING;
}

/** Whether it can begin next to those that run; where nothing runs, everything can. */
function fits({ process, share, isBrief }: Room, running: Running): boolean {
  const here = running.filter(({ room }) => room.process === process && room.share > 0);
  const brief = isBrief && process === "files" ? taken(here, (room) => room.isBrief) : 0;
  const all = taken(here, () => true) + share;
  return here.length === 0 || (all <= 1 + ROUNDING && (brief === 0 || brief + share <= MAX_BRIEF + ROUNDING));
}

/** Whether one that has a place leaves it to the one whose turn it is, which else would wait for as long as others come. For a very long one it waits alone. */
const isKept = (first: Room, { isLong }: Room, running: Running): boolean =>
  isLong ||
  hasPlace(
    first,
    running.filter(({ room }) => room.isLong),
  );

/**
 * Which begins, by the turns of those that wait. What measures nothing never waits. In each process the one whose turn it is waits for a place,
 * then for room: no one who takes less goes first again and again. Neither process waits for the other one.
 */
export function nextOf<Job extends { readonly room: Room }>(
  peek: (may: (job: Job) => boolean) => Job | undefined,
  running: Running,
): Job | undefined {
  const heads = (["files", "connected"] as const).map((process) => {
    const first = peek(({ room }) => room.process === process && !isSmall(room))?.room;
    return peek(({ room }) => {
      if (room.process !== process || !hasPlace(room, running)) return false;
      return first === undefined || room === first || isSmall(room) || !isKept(first, room, running);
    });
  });
  return peek(({ room }) => room.share === 0) ?? heads.find((job) => job !== undefined && fits(job.room, running));
}

const ROUNDING = 1e-9;
