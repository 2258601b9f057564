/**
 * Every command that changes a realm, by name: names and plain arguments, so that a node which does not write the realm
 * can hand them to the one that does. What a command does is in the file of its resource.
 */

import * as alertWords from "./alert-words.ts";
import { regenerateApiKey } from "./api-keys.ts";
import * as attachments from "./attachments.ts";
import { setAvatar } from "./avatars.ts";
import * as botStorage from "./bot-storage.ts";
import * as bots from "./bots.ts";
import * as channelActivity from "./channel-activity.ts";
import * as channelArchive from "./channel-archive.ts";
import * as channelFolders from "./channel-folders.ts";
import * as channelUpdate from "./channel-update.ts";
import * as channels from "./channels.ts";
import type { Command } from "./command.ts";
import * as defaultChannels from "./default-channels.ts";
import { deleteMessage, deleteTopicMessages } from "./delete-messages.ts";
import * as devices from "./devices.ts";
import * as domains from "./domains.ts";
import * as drafts from "./drafts.ts";
import { updateMessage } from "./edit-message.ts";
import { updateGroupMembers } from "./group-members.ts";
import * as invitations from "./invitations.ts";
import { joinByInvitation } from "./join.ts";
import * as linkifiers from "./linkifiers.ts";
import type { Work } from "./log.ts";
import * as messageFlags from "./message-flags.ts";
import * as mutedUsers from "./muted-users.ts";
import * as navigationViews from "./navigation-views.ts";
import * as onboardingSteps from "./onboarding-steps.ts";
import * as playgrounds from "./playgrounds.ts";
import { tellPosition } from "./position.ts";
import * as profileFields from "./profile-fields.ts";
import { addReaction, removeReaction } from "./reactions.ts";
import * as realmEmoji from "./realm-emoji.ts";
import * as realmUpdate from "./realm-update.ts";
import { createReminder, deleteReminder } from "./reminders.ts";
import { reportMessage } from "./report-message.ts";
import { tellOfRestart } from "./restart.ts";
import { expireMessages } from "./retention.ts";
import * as savedSnippets from "./saved-snippets.ts";
import * as scheduled from "./scheduled-messages.ts";
import { sendMessage } from "./send-message.ts";
import { updateSettingsOf } from "./settings-for-others.ts";
import * as settingsUpdate from "./settings-update.ts";
import { addSubmessage } from "./submessages.ts";
import { setSubscriptionProperties } from "./subscription-settings.ts";
import * as subscriptions from "./subscriptions-api.ts";
import { setTopicPolicy } from "./topic-policies.ts";
import * as userGroups from "./user-groups.ts";
import * as userStates from "./user-states.ts";
import { updateStatus } from "./user-status.ts";
import * as userUpdate from "./user-update.ts";
import * as users from "./users.ts";

