/** What an integration is: a service that posts to the server, and how what it says becomes a message. */
import type { Payload } from "./payload.ts";

/** What came. */
export interface Notice {
  payload: Payload;
  /** The event as a header names it, in lower case; empty where none does. */
  event: string;
  /** Parameters of the address that are the integration's own. */
  options: { name: string; desc: string };
}

/** What is said of it. */
export interface Said {
  /** One of the integration's `events`, by which it can be left out. */
  event?: string;
  topic: string;
  content: string;
}

/**
 * One word: `ignored` is an event that says nothing worth telling, `unknown` one that the integration does not know,
 * `empty` a payload in which there is nothing to tell.
 */
export type Unsaid = "ignored" | "unknown" | "empty";

export interface Integration {
  /** In the address. */
  name: string;
  displayName: string;
  /** What it tells of: names for `only_events` and `exclude_events`; none where it knows no kinds. */
  events?: readonly string[];
  read(notice: Notice): Said | Unsaid;
}
