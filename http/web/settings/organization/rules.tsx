/** What holds in the organization: for messages, for people, and where the server announces what. */
import { membersOf } from "../../kept.ts";
import { languageOf, languages } from "../../languages/languages.ts";
import { t } from "../../texts.ts";
import { Choice, entries, Section, TextField } from "../fields.tsx";
import { s } from "../texts.ts";
import { useOrganization } from "./use-organization.tsx";

export function Messages() {
  const { state, flag, choice, limit, channel } = useOrganization();
  const providers = Object.values(membersOf(state["realm_available_video_chat_providers"])).map(membersOf);
  return (
    <Section title={t.messages}>
      {flag("allow_message_editing", s.editing)}
      {limit("message_content_edit_limit_seconds", s.editLimit)}
      {limit("message_content_delete_limit_seconds", s.deleteLimit)}
      {limit("move_messages_within_stream_limit_seconds", s.moveLimit)}
      {limit("move_messages_between_streams_limit_seconds", s.channelMoveLimit)}
      {choice("message_edit_history_visibility_policy", s.history, entries(s.histories))}
      {choice("topics_policy", s.emptyTopics, entries(s.emptyTopicsChoices))}
      {flag("enable_read_receipts", s.receipts)}
      {flag("inline_image_preview", s.previews)}
      {flag("inline_url_embed_preview", s.linkPreviews)}
      {Boolean(state["server_gif_provider"]) && choice("gif_rating_policy", s.gifRating, entries(s.gifRatings))}
      {choice(
        "video_chat_provider",
        s.callProvider,
        providers.map(({ id, name }) => [String(id), id === 0 ? s.none : String(name)] as const),
      )}
      {channel("moderation_request_channel_id", s.moderation, true)}
    </Section>
  );
}

/** What people may change of themselves, and how they are met. */
export function PeopleRules() {
  const { state, isAdmin, flag, set } = useOrganization();
  return (
    <>
      {flag("name_changes_disabled", s.fixedNames)}
      {flag("avatar_changes_disabled", s.fixedPictures)}
      {flag("email_changes_disabled", s.fixedAddresses)}
      <Choice
        label={s.newLanguage}
        disabled={!isAdmin}
        value={languageOf(String(state["realm_default_language"])) ?? "en"}
        choices={entries(languages)}
        set={(language) => set("default_language", language)}
      />
      <TextField
        label={s.welcome}
        isLong
        value={String(state["realm_welcome_message_custom_text"] ?? "")}
        disabled={!isAdmin}
        maxLength={8000}
        set={(text) => set("welcome_message_custom_text", text)}
      />
    </>
  );
}

export function Announcements() {
  const { channel } = useOrganization();
  return (
    <Section title={s.announcements} hint={s.announcementsHint}>
      {channel("new_stream_announcements_stream_id", s.newChannelsIn)}
      {channel("signup_announcements_stream_id", s.newPeopleIn)}
      {channel("zulip_update_announcements_stream_id", s.updatesIn)}
    </Section>
  );
}
