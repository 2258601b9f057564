import { describe, expect, test } from "vitest";
import { encodeHashComponent } from "../../../actors/markdown/channel-links.ts";
import { html } from "./realm-context.ts";

describe("channel links", () => {
  test.each([
    ["#**general**", '<a class="stream" data-stream-id="9" href="/#narrow/channel/9-general">#general</a>'],
    [
      "#**R & D (new)**",
      '<a class="stream" data-stream-id="10" href="/#narrow/channel/10-R-.26-D-.28new.29">#R &amp; D (new)</a>',
    ],
    [
      "#**general>Zulip updates**",
      '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-general/topic/Zulip.20updates">#general &gt; Zulip updates</a>',
    ],
    [
      "#**general>**",
      '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-general/topic/">#general &gt; <em>general chat</em></a>',
    ],
    [
      "#**general>a.b@214**",
      '<a class="message-link" href="/#narrow/channel/9-general/topic/a.2Eb/near/214">#general &gt; a.b @ 💬</a>',
    ],
    [
      "#**general>@214**",
      '<a class="message-link" href="/#narrow/channel/9-general/topic//near/214">#general &gt; <em>general chat</em> @ 💬</a>',
    ],
    [
      '#**general><img src=x onerror="y">**',
      '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-general/topic/.3Cimg.20src.3Dx.20onerror.3D.22y.22.3E">#general &gt; &lt;img src=x onerror=&quot;y&quot;&gt;</a>',
    ],
  ])("%s", (source, expected) => {
    expect(html(source)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    ["#**unknown**", "#<strong>unknown</strong>"],
    ["a#**general**", "a#<strong>general</strong>"],
    ["`#**general**`", "<code>#**general**</code>"],
    ["[see #**general**](http://a.example)", '<a href="http://a.example">see #<strong>general</strong></a>'],
  ])("%s is not one", (source, expected) => {
    expect(html(source)).toBe(`<p>${expected}</p>`);
  });

  test("hash components keep only what survives in a fragment", () => {
    expect(encodeHashComponent("a-b_c~1. é/%!*'()\ud800")).toBe("a-b_c~1.2E.20.C3.A9.2F.25.21.2A.27.28.29.EF.BF.BD");
  });
});
