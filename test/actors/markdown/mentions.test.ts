import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../actors/markdown/render.ts";
import { html, realmContext } from "./realm-context.ts";

const ada = '<span class="user-mention" data-user-id="12">@Ada Lovelace</span>';
const adaSilent = '<span class="user-mention silent" data-user-id="12">Ada Lovelace</span>';

describe("mentions", () => {
  test.each([
    ["@**Ada Lovelace**", ada],
    ["@**ada lovelace**", ada],
    ["@**Ada Lovelace|12**", ada],
    ["@**|12**", ada],
    ["(@**|12**)", `(${ada})`],
    ["@_**Ada Lovelace**", adaSilent],
    ["@_**|12**", adaSilent],
    ["**bold** @**|12**", `<strong>bold</strong> ${ada}`],
  ])("%s is a mention of a user", (source, expected) => {
    expect(html(source)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    ["@**Nobody**", "@<strong>Nobody</strong>"],
    ["@**Ada Lovelace|20**", "@<strong>Ada Lovelace|20</strong>"],
    ["@**|99**", "@<strong>|99</strong>"],
    ["mail@**Ada Lovelace**", "mail@<strong>Ada Lovelace</strong>"],
    ["`@**Ada Lovelace**`", "<code>@**Ada Lovelace**</code>"],
    ["\\@**Ada Lovelace**", "@<strong>Ada Lovelace</strong>"],
    ["@*nobodies*", "@<em>nobodies</em>"],
  ])("%s mentions nobody", (source, expected) => {
    const message = renderMarkdown(source, realmContext);
    expect(message.html).toBe(`<p>${expected}</p>`);
    expect(message.mentionedUserIds).toEqual([]);
    expect(message.mentionedGroupIds).toEqual([]);
  });

  test("an ambiguous name mentions one of them: who is written just so, or who came last", () => {
    expect(renderMarkdown("@**Sam**", realmContext).mentionedUserIds).toEqual([21]);
    expect(renderMarkdown("@**Sam|21**", realmContext).mentionedUserIds).toEqual([21]);
    expect(renderMarkdown("@**kim**", realmContext).mentionedUserIds).toEqual([23]);
    expect(renderMarkdown("@**KIM**", realmContext).mentionedUserIds).toEqual([23]);
    expect(renderMarkdown("@**Kim**", realmContext).mentionedUserIds).toEqual([22]);
  });

  test("each user is listed once, silent mentions apart", () => {
    const message = renderMarkdown("@**|12** @**|20** @**|12** @_**|21**", realmContext);
    expect(message.mentionedUserIds).toEqual([12, 20]);
    expect(message.silentlyMentionedUserIds).toEqual([21]);
  });

  test("groups", () => {
    const message = renderMarkdown("@*support* @_*support* @_*role:administrators*", realmContext);
    expect(message.html).toBe(
      '<p><span class="user-group-mention" data-user-group-id="5">@support</span> ' +
        '<span class="user-group-mention silent" data-user-group-id="5">support</span> ' +
        '<span class="user-group-mention silent" data-user-group-id="6">Administrators</span></p>',
    );
    expect(message.mentionedGroupIds).toEqual([5]);
  });

  test.each(["all", "everyone", "channel", "stream"])("@**%s** mentions the channel", (name) => {
    const message = renderMarkdown(`@**${name}**`, realmContext);
    expect(message.html).toBe(
      `<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@${name}</span></p>`,
    );
    expect(message.mentionsChannelWildcard).toBe(true);
    expect(message.mentionsTopicWildcard).toBe(false);
  });

  test("@**topic** mentions the topic; silent wildcards mention nobody", () => {
    const message = renderMarkdown("@**topic**", realmContext);
    expect(message.html).toBe('<p><span class="topic-mention">@topic</span></p>');
    expect(message.mentionsTopicWildcard).toBe(true);
    const silent = renderMarkdown("@_**topic** @_**all**", realmContext);
    expect([silent.mentionsTopicWildcard, silent.mentionsChannelWildcard]).toEqual([false, false]);
  });

  test.each(["> @**|12** @*support* @**all** @**topic**", "```quote\n@**|12** @*support* @**all** @**topic**\n```"])(
    "mentions in a quote are silent: %s",
    (source) => {
      const message = renderMarkdown(`${source}\n\n@**|20**`, realmContext);
      expect(message.html).toContain(adaSilent);
      expect(message.html).toContain('<span class="user-group-mention silent" data-user-group-id="5">support</span>');
      expect(message).toMatchObject({
        mentionedUserIds: [20],
        mentionedGroupIds: [],
        mentionsChannelWildcard: false,
        mentionsTopicWildcard: false,
      });
    },
  );

  test("an image's description mentions nobody", () => {
    expect(renderMarkdown("![@**|12**](http://a.example/x)", realmContext).mentionedUserIds).toEqual([]);
  });

  test("names are escaped", () => {
    expect(html("@**|13** @*<i>*")).toBe(
      '<p><span class="user-mention" data-user-id="13">@&lt;b onclick=&quot;x&quot;&gt;&amp;</span> ' +
        '<span class="user-group-mention" data-user-group-id="7">@&lt;i&gt;</span></p>',
    );
  });
});
