import { RE2JS, RE2JSException } from "re2js";
import { defineDerived } from "../realm/state/state.ts";
import { isSafeUrl, parseUriTemplate, type UriTemplate, UriTemplateError } from "../text/uri-template.ts";

/**
 * Linkifiers: regular expressions and URL templates of an administrator, applied to the text of every message and
 * topic.
 *
 * Patterns have Python's syntax (`(?P<name>…)`) and run on `re2js`. Its time is proportional to text times pattern.
 * Three limits keep that product small. They are the size of the compiled program, the length of the text searched at
 * once, and a budget of steps per message. The budget is needed because finding *all* matches can still be quadratic.
 * For example, `a.*b|a` reads to the end of a text without `b`, matches one `a`, and starts again behind it. The budget
 * counts the most that a search may cost, not time, so the same text has the same links on a busy machine.
 *
 * A match must be delimited. Before it is the start of the text, white space or one of `'"(,:<`. After it is the end of
 * the text or something other than a letter or digit. This rule is part of the compiled expression. So `foo|foobar`
 * finds its second alternative in `foobar`. Source: the rule of Zulip's clients for local echo.
 */

/** Code units of a pattern. */
export const maxPatternLength = 1_000;
/** Instructions of a compiled pattern. A list of fifty words has about 400, and a SHA-1 (`[0-9a-f]{40}`) about 40. */
export const maxProgramSize = 500;
/**
 * Code units searched at once. `re2js` has a faster mode for texts this short: it keeps a bit for each pair of code
 * unit and instruction.
 */
const maxPieceLength = 480;
/**
 * Steps (instructions times code units) of all linkifiers over one message. A link of `#[0-9]+` costs about 4,000, so a
 * thousand links fit. The slowest known rules spend the whole budget in about 50 ms on a laptop core of the 2020s.
 */
const searchSteps = 5_000_000;
/** Testing for a match is this many times cheaper than finding it. */
const testDiscount = 8;

/** The steps left for one message. Formatting divides a message into many texts, which share one budget. */
export interface SearchBudget {
  leftSteps: number;
}
export const newSearchBudget = (steps = searchSteps): SearchBudget => ({ leftSteps: steps });
/** Code units of a URL. Browsers and proxies take fewer. A template with many groups could make megabytes. */
const maxUrlLength = 4_000;
/** Code units of an example. */
const maxExampleLength = 1_000;
/** Alternative URL templates of one linkifier. */
const maxAlternativeTemplates = 100;

/** A linkifier as an administrator sends it. */
export interface LinkifierRule {
  pattern: string;
  url_template: string;
}

/** A checked linkifier, ready to run. It is immutable, so any number of texts may share it. */
export interface CompiledLinkifier {
  /** The pattern as given, for matching a whole text such as an example. */
  readonly whole: RE2JS;
  /** The pattern with its delimiters. Group `matchGroup` is the match of the pattern itself. */
  readonly bounded: RE2JS;
  /** Instructions of `bounded`. */
  readonly programSize: number;
  /** Names of the pattern's groups. */
  readonly groups: readonly string[];
  readonly urlTemplate: UriTemplate;
}

/** A refused linkifier. The message is shown to the administrator. */
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

/**
 * A stored linkifier, or nothing when its rules have changed since or nobody has checked it: it links nothing then, and
 * messages are rendered.
 */
export function compiledIfValid(rule: LinkifierRule): CompiledLinkifier[] {
  try {
    return [compileLinkifier(rule)];
  } catch (error) {
    if (error instanceof LinkifierError) return [];
    throw error;
  }
}

/** An organization's linkifiers, in the order in which they are applied. */
export const compiledLinkifiers = defineDerived<readonly CompiledLinkifier[]>({
  make: (state) => state.orderedLinkifiers().flatMap(compiledIfValid),
  tables: ["linkifiers"],
});

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
 * Refuses syntax that `re2js` has and Python does not: `(?<name>…)`, which is JavaScript's, and `\Q…\E`.
 *
 * @throws LinkifierError
 */
function checkPythonSyntax(pattern: string): void {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") {
      i++;
      // An unclosed \Q would also quote the delimiter added behind the pattern.
      if (pattern[i] === "Q") throw new LinkifierError("Invalid regular expression: “\\Q” is not supported.");
    } else if (inClass) inClass = char !== "]";
    else if (char === "[") {
      inClass = true;
      // A “]” at the start of a class is an ordinary character.
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

/** One link in a text: UTF-16 offsets `start` and `end` (exclusive), its text, and its URL. */
export interface LinkifierMatch {
  start: number;
  end: number;
  text: string;
  url: string;
}

/**
 * Finds all links in a text, in order. Links do not overlap: where two linkifiers match, the earlier one in
 * `linkifiers` wins. When the budget is spent, the links found so far are returned.
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
      // Most texts have no link. Testing is several times faster than searching with groups.
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

/** Takes the most that a search may cost from the budget. Returns false, and takes nothing, when too little is left. */
function spend(budget: SearchBudget, steps: number): boolean {
  budget.leftSteps = Math.max(0, budget.leftSteps - steps);
  return budget.leftSteps > 0;
}

interface Piece {
  offset: number;
  text: string;
}

/** Places to cut a long text, best first. A link across a cut is lost. */
const cuts = [/\n/, /[.!?;:,]\s/, /\s/];

/** Cuts a long text after a line, else after a part of a sentence, else after white space, else anywhere. */
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
    // Cuts only in the later half, so that short lines do not make many pieces.
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
    // The next search begins directly after the link: its delimiter may also start the next link.
    position = Math.max(matcher.end(matchGroup), matcher.start() + 1);
    if (end === start || !standsAlone(text, start, end)) continue;
    const url = expandUrl(linkifier, (group) => matcher.group(group));
    if (url === undefined || url.length > maxUrlLength || !spend(budget, url.length)) continue;
    yield { start, end, text: text.slice(start, end), url };
  }
}

/** Checks the delimiters in the whole text. The expression saw only one piece, so it cannot judge the edges. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = start === 0 || allowedBefore.test(text.charAt(start - 1));
  const after = text.codePointAt(end);
  return before && (after === undefined || !refusedAfter.test(String.fromCodePoint(after)));
}

function expandUrl(linkifier: CompiledLinkifier, group: (name: string) => string | null): string | undefined {
  const values: Record<string, string | null> = {};
  for (const name of linkifier.urlTemplate.variables) values[name] = group(name);
  try {
    const url = linkifier.urlTemplate.expand(values);
    return isSafeUrl(url) ? url : undefined;
  } catch (error) {
    // An unpaired surrogate has no UTF-8, so no URL can contain it.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** The fields that make a linkifier reversible, as on the wire. */
export interface ReverseRule {
  example_input: string | null;
  reverse_template: string | null;
  alternative_url_templates: readonly string[];
}

/**
 * Checks the fields that turn a pasted URL back into text. Returns an error message, or undefined:
 * - The pattern must match the whole of `example_input`.
 * - `reverse_template` needs an example, and uses only groups of the pattern. Filled with the groups of the example, it
 * must give the example.
 * - Alternative URL templates follow RFC 6570, and use only groups of the pattern.
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
