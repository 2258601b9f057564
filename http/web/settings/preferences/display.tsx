/** How the page is to look and behave. */
import { languageOf, languages } from "../../languages/languages.ts";
import { useApp } from "../../model/app.ts";
import { densityOf, lineHeights } from "../../model/appearance.ts";
import { t } from "../../texts.ts";
import { entries, Section } from "../fields.tsx";
import { s } from "../texts.ts";
import { Select, Switch, usePreferences } from "./preferences.tsx";

const percentOf = (value: unknown): string => String(lineHeights[densityOf(Number(value ?? lineHeights.usual))]);
const sizeOf = (value: unknown): string => String(Math.max(15, Number(value ?? 15)));

function Looks() {
  return (
    <>
      <Select name="color_scheme" label={s.colorScheme} choices={entries(s.schemes)} />
      <Switch name="high_contrast_mode" label={s.highContrast} />
      <Select
        name="web_font_size_px"
        label={s.fontSize}
        choices={[15, 16, 17, 18, 19, 20].map((size) => [String(size), `${size}`] as const)}
        shown={sizeOf}
      />
      <Select
        name="web_line_height_percent"
        label={s.density}
        choices={Object.entries(lineHeights).map(([key, percent]) => [String(percent), s.densities[key] ?? key])}
        shown={percentOf}
      />
      <Select name="user_list_style" label={s.listStyle} choices={entries(s.listStyles)} />
      <Select
        name="emojiset"
        label={s.emojiset}
        choices={entries(s.emojisets)}
        shown={(value) => (value === "text" ? "text" : "google")}
      />
      <Select name="web_animate_image_previews" label={s.animation} choices={entries(s.animations)} />
    </>
  );
}

function Privacy() {
  return (
    <>
      <Switch name="presence_enabled" label={s.showsPresence} />
      <Switch name="send_private_typing_notifications" label={s.typingDirect} />
      <Switch name="send_stream_typing_notifications" label={s.typingChannel} />
      <Switch name="receives_typing_notifications" label={s.seesTyping} />
      <Switch name="send_read_receipts" label={s.sendsReceipts} />
    </>
  );
}

export function Display() {
  const { isOwn } = usePreferences();
  const state = useApp().store.read("realm");
  return (
    <Section title={s.display}>
      {/* New people read the language that their browser asks for. */}
      {isOwn && (
        <Select
          name="default_language"
          label={s.language}
          choices={entries(languages)}
          shown={(value) => languageOf(String(value)) ?? "en"}
        />
      )}
      <Looks />
      <Select
        name="web_home_view"
        label={s.homeView}
        choices={entries(s.homes)}
        shown={(value) => String(value).replace("recent_topics", "recent")}
      />
      <Select name="demote_inactive_streams" label={s.inactiveLast} choices={entries(s.inactiveLastChoices)} />
      <Select name="web_mark_read_on_scroll_policy" label={s.markingRead} choices={entries(s.markingReads)} />
      <Switch name="translate_emoticons" label={s.emoticons} />
      <Switch name="twenty_four_hour_time" label={s.twentyFour} />
      <Switch name="enter_sends" label={s.enterSends} hint={s.enterHint} />
      <Privacy />
      {state["server_can_summarize_topics"] === true && <Switch name="hide_ai_features" label={t.hideSummaries} />}
    </Section>
  );
}
