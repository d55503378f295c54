import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anchorOf, passageIndex } from "../apps/docs/passages.ts";
import { findPassages } from "../apps/web/src/help/passages.ts";
import { root } from "./docs.kit.ts";

/** What people ask, and the page and heading that answer it. */
const asked = {
  "invite a colleague": ["questions", "How do I invite a colleague?"],
  "reset the budget": ["questions", "Can the budget be reset?"],
  "negative count": ["questions", "Why is a count negative?"],
  "add my CSV": ["start/own-csv", null],
  "who is the first admin": ["start/first-admin", null],
  "what does ε = 1 mean for one person": ["learn/epsilon", null],
  "give a team a budget": ["do/give-a-budget", null],
  "what happens when it is spent": ["do/budget-spent", null],
  "use it from R": ["r", null],
  "use it from pandas": ["python", null],
  "is my data safe if the server is stolen": ["trust/stolen-server", null],
  "cite the theorem": ["math", null],
  "add a statistic": ["inside/add-a-statistic", null],
  "restore a backup": ["operations", "Restore a backup"],
  "schedule a monthly report": ["do/monthly-visits", "A report that comes by itself"],
  "make synthetic data": ["synthetic-tables", "Make one"],
  "export to Excel": ["questions", "How do I export to Excel?"],
  "forgot my password": ["questions", "I forgot my password"],
  "change my e-mail": ["questions", "How do I change my e-mail?"],
  "connect PostgreSQL": ["operations", "Tables that stay in PostgreSQL"],
  "connect Snowflake": ["questions", "How do I connect Snowflake?"],
  "connect Power BI": ["questions", "How do I connect Power BI?"],
  "OIDC redirect address": ["questions", "What is the OIDC redirect address?"],
  "why is my answer useless": ["questions", "Why is my answer useless?"],
  "compare two releases": ["questions", "How do I compare two releases?"],
  "delete a dataset": ["questions", "How do I delete a dataset?"],
  "who asked what": ["questions", "Who asked what?"],
  "charge a training run": ["do/every-tool", "Pay, then run"],
  "what is δ": ["questions", "What is δ?"],
  "why can I not see rows": ["questions", "Why can I not see rows?"],
  // Said otherwise, or not to the end.
  "why is it negative?": ["questions", "Why is a count negative?"],
  "remove a dataset": ["questions", "How do I delete a dataset?"],
  "lost passwo": ["operations", "A lost password"],
  "meaning of epsil": ["learn/epsilon", null],
  "sign in with Google": ["operations", "Sign-in by your organisation alone"],
  "I need more budget": ["guide", "Ask for more"],
  "why was my question refused": ["questions", "Why was my question refused?"],
  "why can I not ask this": ["questions", "Why was my question refused?"],
  "how long are audit logs kept": ["logs", "How long things are kept"],
  "what does it cost": ["questions", "What does an answer cost?"],
  "how much does it cost": ["questions", "What does an answer cost?"],
  "what does it cost to share": ["do/publish-an-answer", "What it costs"],
  share: ["do/publish-an-answer", "A page for colleagues"],
  "share an answer with a colleague": ["do/publish-an-answer", "A page for colleagues"],
  "add a user": ["questions", "How do I invite a colleague?"],
  "remove a colleague": ["questions", "How do I remove a person?"],
  "delete my account": ["questions", "How do I remove a person?"],
  "who saw my data": ["questions", "Who asked what?"],
  "two-factor authentication": ["operations", "A second factor"],
  "what is noise": ["learn/noise", null],
  "what is epsilon": ["learn/epsilon", null],
  "reset my password": ["questions", "I forgot my password"],
  "upload a CSV file": ["start/own-csv", null],
  "can I see single rows": ["questions", "Why can I not see rows?"],
  "too much noise": ["questions", "Why is my answer useless?"],
  "how do I restore from a backup": ["operations", "Restore a backup"],
  "use it with Power BI": ["questions", "How do I connect Power BI?"],
  "use it in Python": ["python", null],
  "does it work with R": ["r", null],
  "how is the data encrypted": ["trust/stolen-server", null],
  "upgrade to a new version": ["start/upgrade", null],
  "install with Docker": ["operations", "Ways to install"],
  "give budget to a team": ["do/give-a-budget", null],
  "approve a request": ["organisation", "Requests"],
  "public link": ["do/publish-an-answer", null],
  "rate limit": ["operations", "Rate limits"],
  "where are the logs": ["logs", null],
  "what is a cap": ["organisation", "Budgets and caps"],
} as const;

const index = passageIndex();

test.each(Object.entries(asked))("Ctrl K answers “%s” with its first line", (question, [page, heading]) => {
  const [first] = findPassages(index, question);
  expect(first?.place).toBe(`${page}.html${heading === null ? "" : `#${anchorOf(heading)}`}`);
  const text = readFileSync(join(root, `docs/${page}.md`), "utf8");
  expect(text).toMatch(new RegExp(`^#+ ${first?.title.replaceAll(/[?.=]/g, "\\$&")}$`, "m"));
  expect(first?.says).toMatch(/^[^<|#].{10}/);
});

test("what answers far less well than the first line is left out", () => {
  expect(findPassages(index, "negative count")).toHaveLength(1);
  expect(findPassages(index, "give a team a budget").length).toBeGreaterThan(1);
});

test("what no page says has no answer", () => {
  expect(findPassages(index, "zebra giraffe")).toEqual([]);
  expect(findPassages(index, "")).toEqual([]);
  expect(findPassages(index, "constructor")).toEqual([]);
});
