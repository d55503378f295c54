/** What a table of accounts says of each. */
export const accountColumns = [
  ...["account=path", "holder=holder.kind", "quota.epsilon", "given on=allocated.epsilon"],
  ...["spent ε=balance.epsilon.spent", "free.epsilon", "used=balance.used", "status", "id"],
];

/** The same, of several datasets. */
export const accountsOfAll = ["of=datasetNames", ...accountColumns];
