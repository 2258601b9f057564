/** What all forges tell of: pushes, issues and pull requests. Topics are those that people know from Zulip. */
import type { AddressOptions, UrlOption } from "../notice/integration.ts";
import { code, firstLine, link, listed, plain, quote, shortHash, together } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

export const branchesOption: UrlOption = {
  key: "branches",
  label: "Branches whose pushes are told",
  input_type: "text",
};

/** Whether pushes to a branch are told. */
export function isBranchTold(branch: string, { branches }: AddressOptions): boolean {
  return branches === undefined || branches.split(",").some((name) => name.trim() === branch);
}

/** The name of a branch or tag. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "");

/** The hash that stands for no commit. */
export const isNoHash = (hash: string): boolean => /^0+$/.test(hash);

export const branchTopic = (repository: string, branch: string): string => `${repository} / ${branch}`;

/** The topic of an issue or pull request; without a title its number alone. */
export const thingTopic = (repository: string, kind: string, number: string, title: string): string =>
  `${repository} / ${kind} #${number} ${title}`.trim();

interface Commit {
  hash: string;
  message: string;
  url: string;
  author: string;
}

interface Push {
  who: string;
  branch: string;
  /** Where all of it can be compared. */
  url?: string;
  commits: readonly Commit[];
  /** How many there are, when not all came along. */
  total?: number;
  isForced?: boolean;
  isDeleted?: boolean;
  /** The newest commit, for those that tell no others. */
  head?: string;
}

/** Who wrote how many of the commits, those of most first. */
function authors(commits: readonly Commit[]): [name: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { author } of commits) if (author !== "") counts.set(author, (counts.get(author) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

const mostAuthors = 3;

/** The commits of a push to a branch. */
export function push({ who, branch, url = "", commits, total, isForced, isDeleted, head }: Push): string {
  if (isDeleted) return `${who} ${link("deleted", url)} the branch ${plain(branch)}.`;
  const pushed = link(isForced ? "force-pushed" : "pushed", url);
  const to = head ? ` Its head is now ${code(shortHash(head))}.` : "";
  if (commits.length === 0) return `${who} ${pushed} the branch ${plain(branch)}.${to}`;
  const count = Math.max(total ?? 0, commits.length);
  const wrote = authors(commits);
  const others = wrote.slice(mostAuthors).reduce((sum, [, written]) => sum + written, 0);
  const names = wrote.slice(0, mostAuthors).map(([name, written]) => `${name} (${written})`);
  const isOwn = wrote.every(([name]) => name === who);
  const by = isOwn ? "" : ` Commits by ${together(others > 0 ? [...names, `others (${others})`] : names)}.`;
  const lines = commits.map((commit) => `${firstLine(commit.message)} (${link(shortHash(commit.hash), commit.url)})`);
  const left = count - commits.length;
  const all = listed(left > 0 ? [...lines, `… and ${left} more`] : lines);
  return `${who} ${pushed} ${count} commit${count === 1 ? "" : "s"} to ${plain(branch)}.${by}${to}\n\n${all}`;
}

interface Deed {
  who: string;
  /** What they did: "opened". */
  did: string;
  /** "issue", "PR", "MR". */
  kind: string;
  number: string;
  title: string;
  url: string;
  /** The branches of a pull request. */
  from?: string;
  to?: string;
  assignees?: readonly string[];
  /** What belongs to the deed: a label, a milestone. */
  detail?: string;
  /** The text of the issue or comment. */
  text?: string;
}

/** Who did what with an issue or pull request. */
export function deed({
  who,
  did,
  kind,
  number,
  title,
  url,
  from,
  to,
  assignees = [],
  detail,
  text = "",
}: Deed): string {
  const branches = from && to ? ` from ${code(from)} to ${code(to)}` : "";
  const assigned = assignees.length > 0 ? ` (assigned to ${together(assignees)})` : "";
  const more = detail ? ` ${detail}` : "";
  return `${who} ${did} ${link(`${kind} #${number}`, url)}${more}${branches}${assigned}: ${title}${quote(text)}`;
}

/** Who commented on a commit. */
export const onCommit = (who: string, did: string, hash: string, url: string, text: string): string =>
  `${who} ${did} on ${link(shortHash(hash), url)}:${quote(text)}`;

/** A tag that came or went. */
export const onTag = (who: string, did: string, tag: string, url = ""): string =>
  `${who} ${did} the tag ${link(tag, url)}.`;

/** "commented on", with the address of the comment; what else was done with it says so. */
export function commentDeed(action: string, url: string): string {
  return action === "created" ? `${link("commented", url)} on` : `${plain(action)} a ${link("comment", url)} on`;
}

/** Commits whose fields have GitHub's names. */
export const commitsOf = (payload: Payload): Commit[] =>
  payload.list("commits").map((one) => ({
    hash: one.line("id"),
    message: one.text("message"),
    url: one.text("url"),
    author: one.line("author.username", "author.name"),
  }));
