/**
 * Texts that make careless renderers slow or unsafe, for the tests of what comes out and the bench of what it costs.
 */

/** Most code points of a message. */
export const maxMessageCharacters = 10_000;

/** `unit` over and over, cut at `length`. */
export const fill = (unit: string, length = maxMessageCharacters): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** `open` as often as `close` fits behind it. */
export const nest = (open: string, close: string, length = maxMessageCharacters): string => {
  const depth = Math.floor(length / (open.length + close.length));
  return open.repeat(depth) + close.repeat(depth);
};

// biome-ignore format: one per line would hide the list
export const repeatedUnits = [
  "[", "![", "[[a](", "[a](b)", "![a](b", "> ", ">\n", "> - ", "- > ", "*", "**", "*a_", "**a ", "__a*", "~~a", "$$", "$$a", "$$x$$ ",
  "$$\\frac{a}{b}$$ ", "$$\\begin{matrix}a&b\\end{matrix}$$ ", "@**", "@**a", "@**Ada Lovelace** ", "@*", "#**general> ", "`", "`a", "` ``",
  "```\n", "```quote\n", "```spoiler a\n", "> ```quote\n", "```quote\n>>```spoiler x\n", "> ```md\nb ---\n", "```c#\nint a\n```\n", "```md\n[a](\n```\n",
  ":", ":a:", ":smile:", "😄", "👩‍", "❤️", "1️", "<", "<time:", "<time:1>", "<a@", "|", "| a ", "|\n|-", "- ", "  - a\n", "1. ", "#\n", "\\",
  "http://", "http://a.", "http://a.com/(", "www.a.", "a.com ", "a@b.", "a@b.com ", "mailto:", "a://", "#12", "a\n-\n", "=\n", "\t\n", "&amp;", "\0",
  "[a](/user_uploads/1/a/b.png)", "a/user_uploads/a/b.png", "\ud800", "_a_", "<!--", "\\[", "[x]: /y\n",
];

/** Pairs for `nest`. */
export const nestedPairs: readonly (readonly [open: string, close: string])[] = [
  ["[", "](b)"],
  ["![", "](b)"],
  ["*", "*"],
  ["**a ", " b**"],
  ["~~", "~~"],
  ["(", ")"],
  ["[a](", ")"],
  ["```quote\n", "```\n"],
  ["`", "`"],
  ["[*", "*](b)"],
  ["<", ">"],
];

/** A table as wide as asked, with as many rows of nothing as fit. */
export const emptyTable = (columns: number): string =>
  `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|\n".repeat(5000)}`.slice(0, maxMessageCharacters);

export const codeLanguages = ["java", "c#", "typescript", "ini", "markdown", "php", "scss", "graphql", "xml", "ruby"];
// biome-ignore format: one per line would hide the list
export const codeUnits = ["a", "$", "1_", "[a](", "int a ", "public\n", "<a ", "\n", "const ", "A", "a a\n", "x public \n"];

/** Code of that unit in that language: as long as a message may be, and as long as is highlighted, in short lines. */
export const hostileCode = (language: string, unit: string): string[] => [
  `\`\`\`${language}\n${fill(unit, maxMessageCharacters - 30)}\n\`\`\``,
  `\`\`\`${language}\n${fill(`${unit.repeat(20).slice(0, 99)}\n`, 3900)}\n\`\`\``,
];

/** TeX for a block of mathematics. */
export const hostileFormulas: Readonly<Record<string, string>> = {
  "a macro with a long body": `\\def\\a{${"x".repeat(4000)}}${"\\a".repeat(100)}`,
  "a wide matrix": `\\begin{matrix}${"a&".repeat(900)}\\end{matrix}`,
  accents: `\\text{${"é".repeat(990)}}`,
  "deep groups": "{".repeat(990) + "}".repeat(990),
  "deeper groups": "{".repeat(4900) + "}".repeat(4900),
  fractions: "\\frac ab".repeat(240),
};

/** Whole messages of any length. */
export const hostileMarkdown: Readonly<Record<string, (length: number) => string>> = {
  "nested quotations": (length) => fill("> ", length),
  "open brackets": (length) => fill("[", length),
  "open images": (length) => fill("![a](", length),
  "brackets, open and closed": (length) => fill("[", length / 2) + fill("]", length / 2),
  asterisks: (length) => fill("*", length),
  "open emphasis": (length) => fill("**a _b ", length),
  backticks: (length) => fill("` `` ``` ", length),
  "nested lists": (length) => {
    let text = "";
    for (let depth = 0; text.length + 2 * depth + 4 < Math.min(length, 200_000); depth++)
      text += `${"  ".repeat(depth)}- a\n`;
    return text;
  },
  "lists in quotations": (length) => fill("> - ", length),
  fences: (length) => fill("```quote\n", length),
  spoilers: (length) => fill("```spoiler a\n", length),
  "a wide table": (length) => `${fill("|a", length / 3)}|\n${fill("|-", length / 3)}|\n${fill("|b", length / 3 - 10)}|`,
  "a long table": (length) => `|a|b|\n|-|-|\n${fill("|c|d|\n", length - 20)}`,
  mentions: (length) => fill("@**Mia Member** @*group* #**hall>t** ", length),
  formulas: (length) => fill("$$\\frac{1}{2}$$ ", length),
  links: (length) => fill("https://a.example/( www.b.example ", length),
  "emoji and joiners": (length) => fill("😀\u200d", length / 2),
  entities: (length) => fill("&lt;&#60;<", length),
  "marks of direction": (length) => fill("\u202e\u200f\u2066", length),
};
