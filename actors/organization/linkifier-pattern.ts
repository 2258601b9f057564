import { RE2JS, RE2JSException } from "re2js";
import { isSafeUrl, parseUriTemplate, type UriTemplate, UriTemplateError } from "../text/uri-template.ts";

/**
 * Linkifiers: an administrator's regular expression and URL template, applied to the text of every message and topic.
 *
 * Patterns are Python's (`(?P<name>…)`) and run on `re2js`, whose time is proportional to text times pattern, whatever
 * the pattern. Three limits make that product small: the size of the compiled program, the length of the piece of text
 * searched at once, and a budget of steps for one message. The last is needed because finding *all* matches can still
 * be quadratic: after `a.*b|a` has read to the end of the text and found no `b`, it has matched one `a`, and it starts
 * again behind it. The budget counts what a search may cost at most and never time: the same text has the same links on
 * a busy machine.
 *
 * A match must stand alone: the text starts before it or there is white space or one of `'"(,:<`, and the text ends
 * behind it or there is no letter and no digit. The rule is part of the expression that runs, not a filter after it, so
 * that `foo|foobar` finds the second alternative in `foobar`. Source: the rule that Zulip's clients apply in local
 * echo.
 */

/** Code units of a pattern. */
export const maxPatternLength = 1_000;
/** Instructions of a compiled pattern: a list of fifty words has about 400, and a SHA-1 (`[0-9a-f]{40}`) about 40. */
export const maxProgramSize = 500;
/**
 * Code units searched at once: few enough for `re2js` to keep a bit for each of them and each instruction, its faster
 * way.
 */
const maxPieceLength = 480;
/**
 * Steps (instructions times code units) for all linkifiers over all parts of one message. Each link of `#[0-9]+` takes
 * about 4,000 of them, so a thousand links fit. The slowest rules found take about 50 ms to spend them on a 2020s
 * laptop core.
 */
const searchSteps = 5_000_000;
/** Asking whether there is a match at all is this many times as cheap as finding it. */
const testDiscount = 8;

/** What is left of the steps for one message, which has as many pieces of text as its formatting makes. */
export interface SearchBudget {
  leftSteps: number;
}
export const newSearchBudget = (steps = searchSteps): SearchBudget => ({ leftSteps: steps });
/** Code units of an address: browsers and proxies take less. A template with many groups could make megabytes. */
const maxUrlLength = 4_000;
/** Code units of an example. */
const maxExampleLength = 1_000;
/** Alternative URL templates of one linkifier. */
const maxAlternativeTemplates = 100;

/** What an administrator gave, as on the wire. */
export interface LinkifierRule {
  pattern: string;
  url_template: string;
}

/** A checked rule, ready to run. Immutable, so one may serve any number of texts. */
export interface CompiledLinkifier {
  /** The pattern as given, to match a whole text (an example) with. */
  readonly whole: RE2JS;
  /** The pattern inside the rule for what stands around it; group `matchGroup` is what the pattern itself matched. */
  readonly bounded: RE2JS;
  /** Instructions of `bounded`. */
  readonly programSize: number;
  /** Names of the pattern's groups. */
  readonly groups: readonly string[];
  readonly urlTemplate: UriTemplate;
}

/** A linkifier that cannot be used, with a sentence for the person who wrote it. */
export class LinkifierError extends Error {
  override readonly name = "LinkifierError";
}

/** Checks and compiles a linkifier. @throws LinkifierError */
export function compileLinkifier(rule: LinkifierRule): CompiledLinkifier {
  const whole = compilePattern(rule.pattern);
  const groups = Object.keys(whole.namedGroups());
  for (const group of groups) {
    if (/^[0-9]/.test(group)) throw new LinkifierError(`Invalid regular expression: bad group name “${group}”.`);
  }
  const urlTemplate = compileTemplate(rule.url_template, groups, "URL template");
  const sample = Object.fromEntries(groups.map((group) => [group, "x"]));
  if (!isSafeUrl(urlTemplate.expand(sample))) {
    throw new LinkifierError("URL template must not make a script or data URL.");
  }
  const bounded = RE2JS.compile(withBoundaries(rule.pattern));
  return { whole, bounded, programSize: bounded.programSize(), groups, urlTemplate };
}

function compilePattern(pattern: string): RE2JS {
  if (pattern === "") throw new LinkifierError("Invalid regular expression: it is empty.");
  if (pattern.length > maxPatternLength) {
    throw new LinkifierError(`Regular expression is too long: at most ${maxPatternLength} characters are allowed.`);
  }
  checkPythonSyntax(pattern);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, "");
    throw new LinkifierError(`Invalid regular expression: ${reason}.`);
  }
  if (compiled.programSize() > maxProgramSize) {
    throw new LinkifierError("Regular expression is too complex: use fewer or smaller repetitions.");
  }
  return compiled;
}

