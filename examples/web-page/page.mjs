import { accuracy } from "dosimeter";
import { lineChart, toSvg } from "dosimeter/plot";

const at = (id) => document.getElementById(id);

/** Half-width of the 95 % interval of the mean of numbers from 0 to 100. */
const errorOf = (epsilon, people) =>
  accuracy({ statistic: "mean", epsilon, lower: 0, upper: 100, n: people, failureProbability: 0.05 });

function show() {
  const epsilon = Number(at("epsilon").value) / 100;
  const people = 100 * Number(at("people").value);
  const error = errorOf(epsilon, people);
  at("said").textContent = `With ε = ${epsilon} and ${people} people the average is within ± ${error.toPrecision(3)}.`;
  const sizes = Array.from({ length: 100 }, (_, index) => 100 * (index + 1));
  const { scene } = lineChart(
    {
      title: "The error of an average",
      x: { label: "People" },
      y: { label: "Within ±", scale: "log" },
      series: [{ name: `ε = ${epsilon}`, points: sizes.map((size) => [size, errorOf(epsilon, size)]) }],
      markers: [{ x: people, y: error, label: "here" }],
    },
    { width: 640 },
  );
  at("chart").innerHTML = toSvg(scene, { theme: "light" });
}

for (const id of ["epsilon", "people"]) at(id).addEventListener("input", show);
show();
