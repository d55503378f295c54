import { join } from "node:path";

export const OPERATOR_FILE = "operator.token";

/** Where the operator's token is: with the uploads where they lie apart, since all servers of a database share those. */
export const operatorFile = ({
  folder,
  uploads,
}: {
  readonly folder: string;
  readonly uploads?: string | undefined;
}): string => join(uploads ?? folder, OPERATOR_FILE);
