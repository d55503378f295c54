import "./styles/mantine.css";
import "./styles/font.css";
import "./styles/tokens.css";
import "./styles/shell.css";
import "./styles/layout.css";
import "./styles/tables.css";
import "./styles/figures.css";
import "./styles/parts.css";
import "./styles/ask.css";
import "./styles/utilities.css";
import "./styles/print.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isServed, queryClient } from "./api/connection.ts";
import { sessionQuery } from "./api/session.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme.ts";

// Every page waits for it: asked before the first one is drawn.
if (isServed) void queryClient.prefetchQuery(sessionQuery);

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
