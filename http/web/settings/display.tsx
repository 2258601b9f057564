/** How the page is to look and behave for the person. */
import { languageOf, languages } from "../languages/languages.ts";
import { useApp } from "../model/app.ts";
import { densityOf, lineHeights } from "../model/appearance.ts";
import { t } from "../texts.ts";
import { Choice, entries, Section, Toggle } from "./fields.tsx";
import { s } from "./texts.ts";

/** How the page looks to the person. */
function Looks() {
  const app = useApp();
  const settings = app.store.read("settings").user_settings ?? {};
  return (
    <>
      <Choice
        label={s.colorScheme}
        value={String(settings["color_scheme"])}
        choices={entries(s.schemes)}
        set={(value) => app.actions.setSetting("color_scheme", Number(value))}
      />
      <Toggle
        label={s.highContrast}
        value={settings["high_contrast_mode"] === true}
        set={(value) => app.actions.setSetting("high_contrast_mode", value)}
      />
      <Choice
        label={s.fontSize}
        value={String(Math.max(15, Number(settings["web_font_size_px"] ?? 15)))}
        choices={[15, 16, 17, 18, 19, 20].map((size) => [String(size), `${size}`] as const)}
        set={(value) => app.actions.setSetting("web_font_size_px", Number(value))}
      />
      <Choice
        label={s.density}
        value={String(lineHeights[densityOf(Number(settings["web_line_height_percent"] ?? lineHeights.usual))])}
        choices={Object.entries(lineHeights).map(([key, percent]) => [String(percent), s.densities[key] ?? key])}
        set={(value) => app.actions.setSetting("web_line_height_percent", Number(value))}
      />
      <Choice
        label={s.listStyle}
        value={String(settings["user_list_style"])}
        choices={entries(s.listStyles)}
        set={(value) => app.actions.setSetting("user_list_style", Number(value))}
      />
      <Choice
        label={s.emojiset}
        value={app.hasTextEmoji ? "text" : "google"}
        choices={entries(s.emojisets)}
        set={(value) => app.actions.setSetting("emojiset", value)}
      />
    </>
  );
}

export function Display() {
  const app = useApp();
  const state = app.store.read("realm", "settings");
  const settings = state.user_settings ?? {};
  const toggle = (name: string, label: string, hint?: string) => (
    <Toggle
      label={label}
      hint={hint}
      value={settings[name] === true}
      set={(value) => app.actions.setSetting(name, value)}
    />
  );
  return (
    <Section title={s.display}>
      <Choice
        label={s.language}
        value={languageOf(String(settings["default_language"])) ?? "en"}
        choices={entries(languages)}
        set={(value) => app.actions.setSetting("default_language", value)}
      />
      <Looks />
      <Choice
        label={s.homeView}
        value={String(settings["web_home_view"]).replace("recent_topics", "recent")}
        choices={entries(s.homes)}
        set={(value) => app.actions.setSetting("web_home_view", value)}
      />
      {toggle("translate_emoticons", s.emoticons)}
      {toggle("twenty_four_hour_time", s.twentyFour)}
      {toggle("enter_sends", s.enterSends, s.enterHint)}
      {toggle("presence_enabled", s.showsPresence)}
      {toggle("send_private_typing_notifications", s.typingDirect)}
      {toggle("send_stream_typing_notifications", s.typingChannel)}
      {toggle("send_read_receipts", s.sendsReceipts)}
      {state["server_can_summarize_topics"] === true && toggle("hide_ai_features", t.hideSummaries)}
    </Section>
  );
}
