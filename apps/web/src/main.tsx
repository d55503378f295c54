import "@mantine/core/styles.css";
import "./styles/tokens.css";
import "./styles/shell.css";
import "./styles/layout.css";
import "./styles/tables.css";
import "./styles/figures.css";
import "./styles/parts.css";
import "./styles/print.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/connection.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme.ts";

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