/**
 * Refuses what `re2js` takes but Python does not: `(?<name>…)`, JavaScript's spelling, and `\Q…\E`.
 *
 * @throws LinkifierError
 */
function checkPythonSyntax(pattern: string): void {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") {
      i++;
      // An unclosed \Q would also swallow what is put behind the pattern.
      if (pattern[i] === "Q") throw new LinkifierError("Invalid regular expression: “\\Q” is not supported.");
    } else if (inClass) inClass = char !== "]";
    else if (char === "[") {
      inClass = true;
      // A “]” that comes first in a class stands for itself.
      if (pattern[i + 1] === "^") i++;
      if (pattern[i + 1] === "]") i++;
    } else if (pattern.startsWith("(?<", i) && !/[=!]/.test(pattern.charAt(i + 3))) {
      throw new LinkifierError("Invalid regular expression: named groups are written “(?P<name>…)”.");
    }
  }
}

const matchGroup = 2;

function withBoundaries(pattern: string): string {
  // \s is ASCII only in RE2; \pZ and U+0085 add the rest of Unicode's white space.
  return `(^|[\\s\\x{85}\\pZ'"(,:<])(${pattern})(?:$|[^\\pL\\pN])`;
}

const allowedBefore = /^[\s\u0085\p{Z}'"(,:<]$/u;
const refusedAfter = /^[\p{L}\p{N}]$/u;

function compileTemplate(template: string, groups: readonly string[], what: string): UriTemplate {
  if (template.trim() === "") throw new LinkifierError(`The ${what} is empty.`);
  let parsed: UriTemplate;
  try {
    parsed = parseUriTemplate(template);
  } catch (error) {
    if (error instanceof UriTemplateError) throw new LinkifierError(error.message);
    throw error;
  }
  const unknown = parsed.variables.find((name) => !groups.includes(name));
  if (unknown !== undefined) {
    throw new LinkifierError(`Group “${unknown}” in ${what} is not present in the linkifier pattern.`);
  }
  return parsed;
}

/** One link in a text: UTF-16 offsets `start` and `end` (exclusive), the text between them, and where it leads. */
export interface LinkifierMatch {
  start: number;
  end: number;
  text: string;
  url: string;
}

/**
 * Finds every link that the linkifiers make in a text, in the order of the text, none overlapping another: where two
 * rules match, the one that comes first in `linkifiers` wins. A text that spends the budget keeps the links found until
 * then.
 */
export function findMatches(
  linkifiers: readonly CompiledLinkifier[],
  text: string,
  budget: SearchBudget = newSearchBudget(),
): LinkifierMatch[] {
  if (linkifiers.length === 0 || text === "") return [];
  const pieces = splitIntoPieces(text);
  const taken = linkifiers.length > 1 ? new Uint8Array(text.length) : undefined;
  const matches: LinkifierMatch[] = [];
  for (const linkifier of linkifiers) {
    for (const piece of pieces) {
      if (!spend(budget, (linkifier.programSize * piece.text.length) / testDiscount)) break;
      // Most texts have no link; the boolean search is several times faster than one that finds groups.
      if (!linkifier.bounded.test(piece.text)) continue;
      for (const match of findInPiece(linkifier, text, piece, budget)) {
        if (taken?.subarray(match.start, match.end).includes(1)) continue;
        taken?.fill(1, match.start, match.end);
        matches.push(match);
      }
    }
  }
  return matches.sort((a, b) => a.start - b.start);
}

/** Takes what a search may cost. Returns false when there is not that much left; nothing is then. */
function spend(budget: SearchBudget, steps: number): boolean {
  budget.leftSteps = Math.max(0, budget.leftSteps - steps);
  return budget.leftSteps > 0;
}

interface Piece {
  offset: number;
  text: string;
}

/** Where a long text is cut, the best place first: a link across a cut is lost. */
const cuts = [/\n/, /[.!?;:,]\s/, /\s/];

/** Cuts a long text behind a line, else behind part of a sentence, else behind white space, where it can. */
function splitIntoPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  while (offset < text.length) {
    const end = offset + maxPieceLength < text.length ? cutAt(text, offset) : text.length;
    pieces.push({ offset, text: text.slice(offset, end) });
    offset = end;
  }
  return pieces;
}

