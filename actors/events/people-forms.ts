/** The forms of events about people, groups and emoji. */
import { defined } from "../../storage/failures.ts";
import { renderGroup } from "../groups/record.ts";
import { placeholderEmail } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { unknownUser } from "../users/record.ts";
import type { EventOf } from "./events.ts";
import { eventForm, flag, type Reader } from "./form.ts";
import { isStranger, seesEmailOf } from "./message-forms.ts";
import type { PresenceEvent, RealmUserEvent } from "./people.ts";

type PresenceForm = { kind: "new" | "slim" | "stranger" | "full" };
const presenceForms = {
  new: Object.freeze({ kind: "new" as const }),
  slim: Object.freeze({ kind: "slim" as const }),
  stranger: Object.freeze({ kind: "stranger" as const }),
  full: Object.freeze({ kind: "full" as const }),
};

export const presence = eventForm<"presence", PresenceForm>({
  form(event, reader, state) {
    if (reader.has.has("simplified_presence_events")) return presenceForms.new;
    if (reader.registration.slim_presence) return presenceForms.slim;
    return isStranger(event.user_id, reader, state) ? presenceForms.stranger : presenceForms.full;
  },
  write({ active_timestamp, idle_timestamp, ...event }: PresenceEvent, { kind }, state) {
    if (kind === "new")
      return { type: "presence", presences: { [event.user_id]: { active_timestamp, idle_timestamp } } };
    if (kind === "full") return event;
    if (kind === "stranger") return { ...event, email: placeholderEmail(state, event.user_id) };
    const { email: _, ...slim } = event;
    return slim;
  },
});

interface UserForm {
  /**
   * The reader may not know of them, but its client needs a record for every id it meets. It gets a placeholder person.
   */
  unknown?: true;
  seesEmail?: boolean;
  gravatar?: boolean;
}
const unknownForm: UserForm = Object.freeze({ unknown: true });
const plainForm: UserForm = Object.freeze({});

export const realmUser = eventForm<"realm_user", UserForm>({
  form(event, reader, state) {
    if (isUnknownTo(event, reader, state)) return unknownForm;
    const hasPicture = event.op === "update" && "gravatar" in event.person;
    if (event.op !== "add" && !hasPicture) return plainForm;
    const seesEmail = seesEmailOf(event.person.user_id, reader, state);
    return { seesEmail, gravatar: reader.registration.client_gravatar };
  },
  write(event, { unknown, seesEmail, gravatar: client }, state) {
    if (unknown)
      return {
        type: "realm_user",
        op: "add",
        person: { ...unknownUser(state, event.person.user_id), is_active: true },
      };
    if (event.op === "remove") return { ...event };
    if (event.op === "update") {
      if (!("gravatar" in event.person)) return { ...event };
      const { gravatar, ...fields } = event.person;
      return { ...event, person: { ...fields, ...(seesEmail && gravatar) } };
    }
    const { gravatar, avatar_url_medium: _m, avatar_source: _s, ...fields } = event.person;
    const person = { ...fields, ...(seesEmail && gravatar && { avatar_url: gravatar.avatar_url }) };
    if (!seesEmail) person.delivery_email = null;
    // A client computes it from `email`, which is a placeholder unless everybody sees the address.
    else if (gravatar && client && person.email === person.delivery_email) person.avatar_url = null;
    return { ...event, person };
  },
});

function isUnknownTo(event: RealmUserEvent, reader: Reader, state: RealmState): boolean {
  if (event.op === "update" || reader.has.has("user_list_incomplete")) return false;
  return isStranger(event.person.user_id, reader, state);
}

const hidesForm = flag("hidesDeactivated");

/**
 * A client that does not know deactivated groups is told that a deactivated one is gone, and that a restored one is
 * new.
 */
export const userGroup = eventForm<"user_group", { hidesDeactivated: boolean }>({
  form: (event, reader) =>
    hidesForm(deactivation(event) !== undefined && !reader.has.has("include_deactivated_groups")),
  write(event, { hidesDeactivated }, state) {
    const deactivated = deactivation(event);
    if (!hidesDeactivated || event.op !== "update") return { ...event };
    if (deactivated) return { type: "user_group", op: "remove", group_id: event.group_id };
    return {
      type: "user_group",
      op: "add",
      group: renderGroup(state, defined(state.groups.byId.get(event.group_id), "row of that id")),
    };
  },
});

const deactivation = (event: EventOf<"user_group">): boolean | undefined =>
  event.op === "update" ? event.data.deactivated : undefined;

const emojiForm = flag("wholeMap");

export const realmEmoji = eventForm<"realm_emoji", { wholeMap: boolean }>({
  form: (_, reader) => emojiForm(!reader.has.has("individual_emoji_changes")),
  write({ full_map, ...event }, { wholeMap }) {
    return wholeMap ? { type: "realm_emoji", op: "update", realm_emoji: full_map } : event;
  },
});
