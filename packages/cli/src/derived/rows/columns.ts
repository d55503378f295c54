export const accountColumns = [
  ...["account=path", "holder=holder.kind", "quota.epsilon", "spent ε=balance.epsilon.spent"],
  ...["promised ε=promised", "free.epsilon", "used=balance.used", "status", "id"],
];

/** The same, of several datasets. */
export const accountsOfAll = ["of=datasetNames", ...accountColumns];
