/** Pictures, films and sound of other sites. */
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../actors/markdown/render.ts";
import { html, realmContext } from "./realm-context.ts";

const proxied = (url: string) => realmContext.externalContent(url)!;
const link = (href: string, text = href) => `<a href="${href}">${text}</a>`;
const picture = (href: string, title = "", source = href) =>
  `<div class="message_inline_image"><a href="${href}"${title}><img loading="lazy" src="${proxied(source)}"></a></div>`;
const site = "https://site.example";

describe("a link to another site's picture", () => {
  test("shows it below the paragraph, and instead of an address that stands alone", () => {
    expect(html(`see ${site}/a.png\nb\n\nc`)).toBe(
      `<p>see ${link(`${site}/a.png`)}<br>\nb</p>\n${picture(`${site}/a.png`)}<p>c</p>`,
    );
    expect(html(`${site}/a.png`)).toBe(picture(`${site}/a.png`));
    expect(html(`[](${site}/a.png)`)).toBe(picture(`${site}/a.png`));
    expect(html(`* ${site}/a.png\n* b`)).toBe(`<ul>\n<li>${picture(`${site}/a.png`)}</li>\n<li>b</li>\n</ul>`);
    expect(html(`${site}/a.png ${site}/b.png`)).toBe(
      `<p>${link(`${site}/a.png`)} ${link(`${site}/b.png`)}</p>\n${picture(`${site}/a.png`)}${picture(`${site}/b.png`)}`,
    );
  });

  test("has the text of the link as its title", () => {
    expect(html(`[a <b>](${site}/a.JPG?x=1&y=2#z)`)).toBe(
      `<p>${link(`${site}/a.JPG?x=1&amp;y=2#z`, "a &lt;b&gt;")}</p>\n<div class="message_inline_image"><a href="${site}/a.JPG?x=1&amp;y=2#z" title="a &lt;b&gt;"><img loading="lazy" src="${proxied(`${site}/a.JPG?x=1&y=2#z`)}"></a></div>`,
    );
    expect(html("site.com/a.gif")).toBe(
      `<p>${link("http://site.com/a.gif", "site.com/a.gif")}</p>\n${picture("http://site.com/a.gif", ' title="site.com/a.gif"')}`,
    );
  });

  test("shows each once, in spoilers too, and none in quotes", () => {
    expect(html(`${site}/a.png a ${site}/a.png`).match(/<img /g)).toHaveLength(1);
    expect(html(`\`\`\`spoiler\na ${site}/a.png\n\`\`\``)).toContain(
      `</a></p>\n${picture(`${site}/a.png`)}</div></div>`,
    );
    expect(html(`> ${site}/a.png`)).toBe(`<blockquote>\n<p>${link(`${site}/a.png`)}</p>\n</blockquote>`);
    expect(
      html(Array.from({ length: 30 }, (_, index) => `${site}/${index}.png`).join(" ")).match(/<img /g),
    ).toHaveLength(24);
  });

  test("counts as a picture, and a description makes a link of it", () => {
    expect(renderMarkdown(`![cat](${site}/c.png)`, realmContext)).toMatchObject({
      html: `<p>${link(`${site}/c.png`, "cat")}</p>\n${picture(`${site}/c.png`, ' title="cat"')}`,
      hasLink: true,
      hasImage: true,
      hasAttachment: false,
    });
  });

  test.each([
    ["https://github.com/a/b/blob/main/c/d.png", "https://raw.githubusercontent.com/a/b/main/c/d.png"],
    ["https://en.wikipedia.org/wiki/File:A.jpg", "https://en.wikipedia.org/wiki/Special:FilePath/File:A.jpg"],
  ])("%s: the picture is at %s", (page, source) => {
    expect(html(page)).toBe(picture(page, "", source));
  });

  test.each([
    `${site}/a.svg`,
    `${site}/a.png/b`,
    `${site}/?a.png`,
    "https://pasteboard.co/a.png",
    "https://chat.example.com/a.png",
    `${site}/${"a".repeat(2000)}.png`,
    "ftp://site.example/a.png",
    "https://youtube.com.site.example/watch?v=abc",
    "https://www.youtube.com/watch?v=%22%3E",
    "https://www.youtube.com/@abc",
  ])("%s shows nothing", (address) => {
    expect(html(`[a](${address})`)).not.toMatch(/<img|<video/);
  });

  test("shows nothing where that is not wanted", () => {
    const externalContent = () => undefined;
    expect(html(`${site}/a.png`, { externalContent })).toBe(`<p>${link(`${site}/a.png`)}</p>`);
    expect(html(`${site}/a.mp4 https://youtu.be/abc`, { externalContent })).not.toMatch(/<div/);
    expect(html(`![a](${site}/a.mp3)`, { externalContent })).toBe(`<p>${link(`${site}/a.mp3`, "a")}</p>`);
  });
});

test("a link to a film has a player", () => {
  const player = (title: string) =>
    `<div class="message_inline_image message_inline_video"><a href="${site}/a.mp4"${title}><video preload="metadata" src="${proxied(`${site}/a.mp4`)}"></video></a></div>`;
  expect(html(`${site}/a.mp4`)).toBe(player(""));
  expect(html(`[tea](${site}/a.mp4)`)).toBe(`<p>${link(`${site}/a.mp4`, "tea")}</p>\n${player(' title="tea"')}`);
  expect(html(`${site}/a.mov ${site}/a.webm`).match(/<video /g)).toHaveLength(2);
});

test("sound that is written like a picture has a player in its place", () => {
  expect(html(`so ![a "b"](${site}/a.mp3)`)).toBe(
    `<p>so <audio controls data-original-url="${site}/a.mp3" preload="metadata" src="${proxied(`${site}/a.mp3`)}" title="a &quot;b&quot;"></audio></p>`,
  );
  expect(html(`[a](${site}/a.mp3)`)).not.toContain("<audio");
});

test.each([
  "https://www.youtube.com/watch?v=tea-2_x",
  "https://youtu.be/tea-2_x?t=5",
  "https://m.youtube.com/shorts/tea-2_x",
  "https://www.youtube-nocookie.com/embed/tea-2_x",
  "https://youtube.com/watch_videos?video_ids=tea-2_x,other",
])("%s shows the picture of the film", (address) => {
  const source = proxied("https://i.ytimg.com/vi/tea-2_x/mqdefault.jpg");
  expect(html(`see ${address}`)).toBe(
    `<p>see ${link(address)}</p>\n<div class="youtube-video message_inline_image"><a data-id="tea-2_x" href="${address}"><img loading="lazy" src="${source}"></a></div>`,
  );
});
