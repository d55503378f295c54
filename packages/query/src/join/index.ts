export { joinRequest, MAX_HASHED, MAX_JOIN_TEXT, MAX_JOINED, passesOf, withJoin } from "./join.ts";
export { checkTaken, columnsToTake, rangeTaken, takeNames, takenWords, takeOf, ticksTaken } from "./taken.ts";