function cutAt(text: string, offset: number): number {
  const end = offset + maxPieceLength;
  for (const cut of cuts) {
    // The later half only, so that short lines do not make many pieces.
    for (let at = end; at > offset + maxPieceLength / 2; at--) {
      if (cut.test(text.slice(at - (cut === cuts[1] ? 2 : 1), at))) return at;
    }
  }
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

function* findInPiece(
  linkifier: CompiledLinkifier,
  text: string,
  piece: Piece,
  budget: SearchBudget,
): Generator<LinkifierMatch> {
  const matcher = linkifier.bounded.matcher(piece.text);
  const { length } = piece.text;
  let position = 0;
  while (
    position <= length &&
    spend(budget, linkifier.programSize * (length - position + 1)) &&
    matcher.find(position)
  ) {
    const start = piece.offset + matcher.start(matchGroup);
    const end = piece.offset + matcher.end(matchGroup);
    // The next search begins right behind the link: what ends one link may open the next.
    position = Math.max(matcher.end(matchGroup), matcher.start() + 1);
    if (end === start || !standsAlone(text, start, end)) continue;
    const url = expandUrl(linkifier, (group) => matcher.group(group));
    if (url === undefined || url.length > maxUrlLength || !spend(budget, url.length)) continue;
    yield { start, end, text: text.slice(start, end), url };
  }
}

/** The expression has seen one piece only; this looks at the whole text, which matters at the edges of a piece. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = start === 0 || allowedBefore.test(text.charAt(start - 1));
  return before && (end === text.length || !refusedAfter.test(String.fromCodePoint(text.codePointAt(end)!)));
}

function expandUrl(linkifier: CompiledLinkifier, group: (name: string) => string | null): string | undefined {
  const values: Record<string, string | null> = {};
  for (const name of linkifier.urlTemplate.variables) values[name] = group(name);
  try {
    const url = linkifier.urlTemplate.expand(values);
    return isSafeUrl(url) ? url : undefined;
  } catch (error) {
    // An unpaired surrogate has no UTF-8, so there is no URL that could name it.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** What makes a linkifier reversible, as on the wire. */
export interface ReverseRule {
  example_input: string | null;
  reverse_template: string | null;
  alternative_url_templates: readonly string[];
}

/**
 * Checks the parts of a linkifier that turn a pasted URL back into text. Returns what is wrong as a sentence, or
 * `undefined`:
 * - `example_input` must be matched by the pattern as a whole;
 * - `reverse_template` needs an example, uses only groups of the pattern, and filled in with what the pattern finds in
 *   the example must give back the example;
 * - alternative URL templates are RFC 6570 and use only groups of the pattern.
 *
 * https://zulip.com/api/add-linkifier
 */
export function checkReverseTemplate(linkifier: CompiledLinkifier, rule: ReverseRule): string | undefined {
  const { example_input: example, reverse_template: reverse } = rule;
  if (reverse !== null && example === null) return "Example input is required for a reverse template.";
  if (example !== null) {
    if (example.length > maxExampleLength) {
      return `Example input is too long: at most ${maxExampleLength} characters are allowed.`;
    }
    const matcher = linkifier.whole.matcher(example);
    if (!matcher.matches()) return "Example input does not match the linkifier pattern.";
    if (reverse !== null) {
      const problem = checkRoundTrip(linkifier, reverse, example, (group) => matcher.group(group));
      if (problem !== undefined) return problem;
    }
  }
  if (rule.alternative_url_templates.length > maxAlternativeTemplates) {
    return `At most ${maxAlternativeTemplates} alternative URL templates are allowed.`;
  }
  for (const template of rule.alternative_url_templates) {
    try {
      compileTemplate(template, linkifier.groups, "alternative URL template");
    } catch (error) {
      if (error instanceof LinkifierError) return error.message;
      throw error;
    }
  }
  return undefined;
}

/** The parts of a reverse template: `{{`, `}}`, `{name}`, or text without braces. Anything else is an error. */
const reversePart = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[^{}]+/y;

function checkRoundTrip(
  linkifier: CompiledLinkifier,
  template: string,
  example: string,
  group: (name: string) => string | null,
): string | undefined {
  if (template.length > maxPatternLength) {
    return `Reverse template is too long: at most ${maxPatternLength} characters are allowed.`;
  }
  let regenerated = "";
  let position = 0;
  while (position < template.length) {
    reversePart.lastIndex = position;
    const part = reversePart.exec(template);
    if (!part) return "Invalid reverse template: write “{{” and “}}” for literal braces.";
    position = reversePart.lastIndex;
    const name = part[1];
    if (name !== undefined && !linkifier.groups.includes(name)) {
      return `Group “${name}” in reverse template is not present in the linkifier pattern.`;
    }
    regenerated += name !== undefined ? (group(name) ?? "") : part[0] === "{{" ? "{" : part[0] === "}}" ? "}" : part[0];
  }
  if (regenerated !== example) return "Reverse template does not give back the example input.";
  return undefined;
}
