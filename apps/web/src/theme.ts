import { inks, type Theme } from "@dosimeter/plot";
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

const petrol: MantineColorsTuple = [
  "#e6f5f6",
  "#cfe8ea",
  "#a1d1d6",
  "#6fb9c1",
  "#45a3ae",
  "#2a93a0",
  "#178391",
  "#0e7684",
  "#0b6b78",
  "#075a65",
];

const amber: MantineColorsTuple = [
  "#fff3e6",
  "#fbe3cc",
  "#f5c59a",
  "#f0a564",
  "#ec8937",
  "#e07a1f",
  "#cc6514",
  "#b8500f",
  "#9c430c",
  "#833708",
];

/** Blue-tinted greys, so that dark pages look like the same product. */
const dark: MantineColorsTuple = [
  "#e8edf1",
  "#c6d1d9",
  "#9fb0bd",
  "#73838f",
  "#3a4955",
  "#2a3742",
  "#16202a",
  "#0f171e",
  "#0b1218",
  "#070c10",
];

/** Text on the primary colour: dark in the dark theme, white in the light one. */
const variantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isPrimary = input.color === undefined || input.color === input.theme.primaryColor;
  return input.variant === "filled" && isPrimary
    ? { ...colors, color: "var(--mantine-primary-color-contrast)" }
    : colors;
};

export const theme = createTheme({
  primaryColor: "petrol",
  primaryShade: { light: 8, dark: 3 },
  autoContrast: true,
  variantColorResolver: variantColors,
  colors: { petrol, amber, dark },
  defaultRadius: "sm",
  respectReducedMotion: true,
  cursorType: "pointer",
  fontFamily:
    "'Inter Variable', 'Inter stand-in', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', Menlo, monospace",
  fontSizes: { xs: "12px", sm: "14px", md: "16px", lg: "20px", xl: "28px" },
  headings: { fontWeight: "650" },
  // Touch targets are at least 24 pixels, with or without a label.
  components: {
    Checkbox: { vars: () => ({ root: { "--checkbox-size": "24px" } }) },
    Radio: { vars: () => ({ root: { "--radio-size": "24px" } }) },
  },
});

const plotVariables = (scheme: Theme): Record<string, string> =>
  Object.fromEntries(Object.entries(inks).map(([name, value]) => [`--plot-${name}`, value[scheme]]));

/** Charts and pages share one set of colours; muted text has a contrast of 4.5:1, and borders of inputs 3:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...plotVariables("light"),
    "--mantine-color-dimmed": "#55636e",
    "--mantine-color-placeholder": "#62707b",
    "--mantine-color-error": "#a8201a",
    "--mantine-color-default-border": "#8f9ba4",
  },
  dark: {
    ...plotVariables("dark"),
    "--mantine-color-dimmed": "#9fb0bd",
    "--mantine-color-placeholder": "#93a4b1",
    "--mantine-color-error": "#ff9c94",
    "--mantine-color-default-border": "#5f707d",
    "--mantine-color-disabled": "#2a3742",
    "--mantine-color-disabled-color": "#9fb0bd",
  },
});
