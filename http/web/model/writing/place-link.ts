/** The address of a channel, a topic or a message of this organization, as a link in a text. */
import { t } from "../../texts.ts";
import { narrowOfHash, termOf } from "../../wire/narrow.ts";
import type { Channels } from "../channels.ts";

interface PlaceLink {
  kind: "channel" | "topic";
  /** What the place is called. */
  label: string;
  markdown: string;
}

const known = new Set(["channel", "topic", "near", "with"]);
/** Characters that end a link between stars, here or in other clients of Zulip. */
const breaking = /[`>*&[\]]|\$\$/;
/** The end of a topic that would be read as that of a link to a message. */
const messageEnd = /@\d+$/;

/** Undefined for an address of anything else. */
export function linkOfAddress(channels: Channels, address: string): PlaceLink | undefined {
  if (!URL.canParse(address, location.origin)) return undefined;
  const { origin, pathname, hash } = new URL(address, location.origin);
  if (origin !== location.origin || pathname !== "/") return undefined;
  const narrow = narrowOfHash(hash, (name) => channels.idOf(name)) ?? [];
  if (narrow.some(({ operator, negated }) => negated || !known.has(operator))) return undefined;
  const channelId = termOf(narrow, "channel")?.operand;
  const channel = typeof channelId === "number" ? channels.get(channelId) : undefined;
  const topic = termOf(narrow, "topic")?.operand;
  const near = termOf(narrow, "near")?.operand;
  if (!channel || (topic === undefined && near !== undefined)) return undefined;
  const name = `#${channel.name}`;
  if (topic === undefined) {
    const markdown = breaking.test(channel.name) ? plainLink(name, hash) : `#**${channel.name}**`;
    return { kind: "channel", label: name, markdown };
  }
  const isUnsafe = breaking.test(channel.name) || breaking.test(String(topic)) || messageEnd.test(String(topic));
  const label = `${name} > ${String(topic) || t.generalChat}${near === undefined ? "" : " @ 💬"}`;
  const target = `${channel.name}>${String(topic)}${near === undefined ? "" : `@${String(near)}`}`;
  return { kind: "topic", label, markdown: isUnsafe ? plainLink(label, hash) : `#**${target}**` };
}

const plainLink = (label: string, hash: string): string => `[${label.replace(/[[\]]/g, "")}](${hash})`;
