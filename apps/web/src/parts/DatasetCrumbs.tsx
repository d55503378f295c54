import { Link } from "@tanstack/react-router";

/** Where a page of one dataset is; the name is waited for. */
export const DatasetCrumbs = ({ id, name = "…" }: { readonly id: string; readonly name?: string | undefined }) => (
  <>
    <Link to="/datasets">Datasets</Link> ›{" "}
    <Link to="/datasets/$dataset" params={{ dataset: id }}>
      {name}
    </Link>
  </>
);
