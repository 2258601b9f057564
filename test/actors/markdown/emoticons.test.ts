/** Emoticons of people who want them as emoji. */
import { expect, it } from "vitest";
import { emojiByName } from "../../../actors/markdown/emoji.ts";
import { cpuMs } from "../../support/time/cpu.ts";
import { html } from "./realm-context.ts";

const all = {
  ":)": "slight_smile",
  "(:": "slight_smile",
  ":(": "frown",
  "<3": "heart",
  ":|": "neutral",
  ":/": "confused",
  ";)": "wink",
  ":D": "smile",
  ":o": "open_mouth",
  ":O": "open_mouth",
  ":p": "stuck_out_tongue",
  ":P": "stuck_out_tongue",
};
const on = { translatesEmoticons: true };
const span = (name: string) => {
  const title = name.replaceAll("_", " ");
  const { code } = emojiByName(name)!;
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
};
const escaped = (text: string) => text.replace("<", "&lt;");

it.each(Object.entries(all))("%s becomes %s where it stands by itself, and nowhere for others", (emoticon, name) => {
  const emoji = span(name);
  for (const [source, shown] of [
    [emoticon, `<p>${emoji}</p>`],
    [`Hi ${emoticon} there`, `<p>Hi ${emoji} there</p>`],
    [`so${emoticon}`, `<p>so${escaped(emoticon)}</p>`],
    [`${emoticon}so`, `<p>${escaped(emoticon)}so</p>`],
    [`[${emoticon}]`, `<p>[${emoji}]</p>`],
    [`"${emoticon}", I said. ${emoticon}!`, `<p>&quot;${emoji}&quot;, I said. ${emoji}!</p>`],
    [`one\n${emoticon}\ntwo`, `<p>one<br>\n${emoji}<br>\ntwo</p>`],
    [`${emoticon} ${emoticon}`, `<p>${emoji} ${emoji}</p>`],
    [`* ${emoticon}`, `<ul>\n<li>${emoji}</li>\n</ul>`],
    [`\`${emoticon}\``, `<p><code>${escaped(emoticon)}</code></p>`],
    [`**so**${emoticon}`, `<p><strong>so</strong>${escaped(emoticon)}</p>`],
  ] as const) {
    // Quotes may be escaped or not; both are the same text.
    expect([source, html(source, on).replaceAll('"', "&quot;")]).toEqual([source, shown.replaceAll('"', "&quot;")]);
    expect(html(source)).not.toContain("emoji");
  }
});

it("addresses, times and what only looks like one stay as they are", () => {
  for (const source of ["https://example.com/:/ x", "at 10:30", "a:b", "C:\\D:", "x<3y", "f(x:o)", "::", ":-)", ":):"])
    expect([source, html(source, on)]).toEqual([source, html(source)]);
});

it("hostile texts take no time, and keep their bounds", () => {
  for (const unit of [":) ", "<3 ", ":", "(: ;) ", ":)"]) {
    const source = unit.repeat(10_000 / unit.length);
    const began = cpuMs();
    expect(html(source, on).length).toBeLessThan(1_000_000);
    expect(cpuMs() - began).toBeLessThan(5000);
    expect(html(source, on)).not.toMatch(/<3/);
  }
});
