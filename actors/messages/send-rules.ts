/** Who may write what, and where. Each rule throws the error that the sender gets. */
import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import type { RenderedMessage } from "../markdown/render.ts";
import type { RealmState } from "../realm/state/state.ts";
import { effectiveTopicsPolicy } from "../topics/channel-topics-policy.ts";

/** A wildcard mention of up to so many people needs no permission. https://zulip.com/help/restrict-wildcard-mentions */
const largestFreeWildcard = 15;

/** @throws BAD_REQUEST when the text mentions a group that its sender may not, or too many people at once */
export function checkMentions(
  state: RealmState,
  sender: UserRow,
  rendered: RenderedMessage,
  channel: ChannelRow | undefined,
  topicParticipants: readonly UserId[] | undefined,
): void {
  for (const groupId of rendered.mentionedGroupIds) {
    const group = state.groups.byId.get(groupId);
    if (group && !group.is_system_group && !state.groups.holds(group.can_mention_group, sender)) {
      throw badRequest(`You are not allowed to mention user group '${group.name}'.`);
    }
  }
  if (!channel || state.may(sender, "can_mention_many_users_group")) return;
  if (rendered.mentionsChannelWildcard && state.subscriptions.subscribers(channel.id).size > largestFreeWildcard)
    throw errors.STREAM_WILDCARD_MENTION_NOT_ALLOWED();
  if (rendered.mentionsTopicWildcard && (topicParticipants?.length ?? 0) > largestFreeWildcard)
    throw errors.TOPIC_WILDCARD_MENTION_NOT_ALLOWED();
}

/** @throws BAD_REQUEST when the channel's topic rules forbid this topic */
export function checkTopic(state: RealmState, channel: ChannelRow, user: UserRow, topic: string, isNew: boolean): void {
  const policy = effectiveTopicsPolicy(state, channel);
  if (topic === "" && policy === "disable_empty_topic")
    throw badRequest("Sending messages to the general chat is not allowed in this channel.");
  if (topic !== "" && policy === "empty_topic_only")
    throw badRequest("Only the general chat topic is allowed in this channel.");
  if (isNew && !user.is_system_bot && !state.groups.holds(channel.can_create_topic_group, user)) {
    throw badRequest("You do not have permission to create new topics in this channel.");
  }
}

/** @param hasBegun whether the conversation has a message already; looked up for those who may not begin one */
export function checkDirect(
  state: RealmState,
  sender: UserRow,
  participants: readonly UserId[],
  hasBegun: boolean | undefined,
): void {
  const people = participants.map((id) => state.knownUser(id));
  const others = people.filter(({ id }) => id !== sender.id);
  const inactive = others.find((user) => !user.is_active);
  if (inactive && others.length === 1)
    throw badRequest(`'${inactive.full_name}' is no longer using this organization.`);
  if (inactive && others.every((user) => !user.is_active))
    throw badRequest("Everyone in this conversation has left the organization.");
  const humans = others.filter((user) => !user.is_bot);
  if (humans.length === 0 || sender.is_system_bot) return;
  if (!people.some((user) => state.may(user, "direct_message_permission_group"))) {
    throw badRequest(
      state.groupSetting("direct_message_permission_group") === state.systemGroup("role:nobody")
        ? "Direct messages are disabled in this organization."
        : "This conversation does not include any users who can authorize it.",
    );
  }
  if (!hasBegun && !state.may(sender, "direct_message_initiator_group"))
    throw badRequest("You do not have permission to initiate direct message conversations.");
}
