import type { Rows } from "../row.ts";

const charge = {
  columns: [
    ...["charge=id", "at", "who vouches=personName", "key", "purpose", "tool.name", "tool.version", "relation"],
    ...["cost ε=price.epsilon", "cost δ=price.delta", "cost μ²=price.mu2", "line=entry.number", "published.on"],
    ...["published.where", "permit used=redeemed.at", "commit=evidence.commit", "result=evidence.sha256"],
    ...["report at=evidence.address", "report=evidence.report", "cite=citation"],
  ],
} as const;
const right = { columns: ["most ε=mostEpsilon", "a second person above ε=secondAbove", "agents too=agents"] } as const;

/** Programs outside. */
export const chargeRows = {
  quoteCharge: { by: "charge make" },
  declareCharge: { by: "charge make" },
  approveCharge: { by: "charge approve" },
  listWaitingCharges: {
    command: "charge waiting",
    columns: [
      "waiting=id",
      "at",
      "status",
      "who vouches=personName",
      "dataset=datasetName",
      "key=stated.key",
      "purpose=stated.purpose",
      "ε=price.epsilon",
      "account=stated.account",
    ],
  },
  decideCharge: { command: "charge decide", args: ["account", "waiting", "outcome"], finds: { account: null } },
  quoteImport: { by: "charge import" },
  importCharges: { by: "charge import" },
  listCharges: {
    command: "charge list",
    args: ["dataset"],
    columns: [
      "charge=id",
      "at",
      "who vouches=personName",
      "key",
      "purpose",
      "ε=price.epsilon",
      "δ=price.delta",
      "μ²=price.mu2",
    ],
  },
  showCharge: { command: "charge show", ...charge },
  showPermit: { command: "charge permit", says: ({ permit }) => permit },
  redeemPermit: {
    command: "charge redeem",
    args: ["permit"],
    says: ({ charge: { key } }) => `used: it was for ${key}`,
  },
  attachEvidence: { command: "charge evidence", ...charge },
  publishEvidence: { command: "charge publish", ...charge },
  showDeclaring: { command: "account declaring", args: ["ledger", "account"], ...right },
  setDeclaring: { command: "account declaring", args: ["ledger", "account"], ...right },
} as const satisfies Partial<Rows>;
