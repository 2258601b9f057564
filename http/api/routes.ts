/** The whole API on one page. Paths are below `/api/v1` and `/json`; those that begin with `^` are rooted. */

import * as bots from "../resources/bots/bots.ts";
import { getBotStorage, removeBotStorage, updateBotStorage } from "../resources/bots/storage.ts";
import {
  addDefaultChannel,
  archiveChannel,
  createChannel,
  removeDefaultChannel,
  updateChannel,
} from "../resources/channels/changes.ts";
import {
  getChannel,
  getChannelEmailAddress,
  getChannelId,
  getChannelMembers,
  getChannels,
  getTopics,
} from "../resources/channels/channels.ts";
import {
  createChannelFolder,
  getChannelFolders,
  reorderChannelFolders,
  updateChannelFolder,
} from "../resources/channels/folders.ts";
import { deleteQueue, getEvents } from "../resources/events/events.ts";
import { registerQueue } from "../resources/events/register.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  getIsUserGroupMember,
  getUserGroupMembers,
  getUserGroupSubgroups,
  getUserGroups,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "../resources/groups/groups.ts";
import {
  createInviteLink,
  getInvites,
  resendInvite,
  revokeInvite,
  revokeInviteLink,
  sendInvites,
} from "../resources/invitations/invitations.ts";
import {
  addReaction,
  addSubmessage,
  deleteMessage,
  deleteTopic,
  removeReaction,
  reportMessage,
  updateMessage,
} from "../resources/messages/change.ts";
import {
  markAllAsRead,
  markStreamAsRead,
  markTopicAsRead,
  updateFlagsForNarrow,
  updateMessageFlags,
} from "../resources/messages/flags.ts";
import { getMessageHistory, getReadReceipts } from "../resources/messages/history.ts";
import { getMessage, getMessages, messagesMatchNarrow, renderMessage } from "../resources/messages/read.ts";
import { sendMessage } from "../resources/messages/send.ts";
import { addDomain, getDomains, removeDomain, updateDomain } from "../resources/organization/domains.ts";
import {
  deactivateEmoji,
  getEmoji,
  readEmojiData,
  readEmojiImage,
  uploadEmoji,
} from "../resources/organization/emoji.ts";
import { readIcon } from "../resources/organization/icon.ts";
import {
  addLinkifier,
  addPlayground,
  getLinkifiers,
  removeLinkifier,
  removePlayground,
  reorderLinkifiers,
  updateLinkifier,
} from "../resources/organization/linkifiers.ts";
import { deactivateRealm, updateRealm } from "../resources/organization/organization.ts";
import * as profileFields from "../resources/organization/profile-fields.ts";
import { createDrafts, deleteDraft, editDraft, getDrafts } from "../resources/personal/drafts.ts";
import {
  addNavigationView,
  editNavigationView,
  getNavigationViews,
  removeNavigationView,
} from "../resources/personal/navigation-views.ts";
import { finishOnboardingStep } from "../resources/personal/onboarding-steps.ts";
import * as personal from "../resources/personal/personal.ts";
import {
  createSavedSnippet,
  deleteSavedSnippet,
  editSavedSnippet,
  getSavedSnippets,
} from "../resources/personal/saved-snippets.ts";
import { getRealmPresence, getUserPresence, updatePresence } from "../resources/presence/presence.ts";
import { setTyping, setTypingForEdit } from "../resources/presence/typing.ts";
import {
  addApnsToken,
  addFcmToken,
  registerClientDevice,
  registerPushDevice,
  removeApnsToken,
  removeClientDevice,
  removeFcmToken,
  testEncryptedNotification,
  testNotification,
} from "../resources/push/devices.ts";
import {
  createReminder,
  createScheduledMessage,
  deleteReminder,
  deleteScheduledMessage,
  getReminders,
  getScheduledMessages,
  updateScheduledMessage,
} from "../resources/scheduled/messages.ts";
import { getApiPage, getApiPageWithoutSlash, getOpenApi } from "../resources/server/openapi.ts";
import {
  getJoinPage,
  getJoinPageWithoutSlash,
  getLandingPage,
  getLoginPage,
  getLoginPageWithoutSlash,
  submitJoinPage,
  submitLoginPage,
} from "../resources/server/pages.ts";
import {
  devFetchApiKey,
  devListUsers,
  fetchApiKey,
  getHealth,
  getMetrics,
  getReplicas,
  getServerSettings,
} from "../resources/server/server.ts";
import {
  getSubscriptionStatus,
  getSubscriptions,
  muteTopic,
  setSubscriptionProperties,
  setSubscriptionProperty,
  subscribe,
  unsubscribe,
  updateSubscriptions,
  updateUserTopic,
} from "../resources/subscriptions/subscriptions.ts";
import {
  getAttachments,
  getTemporaryUrl,
  readFile,
  readFileByToken,
  removeAttachment,
  uploadFile,
} from "../resources/uploads/uploads.ts";
import { deleteAvatar, getAvatar, getAvatarFile, getMediumAvatar, uploadAvatar } from "../resources/users/avatars.ts";
import { jwtFetchApiKey } from "../resources/users/jwt.ts";
import {
  getUserSettingsDefaults,
  patchDisplaySettings,
  patchNotificationSettings,
  patchSettings,
  patchUserSettingsDefaults,
} from "../resources/users/settings.ts";
import * as users from "../resources/users/users.ts";
import type { Route } from "./route.ts";

