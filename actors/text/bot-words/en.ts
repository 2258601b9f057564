/** What the organization's bots say in English, which is the base. It is Markdown, as is what is put into it. */
import type { Translated } from "../languages.ts";

export const words = {
  channelEvents: "channel events",
  newChannels: "new channels",
  webPublic: "Web-public",
  public: "Public",
  privateShared: "Private, shared history",
  privateProtected: "Private, protected history",
  openedChannel: (by: string, channel: string) => `${by} opened a new channel: ${channel}.`,
  createdChannel: (privacy: string, by: string) => `**${privacy}** channel created by ${by}. **Description:**`,
  noDescription: "No description.",
  wasEmpty: "(no description)",
  renamedChannel: (by: string, from: string, to: string) => `${by} renamed this channel from ${from} to ${to}.`,
  changedDescription: (by: string, before: string, now: string) =>
    `${by} changed what this channel is for.\n\nBefore:\n${before}\n\nNow:\n${now}`,
  changedPrivacy: (by: string, before: string, now: string) =>
    `${by} changed who may see this channel: **${before}** before, **${now}** now.`,
  archived: (by: string) => `${by} archived this channel.`,
  unarchived: (by: string) => `${by} brought this channel back from the archive.`,
  resolved: (by: string) => `${by} marked this topic as resolved.`,
  unresolved: (by: string) => `${by} marked this topic as unresolved.`,
  topicCame: (from: string, by: string) => `This topic was moved here from ${from} by ${by}.`,
  messageCame: (from: string, by: string) => `A message was moved here from ${from} by ${by}.`,
  messagesCame: (n: number, from: string, by: string) => `${n} messages were moved here from ${from} by ${by}.`,
  topicWent: (to: string, by: string) => `This topic was moved to ${to} by ${by}.`,
  messageWent: (to: string, by: string) => `A message was moved from this topic to ${to} by ${by}.`,
  messagesWent: (n: number, to: string, by: string) => `${n} messages were moved from this topic to ${to} by ${by}.`,
  addedYou: (by: string, channel: string) => `${by} added you to the channel ${channel}.`,
  addedYouToMany: (by: string) => `${by} added you to these channels:`,
  remindsOf: (what: string) => `You asked to be reminded of ${what}.`,
  remindsOfNothing: "You asked to be reminded of a message that was deleted, or that you can no longer read.",
  directMessageBy: (sender: string) => `a direct message by ${sender}`,
  note: "Note:",
  yourNote: "Your note:",
  wrote: (sender: string) => `${sender} wrote:`,
  requestsAbout: (name: string) => `${name}'s moderation requests`,
  reported: (by: string, what: string, sender: string) => `${by} reported ${what} sent by ${sender}.`,
  reason: (reason: string) => `Reason: **${reason}**`,
  notes: "Notes:",
  spam: "Spam",
  harassment: "Harassment",
  inappropriate: "Inappropriate content",
  norms: "Violates community norms",
  other: "Other reason",
  noteToOneself: "a note to oneself",
  directMessageTo: (names: string) => `a direct message to ${names}`,
  directMessageToThem: "a direct message to them",
  directMessageToThemAnd: (names: string) => `a direct message to them and ${names}`,
  botFailed: (bot: string, reason: string) =>
    `Your bot **${bot}** did not take a message: ${reason}. What fails in the next ten minutes you are not told.`,
  notSent: (by: string, time: string, reason: string) =>
    `${by}, the message you scheduled for ${time} could not be sent: ${reason}`,
  infected: (name: string, finding: string) =>
    `The file \`${name}\` that you uploaded is infected (\`${finding}\`), so it was deleted. Nobody could open it.`,
  accepted: (name: string) => `**${name}** accepted your invitation to join the organization.`,
  welcome: (realm: string) => `Welcome to **${realm}**! :wave:`,
  aboutTopics:
    "Conversations are in **channels**, and every message there has a **topic**: follow what concerns you, leave the rest.",
  sayHello: (channel: string) => `Say hello in ${channel}, under a topic of your own or one that is there.`,
  ownersInvite: "You own this organization: *Invite people* in the menu behind your picture makes links for others.",
  ownersSettings: "The settings behind the same picture have its name, its channels and who may do what.",
  tryOut:
    "This is a **direct message**, which only the two of us read: try out here how messages look. I do not answer.",
} as const;

export type BotWords = Translated<typeof words>;
