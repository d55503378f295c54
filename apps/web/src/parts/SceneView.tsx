import type { Scene, SceneNode } from "@dosimeter/plot";
import { createElement, type ReactNode } from "react";

/** A scene as live SVG. Its colours are the page's `--plot-…` variables. */
export function SceneView({ scene, label }: { scene: Scene; label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      width={scene.width}
      height={scene.height}
      viewBox={`0 0 ${scene.width} ${scene.height}`}
    >
      {scene.nodes.map(render)}
    </svg>
  );
}

function render(node: SceneNode | string, index: number): ReactNode {
  if (typeof node === "string") return node;
  const properties = Object.fromEntries(
    Object.entries(node.attributes).map(([name, value]) => [
      name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
  return createElement(node.tag, { ...properties, key: index }, ...node.children.map(render));
}