export const routes: readonly Route[] = [
  // The server
  getServerSettings,
  fetchApiKey,
  devFetchApiKey,
  devListUsers,
  getHealth,
  getMetrics,
  getReplicas,
  // Events
  registerQueue,
  getEvents,
  deleteQueue,
  // Messages
  sendMessage,
  getMessages,
  getMessage,
  getMessageHistory,
  getReadReceipts,
  messagesMatchNarrow,
  updateMessage,
  deleteMessage,
  addReaction,
  removeReaction,
  addSubmessage,
  reportMessage,
  setTyping,
  setTypingForEdit,
  getScheduledMessages,
  createScheduledMessage,
  updateScheduledMessage,
  deleteScheduledMessage,
  getReminders,
  createReminder,
  deleteReminder,
  renderMessage,
  updateMessageFlags,
  updateFlagsForNarrow,
  markAllAsRead,
  markStreamAsRead,
  markTopicAsRead,
  // Channels
  createChannel,
  getChannels,
  getChannel,
  updateChannel,
  archiveChannel,
  getChannelId,
  getChannelMembers,
  getChannelEmailAddress,
  getTopics,
  deleteTopic,
  addDefaultChannel,
  removeDefaultChannel,
  createChannelFolder,
  getChannelFolders,
  reorderChannelFolders,
  updateChannelFolder,
  // Subscriptions
  getSubscriptions,
  subscribe,
  unsubscribe,
  updateSubscriptions,
  getSubscriptionStatus,
  setSubscriptionProperties,
  muteTopic,
  setSubscriptionProperty,
  updateUserTopic,
  // User groups
  getUserGroups,
  createUserGroup,
  updateUserGroup,
  deactivateUserGroup,
  updateUserGroupMembers,
  getUserGroupMembers,
  getIsUserGroupMember,
  updateUserGroupSubgroups,
  getUserGroupSubgroups,
  // Users
  users.getOwnUser,
  users.getUsers,
  users.getUser,
  users.createUser,
  users.updateUser,
  users.deactivateOwnUser,
  users.deactivateUser,
  users.reactivateUser,
  personal.getUserStatus,
  personal.updateStatus,
  personal.updateUserStatus,
  personal.getAlertWords,
  personal.addAlertWords,
  personal.removeAlertWords,
  personal.muteUser,
  personal.unmuteUser,
  personal.regenerateApiKey,
  personal.updateProfileData,
  personal.removeProfileData,
  uploadAvatar,
  deleteAvatar,
  getAvatarFile,
  getAvatar,
  getMediumAvatar,
  patchSettings,
  patchDisplaySettings,
  patchNotificationSettings,
  getUserSettingsDefaults,
  patchUserSettingsDefaults,
  ...Object.values(profileFields),
  ...Object.values(bots),
  jwtFetchApiKey,
  // What a person keeps
  finishOnboardingStep,
  getDrafts,
  createDrafts,
  editDraft,
  deleteDraft,
  getSavedSnippets,
  createSavedSnippet,
  editSavedSnippet,
  deleteSavedSnippet,
  getNavigationViews,
  addNavigationView,
  editNavigationView,
  removeNavigationView,
  // Invitations
  createInviteLink,
  sendInvites,
  getInvites,
  revokeInvite,
  revokeInviteLink,
  resendInvite,
  // The API about itself
  getOpenApi,
  getApiPage,
  getApiPageWithoutSlash,
  // Pages for people
  getLandingPage,
  getJoinPage,
  getJoinPageWithoutSlash,
  submitJoinPage,
  getLoginPage,
  getLoginPageWithoutSlash,
  submitLoginPage,
  // Devices and their notifications
  registerClientDevice,
  removeClientDevice,
  registerPushDevice,
  testEncryptedNotification,
  testNotification,
  addFcmToken,
  removeFcmToken,
  addApnsToken,
  removeApnsToken,
  // Presence
  updatePresence,
  getUserPresence,
  getRealmPresence,
  // Files
  uploadFile,
  getTemporaryUrl,
  readFile,
  readFileByToken,
  getAttachments,
  removeAttachment,
  getBotStorage,
  updateBotStorage,
  removeBotStorage,
  // The organization
  updateRealm,
  deactivateRealm,
  getLinkifiers,
  addLinkifier,
  updateLinkifier,
  removeLinkifier,
  reorderLinkifiers,
  addPlayground,
  removePlayground,
  getEmoji,
  uploadEmoji,
  deactivateEmoji,
  readEmojiImage,
  readEmojiData,
  readIcon,
  getDomains,
  addDomain,
  updateDomain,
  removeDomain,
];
