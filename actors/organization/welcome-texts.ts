/**
 * The first texts of a new organization and its newcomers. None is longer than 1000 characters: the name of an
 * organization has at most 40.
 */
import type { ChannelId } from "../../storage/ids.ts";
import { asText } from "../text/as-text.ts";
import type { BotWords } from "../text/bot-words/en.ts";

export const firstTopic = "welcome";

/** @param channel a channel of theirs in which to say hello; undefined when there is none */
export interface Newcomer {
  organization: string;
  isOwner: boolean;
  channel: { id: ChannelId; name: string } | undefined;
}

/** The direct message of Welcome Bot to somebody who joined. */
export function welcomeText({ organization, isOwner, channel }: Newcomer, words: BotWords): string {
  const points = [
    words.aboutTopics,
    channel && words.sayHello(`#**${channel.name}**`),
    isOwner && words.ownersInvite,
    isOwner && words.ownersSettings,
    words.tryOut,
  ].filter((point) => typeof point === "string");
  const welcome = words.welcome(asText(organization.replace(/\s+/g, " ")));
  return `${welcome}\n\n${points.map((point) => `* ${point}`).join("\n")}`;
}

/** The first message of the first channel. */
export function firstMessageText(channel: string): string {
  return `This is the topic **${firstTopic}** in the channel #**${channel}**, which everybody joins.

* To go on with a topic, answer to it.
* To talk about something else, begin a new topic: its name says in a few words what it is about.`;
}
