/**
 * Draws the lifecycles in ARCHITECTURE.md from their machines, between two marks. `npm run diagrams` writes them;
 * `test/diagrams.test.ts` fails when they are stale.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { AnyStateMachine, AnyTransitionDefinition, StateNode } from "xstate";
import { channelMachine } from "../../../actors/channels/channel-machine.ts";
import { folderMachine } from "../../../actors/channels/folder-machine.ts";
import { candidateMachine } from "../../../actors/cluster/machine.ts";
import { eventQueueMachine } from "../../../actors/event-queue/machine.ts";
import { identityMachine } from "../../../actors/identities/machine.ts";
import { invitationMachine } from "../../../actors/invitations/machine.ts";
import { realmMachine } from "../../../actors/realm/machine.ts";
import { scheduledMachine } from "../../../actors/scheduled/machine.ts";
import { uploadMachine } from "../../../actors/uploads/upload-machine.ts";
import { accountMachine } from "../../../actors/users/account-machine.ts";
import { secondFactorMachine } from "../../../actors/users/second-factors/machine.ts";
import { passkeyMachine } from "../../../actors/users/second-factors/passkey-machine.ts";

/** What is drawn, in this order: a heading, the file whose head has the rules, the machine. */
export const lifecycles: readonly [noun: string, file: string, machine: AnyStateMachine][] = [
  ["Realm on a node", "actors/realm/machine.ts", realmMachine],
  ["Event queue", "actors/event-queue/machine.ts", eventQueueMachine],
  ["Candidate for writer", "actors/cluster/machine.ts", candidateMachine],
  ["Account", "actors/users/account-machine.ts", accountMachine],
  ["Second factor", "actors/users/second-factors/machine.ts", secondFactorMachine],
  ["Passkey", "actors/users/second-factors/passkey-machine.ts", passkeyMachine],
  ["Identity at a provider", "actors/identities/machine.ts", identityMachine],
  ["Invitation", "actors/invitations/machine.ts", invitationMachine],
  ["Channel", "actors/channels/channel-machine.ts", channelMachine],
  ["Channel folder", "actors/channels/folder-machine.ts", folderMachine],
  ["Uploaded file", "actors/uploads/upload-machine.ts", uploadMachine],
  ["Scheduled message, reminder", "actors/scheduled/machine.ts", scheduledMachine],
];

const document = new URL("../../../ARCHITECTURE.md", import.meta.url);
const [begin, end] = ["<!-- lifecycles: written by `npm run diagrams` -->", "<!-- end of lifecycles -->"] as const;

type Effect = string | { type: string; params?: unknown };
const typeOf = (effect: unknown): string => (typeof effect === "string" ? effect : (effect as { type: string }).type);
const reasonOf = (effect: unknown): string | undefined =>
  typeOf(effect) === "refuse" ? ((effect as Exclude<Effect, string>).params as { reason: string }).reason : undefined;

/** The ways that one event leads from one state: a line each, without those that are refused. */
function arrows(node: StateNode, event: string, ways: readonly AnyTransitionDefinition[]): string[] {
  const lines: string[] = [];
  const refusals: string[] = [];
  for (const { guard, actions, target } of ways) {
    const reason = actions.map(reasonOf).find((found) => found !== undefined);
    if (reason !== undefined) {
      refusals.push(reason);
      continue;
    }
    const to = target?.[0] ?? node;
    const when = guard ? ` [${typeOf(guard)}]` : "";
    const unless = refusals.length > 0 ? ` unless ${refusals.join(", ")}` : "";
    const orders = [...actions, ...(to === node ? [] : to.entry)].map(typeOf);
    const does = orders.length > 0 ? ` / ${orders.join(", ")}` : "";
    lines.push(`    ${node.key} --> ${to.key}: ${event}${when}${unless}${does}`);
  }
  return lines;
}

/** One machine as a Mermaid state diagram. */
export function diagramOf(machine: AnyStateMachine): string {
  const nodes = Object.values(machine.root.states) as StateNode[];
  const lines = [`    [*] --> ${machine.root.initial.target[0]!.key}`];
  for (const node of nodes) {
    const leaving = [...node.transitions].flatMap(([event, ways]) => arrows(node, event, ways));
    lines.push(...leaving);
    if (leaving.length === 0) lines.push(`    ${node.key} --> [*]`);
  }
  return ["```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n");
}

/** The document as it should be. @throws Error where the marks are missing */
export function redrawn(text: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`ARCHITECTURE.md needs the lines "${begin}" and "${end}"`);
  const drawn = lifecycles.map(
    ([noun, file, machine]) => `### ${noun}\n\nRules: \`${file}\`.\n\n${diagramOf(machine)}\n`,
  );
  return `${text.slice(0, from)}${begin}\n\n${drawn.join("\n")}\n${text.slice(to)}`;
}

export const readDocument = (): string => readFileSync(document, "utf8");
export const writeDocument = (): void => writeFileSync(document, redrawn(readDocument()));
