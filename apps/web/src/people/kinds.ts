export const kinds = { user: "person", service: "service", agent: "AI agent" } as const;
