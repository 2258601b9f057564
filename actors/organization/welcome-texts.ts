/**
 * The first texts of a new organization and its newcomers. None is longer than 1000 characters: the name of an
 * organization has at most 40.
 */
import type { ChannelId } from "../../storage/ids.ts";
import { asText } from "../text/as-text.ts";

export const firstTopic = "welcome";

/** @param channel a channel of theirs in which to say hello; undefined when there is none */
export interface Newcomer {
  organization: string;
  isOwner: boolean;
  channel: { id: ChannelId; name: string } | undefined;
}

/** The direct message of Welcome Bot to somebody who joined. */
export function welcomeText({ organization, isOwner, channel }: Newcomer): string {
  const points = [
    "Conversations are in **channels**, and every message there has a **topic**: follow what concerns you, leave the rest.",
    channel && `Say hello in #**${channel.name}**, under a topic of your own or one that is there.`,
    isOwner && "You own this organization: *Invite people* in the menu behind your picture makes links for others.",
    isOwner && "The settings behind the same picture have its name, its channels and who may do what.",
    "This is a **direct message**, which only the two of us read: try out here how messages look. I do not answer.",
  ].filter((point) => typeof point === "string");
  return `Welcome to **${asText(organization.replace(/\s+/g, " "))}**! :wave:\n\n${points.map((point) => `* ${point}`).join("\n")}`;
}

/** The first message of the first channel. */
export function firstMessageText(channel: string): string {
  return `This is the topic **${firstTopic}** in the channel #**${channel}**, which everybody joins.

* To go on with a topic, answer to it.
* To talk about something else, begin a new topic: its name says in a few words what it is about.`;
}
