import { type Chart, type ChartSize, regionMap } from "@dosimeter/plot";
import { placesOf, type ReportedAnswer } from "@dosimeter/plot/report";
import { IconMap } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { regionsOf } from "./regions.ts";

export type Draw = (size: ChartSize) => Chart;

/** Shows an answer by states or countries on a map, and back; nothing where its column is neither. The map loads when it is asked for. */
export function MapTool({
  answer,
  isOn,
  onMap,
}: {
  answer: ReportedAnswer;
  isOn: boolean;
  onMap: (draw: Draw | null) => void;
}) {
  const places = placesOf(answer);
  const regions =
    places === null
      ? null
      : regionsOf(
          [places.by, places.placeLabel],
          places.values.map(({ key }) => key),
        );
  const show = useMutation({
    mutationFn: async () => {
      if (places === null || regions === null) return;
      const atlas = await (await import("./atlas.ts")).atlasOf(regions.map);
      const values = places.values.map((value) => ({ ...value, id: regions.idOf(value.key) ?? "" }));
      onMap((size) => regionMap({ ...places, ...atlas, values }, size));
    },
  });
  return regions === null ? null : (
    <button
      type="button"
      className="tool"
      aria-pressed={isOn}
      disabled={show.isPending}
      onClick={() => (isOn ? onMap(null) : show.mutate())}
    >
      <IconMap size={16} aria-hidden /> {show.isError ? "The map did not load: again" : "Map"}
    </button>
  );
}
