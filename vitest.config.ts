import { defineConfig } from "vitest/config";

const settings = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: "forks",
} as const;

/** Contract tests that always run on two nodes as well: what people read, are told of, and share across nodes. */
const onTwoNodes = [
  "bots/keys",
  "bots/called",
  "bots/on-behalf",
  "invitations/invited-by",
  "personal/drafts",
  "invitations/invitations",
  "messages/flags",
  "messages/read",
  "presence/presence",
  "api/rate-limits",
  "messages/reactions",
  "users/settings",
  "subscriptions/subscriptions",
  "presence/typing",
  "uploads/uploads",
  "users/states",
];

/**
 * Contract tests that always run over the JavaScript twin of the HTTP server as well: every kind of request and answer there is
 * (log-ins, pages, bodies of each type, files, polls, large answers, errors, limits, headers for browsers).
 */
const onTheTwin = [
  "authentication",
  "conventions",
  "emoji",
  "errors",
  "history",
  "hostile",
  "join-page",
  "messages-send",
  "openapi",
  "presence",
  "rate-limits",
  "reactions",
  "register",
  "restart",
  "spectators",
  "typing",
  "uploads",
];

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 2,
    projects: [
      { test: { ...settings, name: "tests", include: ["test/**/*.test.ts"] } },
      {
        test: {
          ...settings,
          name: "two nodes",
          include: onTwoNodes.map((name) => `test/contract/${name}.test.ts`),
          env: { PARLEY_TEST_NODES: "2" },
        },
      },
      {
        test: {
          ...settings,
          name: "javascript twin",
          include: onTheTwin.map((name) => `test/contract/${name}.test.ts`),
          env: { PARLEY_HTTP_BUILD: "javascript" },
        },
      },
    ],
  },
});
