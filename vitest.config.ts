import { existsSync } from "node:fs";
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
  "events/stream",
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
 * Contract tests that always run over the JavaScript twin of the HTTP server as well: every kind of request and answer
 * (log-ins, pages, bodies of each type, files, polls, large answers, errors, limits, headers for browsers).
 */
const onTheTwin = [
  "users/authentication",
  "api/conventions",
  "organization/emoji",
  "api/errors",
  "events/stream",
  "messages/history",
  "api/hostile",
  "invitations/join-page",
  "messages/send",
  "api/openapi",
  "presence/presence",
  "api/rate-limits",
  "messages/reactions",
  "register/register",
  "register/restart",
  "users/spectators",
  "presence/typing",
  "uploads/uploads",
];

/**
 * Tests that always run on streams as well, where a client's every event comes from a stream instead of a poll's answer:
 * convergence, rights that end, and what becomes of streams when processes die.
 */
const onStreams = [
  "contract/bots/keys",
  "contract/bots/on-behalf",
  "contract/channels/events",
  "contract/messages/flags",
  "contract/messages/reactions",
  "contract/organization/settings",
  "contract/presence/typing",
  "contract/register/restart",
  "contract/subscriptions/subscriptions",
  "contract/users/settings",
  "scenario/cluster",
  "scenario/crash",
];

/** @throws for a test that does not exist: a project that runs nothing would pass. */
function contractTest(name: string): string {
  return testFile(`contract/${name}`);
}

function testFile(name: string): string {
  const file = `test/${name}.test.ts`;
  if (!existsSync(new URL(file, import.meta.url)))
    throw new Error(`vitest.config.ts lists ${file}, which does not exist.`);
  return file;
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/server/global-setup.ts"],
    maxWorkers: 2,
    projects: [
      { test: { ...settings, name: "tests", include: ["test/**/*.test.ts"] } },
      {
        test: {
          ...settings,
          name: "two nodes",
          include: onTwoNodes.map(contractTest),
          env: { PARLEY_TEST_NODES: "2" },
        },
      },
      {
        test: {
          ...settings,
          name: "javascript twin",
          include: onTheTwin.map(contractTest),
          env: { PARLEY_HTTP_BUILD: "javascript" },
        },
      },
      {
        test: {
          ...settings,
          name: "streams",
          include: onStreams.map(testFile),
          env: { PARLEY_TEST_TRANSPORT: "stream" },
        },
      },
    ],
  },
});
