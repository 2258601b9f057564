/** Words that all tables of GitHub begin with. */
import { link, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

export const who = (payload: Payload): string => payload.person("sender.login");

export const actionOf = (payload: Payload): string => spoken(payload.line("action")) || "changed";

/** The repository, and where it is. */
export const repository = (payload: Payload): string =>
  link(payload.line("repository.full_name", "repository.name"), payload.text("repository.html_url"));