export const commands = {
  tellPosition,
  tellOfRestart,
  sendMessage,
  expireMessages,
  updateMessage,
  deleteMessage,
  deleteTopicMessages,
  addReaction,
  removeReaction,
  addSubmessage,
  reportMessage,
  scheduleMessage: scheduled.scheduleMessage,
  updateScheduledMessage: scheduled.updateScheduledMessage,
  deleteScheduledMessage: scheduled.deleteScheduledMessage,
  deliverScheduled: scheduled.deliverScheduled,
  createReminder,
  deleteReminder,
  updateMessageFlags: messageFlags.updateMessageFlags,
  markAllAsRead: messageFlags.markAllAsRead,
  markChannelAsRead: messageFlags.markChannelAsRead,
  createUser: users.createUser,
  noteLogin: users.noteLogin,
  permitUser: users.permitUser,
  updateUser: userUpdate.updateUser,
  deactivateUser: userStates.deactivateUser,
  reactivateUser: userStates.reactivateUser,
  updateSettings: settingsUpdate.updateSettings,
  updateSettingsOf,
  updateUserDefaults: settingsUpdate.updateUserDefaults,
  updateStatus,
  addAlertWords: alertWords.addAlertWords,
  removeAlertWords: alertWords.removeAlertWords,
  regenerateApiKey,
  setAvatar,
  createBot: bots.createBot,
  updateBot: bots.updateBot,
  deactivateBot: bots.deactivateBot,
  addProfileField: profileFields.addProfileField,
  updateProfileField: profileFields.updateProfileField,
  removeProfileField: profileFields.removeProfileField,
  orderProfileFields: profileFields.orderProfileFields,
  updateOwnProfile: profileFields.updateOwnProfile,
  muteUser: mutedUsers.muteUser,
  unmuteUser: mutedUsers.unmuteUser,
  createChannel: channels.createChannel,
  updateChannel: channelUpdate.updateChannel,
  noteChannelActivity: channelActivity.noteChannelActivity,
  archiveChannel: channelArchive.archiveChannel,
  addDefaultChannel: defaultChannels.addDefaultChannel,
  removeDefaultChannel: defaultChannels.removeDefaultChannel,
  createFolder: channelFolders.createFolder,
  updateFolder: channelFolders.updateFolder,
  reorderFolders: channelFolders.reorderFolders,
  addDrafts: drafts.addDrafts,
  updateDraft: drafts.updateDraft,
  removeDraft: drafts.removeDraft,
  addSavedSnippet: savedSnippets.addSavedSnippet,
  updateSavedSnippet: savedSnippets.updateSavedSnippet,
  removeSavedSnippet: savedSnippets.removeSavedSnippet,
  addNavigationView: navigationViews.addNavigationView,
  updateNavigationView: navigationViews.updateNavigationView,
  removeNavigationView: navigationViews.removeNavigationView,
  addAttachment: attachments.addAttachment,
  removeAttachment: attachments.removeAttachment,
  addEmoji: realmEmoji.addEmoji,
  deactivateEmoji: realmEmoji.deactivateEmoji,
  updateBotStorage: botStorage.updateBotStorage,
  removeBotStorage: botStorage.removeBotStorage,
  finishOnboardingStep: onboardingSteps.finishOnboardingStep,
  updateRealm: realmUpdate.updateRealm,
  deactivateRealm: realmUpdate.deactivateRealm,
  addLinkifier: linkifiers.addLinkifier,
  updateLinkifier: linkifiers.updateLinkifier,
  removeLinkifier: linkifiers.removeLinkifier,
  orderLinkifiers: linkifiers.orderLinkifiers,
  addPlayground: playgrounds.addPlayground,
  removePlayground: playgrounds.removePlayground,
  addDomain: domains.addDomain,
  updateDomain: domains.updateDomain,
  removeDomain: domains.removeDomain,
  createMultiuseInvitation: invitations.createMultiuseInvitation,
  inviteAddresses: invitations.inviteAddresses,
  revokeInvitation: invitations.revokeInvitation,
  resendInvitation: invitations.resendInvitation,
  expireInvitations: invitations.expireInvitations,
  joinByInvitation,
  subscribe: subscriptions.subscribe,
  unsubscribe: subscriptions.unsubscribe,
  updateSubscriptions: subscriptions.updateSubscriptions,
  setSubscriptionProperties,
  setTopicPolicy,
  createGroup: userGroups.createGroup,
  updateGroup: userGroups.updateGroup,
  deactivateGroup: userGroups.deactivateGroup,
  updateGroupMembers,
  addDevice: devices.addDevice,
  removeDevice: devices.removeDevice,
  updateDevice: devices.updateDevice,
  addPushToken: devices.addPushToken,
  removePushToken: devices.removePushToken,
} satisfies Record<string, Command<never, unknown>>;

export type CommandName = keyof typeof commands;
export type ArgsOf<N extends CommandName> = Parameters<(typeof commands)[N]>[1];
export type ReplyOf<N extends CommandName> =
  Awaited<ReturnType<(typeof commands)[N]>> extends Work<infer R> ? R : never;
