/**
 * Every command that changes a realm, by name. A command is a name and plain arguments. So a node which does not write
 * the realm can hand it to the one that does. What a command does is in the file of its resource.
 */

import * as bots from "./bots/changes/bots.ts";
import * as serviceCalls from "./bots/changes/service-calls.ts";
import * as botStorage from "./bots/changes/storage.ts";
import { setCallToken } from "./calls/tokens.ts";
import * as channelActivity from "./channels/changes/activity.ts";
import * as channelArchive from "./channels/changes/archive.ts";
import * as channels from "./channels/changes/create.ts";
import * as defaultChannels from "./channels/changes/default-channels.ts";
import * as defaultGroups from "./channels/changes/default-groups.ts";
import * as channelFolders from "./channels/changes/folders.ts";
import * as channelUpdate from "./channels/changes/update.ts";
import * as userGroups from "./groups/changes/groups.ts";
import { updateGroupMembers } from "./groups/changes/members.ts";
import * as invitations from "./invitations/invitations.ts";
import { joinByInvitation } from "./invitations/join.ts";
import { deleteMessage, deleteTopicMessages } from "./messages/changes/delete.ts";
import { updateMessage } from "./messages/changes/edit.ts";
import * as messageFlags from "./messages/changes/flags.ts";
import { addLinkPreviews } from "./messages/changes/link-previews.ts";
import { addReaction, removeReaction } from "./messages/changes/reactions.ts";
import { reportMessage } from "./messages/changes/report.ts";
import { expireMessages } from "./messages/changes/retention.ts";
import { sendMessage } from "./messages/changes/send.ts";
import { addSubmessage } from "./messages/changes/submessages.ts";
import * as domains from "./organization/changes/domains.ts";
import * as realmEmoji from "./organization/changes/emoji.ts";
import * as linkifiers from "./organization/changes/linkifiers.ts";
import { setRealmPicture } from "./organization/changes/pictures.ts";
import * as playgrounds from "./organization/changes/playgrounds.ts";
import * as profileFields from "./organization/changes/profile-fields.ts";
import * as realmUpdate from "./organization/changes/update.ts";
import * as alertWords from "./personal/changes/alert-words.ts";
import * as drafts from "./personal/changes/drafts.ts";
import * as mutedUsers from "./personal/changes/muted-users.ts";
import * as navigationViews from "./personal/changes/navigation-views.ts";
import * as onboardingSteps from "./personal/changes/onboarding-steps.ts";
import * as savedSnippets from "./personal/changes/saved-snippets.ts";
import { updateStatus } from "./presence/changes/status.ts";
import * as devices from "./push/changes/devices.ts";
import type { CommandTable } from "./realm/command.ts";
import { tellOfRestart, tellPosition } from "./realm/own-commands.ts";
import * as scheduled from "./scheduled/changes/messages.ts";
import { createReminder, deleteReminder } from "./scheduled/changes/reminders.ts";
import { setSubscriptionProperties } from "./subscriptions/changes/settings.ts";
import * as subscriptions from "./subscriptions/changes/subscribe.ts";
import { setTopicPolicy } from "./topics/changes/visibility-policies.ts";
import * as realmExports from "./transfer/exports.ts";
import * as attachments from "./uploads/attachments.ts";
import * as users from "./users/changes/accounts.ts";
import { regenerateApiKey } from "./users/changes/api-keys.ts";
import { setAvatar } from "./users/changes/avatars.ts";
import { addFurtherKey, endFurtherKey } from "./users/changes/further-keys.ts";
import { testWelcomeText } from "./users/changes/newcomers.ts";
import * as oneTimeLinks from "./users/changes/one-time-links.ts";
import { operateAccount } from "./users/changes/operator.ts";
import { endOtherSessions, endSession } from "./users/changes/sessions.ts";
import * as settingsUpdate from "./users/changes/settings.ts";
import { updateSettingsOf } from "./users/changes/settings-for-others.ts";
import * as userStates from "./users/changes/states.ts";
import * as userUpdate from "./users/changes/update.ts";

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
  addLinkPreviews,
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
  noteLogin: userStates.noteLogin,
  addDefaultGroup: defaultGroups.addDefaultGroup,
  updateDefaultGroup: defaultGroups.updateDefaultGroup,
  removeDefaultGroup: defaultGroups.removeDefaultGroup,
  updateDefaultGroupChannels: defaultGroups.updateDefaultGroupChannels,
  testWelcomeText,
  setRealmPicture,
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
  operateAccount,
  addFurtherKey,
  endFurtherKey,
  endSession,
  endOtherSessions,
  sendPasswordLink: oneTimeLinks.sendPasswordLink,
  resetPassword: oneTimeLinks.resetPassword,
  confirmAddress: oneTimeLinks.confirmAddress,
  setAvatar,
  createBot: bots.createBot,
  updateBot: bots.updateBot,
  beginServiceCall: serviceCalls.beginServiceCall,
  endServiceCall: serviceCalls.endServiceCall,
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
  requestExport: realmExports.requestExport,
  beginExport: realmExports.beginExport,
  endExport: realmExports.endExport,
  deleteExport: realmExports.deleteExport,
  updateRealm: realmUpdate.updateRealm,
  deactivateRealm: realmUpdate.deactivateRealm,
  moveRealm: realmUpdate.moveRealm,
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
  setCallToken,
  addDevice: devices.addDevice,
  removeDevice: devices.removeDevice,
  updateDevice: devices.updateDevice,
  addPushToken: devices.addPushToken,
  removePushToken: devices.removePushToken,
} satisfies CommandTable;

type Listed = typeof commands;

declare module "./realm/command.ts" {
  interface CommandVocabulary {
    commands: Listed;
  }
}
