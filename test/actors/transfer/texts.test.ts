import { expect, test } from "vitest";
import type { IdMaps } from "../../../actors/transfer/zulip/ids.ts";
import { textRewriter } from "../../../actors/transfer/zulip/texts.ts";

test("files of the old server, and their thumbnails, are those of the new one", () => {
  const none = new Map<never, never>();
  const ids = { users: none, channels: none, groups: none, messages: none } as unknown as IdMaps;
  const uploads = new Map([["2/ab/random/x y.png", "1/cd/fresh/x-y.png"]]);
  const rewriter = textRewriter({
    ids,
    uploads,
    emojiUrls: new Map(),
    previewUrl: (name) => `/link_previews/1/new-${name}`,
    oldHosts: [],
    oldRealm: 2,
    url: "https://new.example.com",
  });
  expect(rewriter.markdown("[x](/user_uploads/2/ab/random/x%20y.png)")).toBe("[x](/user_uploads/1/cd/fresh/x-y.png)");
  expect(rewriter.html('<img src="/user_uploads/thumbnail/2/ab/random/x%20y.png/840x560.webp">', "")).toBe(
    '<img src="/user_uploads/thumbnail/1/cd/fresh/x-y.png/840x560.webp">',
  );
  const picture = `${"0a".repeat(16)}.webp`;
  expect(rewriter.html(`<a style="background-image: url(&quot;/link_previews/2/${picture}&quot;)"></a>`, "")).toBe(
    `<a style="background-image: url(&quot;/link_previews/1/new-${picture}&quot;)"></a>`,
  );
  for (const other of ["/user_uploads/2/zz/x.png", "/user_uploads/thumbnail/2/zz/x.png/840x560.webp"])
    expect(rewriter.html(`<img src="${other}">`, "")).toBe(`<img src="${other}">`);
});

test("links and the markup of links to messages have the new ids", () => {
  const map = (from: number, to: number) => new Map([[from, to]]);
  const ids = { users: map(1, 2), channels: map(3, 4), groups: new Map(), messages: map(5, 6) } as unknown as IdMaps;
  const rewriter = textRewriter({
    ids,
    uploads: new Map(),
    emojiUrls: new Map(),
    previewUrl: (name) => name,
    oldHosts: [],
    oldRealm: 2,
    url: "https://new.example.com",
  });
  expect(rewriter.markdown("#**figs>ripe@5** and #**figs>ripe@7**, mail@5**")).toBe(
    "#**figs>ripe@6** and #**figs>ripe@7**, mail@5**",
  );
  expect(rewriter.markdown("[ripe](#narrow/channel/3-figs/topic/ripe/near/5)")).toBe(
    "[ripe](#narrow/channel/4-figs/topic/ripe/near/6)",
  );
});
