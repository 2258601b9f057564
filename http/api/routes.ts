/**
 * The whole API on one page, but for logging in (`log-in-routes.ts`). Paths are below `/api/v1` and `/json`; those that
 * begin with `^` are rooted. `:name` is a part of a path, `:name*` the rest of it.
 */

import * as bots from "../resources/bots/bots.ts";
import { receiveWebhook, verifyWebhook } from "../resources/bots/external.ts";
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
import * as defaultGroups from "../resources/channels/default-groups.ts";
import {
  createChannelFolder,
  getChannelFolders,
  reorderChannelFolders,
  updateChannelFolder,
} from "../resources/channels/folders.ts";
import { deleteQueue, getEvents } from "../resources/events/events.ts";
import { registerQueue } from "../resources/events/register.ts";
import * as groups from "../resources/groups/groups.ts";
import {
  createInviteLink,
  getInvites,
  resendInvite,
  revokeInvite,
  revokeInviteLink,
  sendInvites,
} from "../resources/invitations/invitations.ts";
import { getJoiningPage, getJoinPage, submitJoiningPage, submitJoinPage } from "../resources/invitations/join-pages.ts";
import * as messageChanges from "../resources/messages/change.ts";
import { readExternalContent } from "../resources/messages/external-content.ts";
import * as messageFlags from "../resources/messages/flags.ts";
import { getGifs } from "../resources/messages/gifs.ts";
import { getMessageHistory, getReadReceipts } from "../resources/messages/history.ts";
import { readLinkPreviewImage } from "../resources/messages/link-previews.ts";
import { getMessage, getMessages, messagesMatchNarrow, renderMessage } from "../resources/messages/read.ts";
import { sendMessage } from "../resources/messages/send.ts";
import { getMessagesSummary } from "../resources/messages/summary.ts";
import { getAuditLog } from "../resources/organization/audit-log.ts";
import * as compliance from "../resources/organization/compliance.ts";
import { addDomain, getDomains, removeDomain, updateDomain } from "../resources/organization/domains.ts";
import * as emoji from "../resources/organization/emoji.ts";
import * as realmExports from "../resources/organization/exports.ts";
import { readExtraEmoji } from "../resources/organization/extra-emoji.ts";
import { readIcon } from "../resources/organization/icon.ts";
import * as linkifiers from "../resources/organization/linkifiers.ts";
import * as operations from "../resources/organization/operations.ts";
import { deactivateRealm, testWelcomeMessage, updateRealm } from "../resources/organization/organization.ts";
import * as pictures from "../resources/organization/pictures.ts";
import * as profileFields from "../resources/organization/profile-fields.ts";
import * as retention from "../resources/organization/retention.ts";
import { createDrafts, deleteDraft, editDraft, getDrafts } from "../resources/personal/drafts.ts";
import {
  addNavigationView,
  editNavigationView,
  getNavigationViews,
  removeNavigationView,
} from "../resources/personal/navigation-views.ts";
import { finishOnboardingStep } from "../resources/personal/onboarding-steps.ts";
import * as personal from "../resources/personal/personal.ts";
import * as snippets from "../resources/personal/saved-snippets.ts";
import { runZCommand } from "../resources/personal/zcommand.ts";
import { getRealmPresence, getUserPresence, updatePresence } from "../resources/presence/presence.ts";
import { setTyping, setTypingForEdit } from "../resources/presence/typing.ts";
import * as browsers from "../resources/push/browsers.ts";
import * as devices from "../resources/push/devices.ts";
import * as scheduled from "../resources/scheduled/messages.ts";
import { scimRoutes } from "../resources/scim/routes.ts";
import * as scimTokens from "../resources/scim/tokens.ts";
import * as callPages from "../resources/server/call-pages.ts";
import * as calls from "../resources/server/calls.ts";
import { getCompatibility, getSubdomain } from "../resources/server/compatibility.ts";
import { getDocsIndex, getDocsPage } from "../resources/server/docs.ts";
import { changeLogLevel, getLogLevels } from "../resources/server/log-levels.ts";
import { serveAssistant } from "../resources/server/mcp.ts";
import { getApiPage, getOpenApi } from "../resources/server/openapi.ts";
import { getAboutPage } from "../resources/server/pages.ts";
import { devListUsers, getHealth, getMetrics, getReplicas, getServerSettings } from "../resources/server/server.ts";
import { getServiceWorker, getWebFile, getWebPage } from "../resources/server/web-page.ts";
import * as subscriptions from "../resources/subscriptions/subscriptions.ts";
import * as tus from "../resources/uploads/tus.ts";
import * as uploads from "../resources/uploads/uploads.ts";
import * as links from "../resources/users/account-links.ts";
import { deleteAvatar, getAvatar, getAvatarFile, getMediumAvatar, uploadAvatar } from "../resources/users/avatars.ts";
import { getUserSettingsDefaults, patchSettings, patchUserSettingsDefaults } from "../resources/users/settings.ts";
import * as users from "../resources/users/users.ts";
import { logInRoutes } from "./log-in-routes.ts";
import { endpointsOf } from "./route-table.ts";

export const routes = endpointsOf({
  ...logInRoutes,
  // The server
  "GET /server_settings": getServerSettings,
  "GET /dev_list_users": devListUsers,
  "GET /compatibility": getCompatibility,
  "GET /realm/subdomain/:subdomain": getSubdomain,
  "GET ^/health": getHealth,
  "GET ^/metrics": getMetrics,
  "GET ^/replicas": getReplicas,
  "GET ^/log_levels": getLogLevels,
  "PATCH ^/log_levels": changeLogLevel,
  // Events
  "POST /register": registerQueue,
  "GET /events": getEvents,
  "DELETE /events": deleteQueue,
  // Messages
  "POST /messages": sendMessage,
  "GET /messages": getMessages,
  "GET /messages/:message_id": getMessage,
  "GET /messages/:message_id/history": getMessageHistory,
  "GET /messages/:message_id/read_receipts": getReadReceipts,
  "GET /messages/matches_narrow": messagesMatchNarrow,
  "GET /messages/summary": getMessagesSummary,
  "GET /gifs": getGifs,
  "PATCH /messages/:message_id": messageChanges.updateMessage,
  "DELETE /messages/:message_id": messageChanges.deleteMessage,
  "POST /messages/:message_id/reactions": messageChanges.addReaction,
  "DELETE /messages/:message_id/reactions": messageChanges.removeReaction,
  "POST /submessage": messageChanges.addSubmessage,
  "POST /messages/:message_id/report": messageChanges.reportMessage,
  "POST /typing": setTyping,
  "POST /messages/:message_id/typing": setTypingForEdit,
  "GET /scheduled_messages": scheduled.getScheduledMessages,
  "POST /scheduled_messages": scheduled.createScheduledMessage,
  "PATCH /scheduled_messages/:scheduled_message_id": scheduled.updateScheduledMessage,
  "DELETE /scheduled_messages/:scheduled_message_id": scheduled.deleteScheduledMessage,
  "GET /reminders": scheduled.getReminders,
  "POST /reminders": scheduled.createReminder,
  "DELETE /reminders/:reminder_id": scheduled.deleteReminder,
  "POST /messages/render": renderMessage,
  "POST /messages/flags": messageFlags.updateMessageFlags,
  "POST /messages/flags/narrow": messageFlags.updateFlagsForNarrow,
  "POST /mark_all_as_read": messageFlags.markAllAsRead,
  "POST /mark_stream_as_read": messageFlags.markStreamAsRead,
  "POST /mark_topic_as_read": messageFlags.markTopicAsRead,
  // Channels
  "POST /channels/create": createChannel,
  "GET /streams": getChannels,
  "GET /streams/:stream_id": getChannel,
  "PATCH /streams/:stream_id": updateChannel,
  "DELETE /streams/:stream_id": archiveChannel,
  "GET /get_stream_id": getChannelId,
  "GET /streams/:stream_id/members": getChannelMembers,
  "GET /streams/:stream_id/email_address": getChannelEmailAddress,
  "GET /users/me/:stream_id/topics": getTopics,
  "POST /streams/:stream_id/delete_topic": messageChanges.deleteTopic,
  "POST /default_streams": addDefaultChannel,
  "DELETE /default_streams": removeDefaultChannel,
  "POST /default_stream_groups/create": defaultGroups.addDefaultGroup,
  "PATCH /default_stream_groups/:group_id": defaultGroups.updateDefaultGroup,
  "DELETE /default_stream_groups/:group_id": defaultGroups.removeDefaultGroup,
  "PATCH /default_stream_groups/:group_id/streams": defaultGroups.updateDefaultGroupChannels,
  "POST /channel_folders/create": createChannelFolder,
  "GET /channel_folders": getChannelFolders,
  "PATCH /channel_folders": reorderChannelFolders,
  "PATCH /channel_folders/:channel_folder_id": updateChannelFolder,
  // Subscriptions
  "GET /users/me/subscriptions": subscriptions.getSubscriptions,
  "POST /users/me/subscriptions": subscriptions.subscribe,
  "DELETE /users/me/subscriptions": subscriptions.unsubscribe,
  "PATCH /users/me/subscriptions": subscriptions.updateSubscriptions,
  "GET /users/:user_id/channels": subscriptions.getChannelsOfUser,
  "GET /users/:user_id/subscriptions/:stream_id": subscriptions.getSubscriptionStatus,
  "POST /users/me/subscriptions/properties": subscriptions.setSubscriptionProperties,
  "PATCH /users/me/subscriptions/muted_topics": subscriptions.muteTopic,
  "PATCH /users/me/subscriptions/:stream_id": subscriptions.setSubscriptionProperty,
  "POST /user_topics": subscriptions.updateUserTopic,
  // User groups
  "GET /user_groups": groups.getUserGroups,
  "POST /user_groups/create": groups.createUserGroup,
  "PATCH /user_groups/:user_group_id": groups.updateUserGroup,
  "POST /user_groups/:user_group_id/deactivate": groups.deactivateUserGroup,
  "POST /user_groups/:user_group_id/members": groups.updateUserGroupMembers,
  "GET /user_groups/:user_group_id/members": groups.getUserGroupMembers,
  "GET /user_groups/:user_group_id/members/:user_id": groups.getIsUserGroupMember,
  "POST /user_groups/:user_group_id/subgroups": groups.updateUserGroupSubgroups,
  "GET /user_groups/:user_group_id/subgroups": groups.getUserGroupSubgroups,
  // Users
  "GET /users/me": users.getOwnUser,
  "GET /users": users.getUsers,
  "GET /users/:user": users.getUser,
  "POST /users": users.createUser,
  "PATCH /users/:user": users.updateUser,
  "DELETE /users/me": users.deactivateOwnUser,
  "DELETE /users/:user_id": users.deactivateUser,
  "POST /users/:user_id/reactivate": users.reactivateUser,
  "GET /users/:user_id/status": personal.getUserStatus,
  "POST /users/me/status": personal.updateStatus,
  "POST /users/:user_id/status": personal.updateUserStatus,
  "DELETE /users/me/status": personal.removeStatus,
  "DELETE /users/:user_id/status": personal.removeUserStatus,
  "GET /users/me/alert_words": personal.getAlertWords,
  "POST /users/me/alert_words": personal.addAlertWords,
  "DELETE /users/me/alert_words": personal.removeAlertWords,
  "POST /users/me/muted_users/:muted_user_id": personal.muteUser,
  "DELETE /users/me/muted_users/:muted_user_id": personal.unmuteUser,
  "POST /users/me/api_key/regenerate": personal.regenerateApiKey,
  "PATCH /users/me/profile_data": personal.updateProfileData,
  "DELETE /users/me/profile_data": personal.removeProfileData,
  "POST /users/me/avatar": uploadAvatar,
  "DELETE /users/me/avatar": deleteAvatar,
  "GET ^/user_avatars/:realm_id/:user_id/:file": getAvatarFile,
  "GET ^/avatar/:user": getAvatar,
  "GET ^/avatar/:user/medium": getMediumAvatar,
  "POST /users/:user_id/password_link": links.sendPasswordLink,
  "PATCH /settings": patchSettings,
  "PATCH /settings/display": patchSettings,
  "PATCH /settings/notifications": patchSettings,
  "GET /realm/user_settings_defaults": getUserSettingsDefaults,
  "PATCH /realm/user_settings_defaults": patchUserSettingsDefaults,
  "POST /realm/profile_fields": profileFields.addProfileField,
  "GET /realm/profile_fields": profileFields.getProfileFields,
  "PATCH /realm/profile_fields": profileFields.orderProfileFields,
  "DELETE /realm/profile_fields/:field_id": profileFields.removeProfileField,
  "PATCH /realm/profile_fields/:field_id": profileFields.updateProfileField,
  "POST /bots": bots.createBot,
  "DELETE /bots/:bot_id": bots.deactivateBot,
  "GET /bots/:bot_id/api_key": bots.getBotKey,
  "GET /bots": bots.getBots,
  "POST /bots/:bot_id/api_key/regenerate": bots.regenerateBotKey,
  "PATCH /bots/:bot_id": bots.updateBot,
  "POST /external/:integration": receiveWebhook,
  "GET /external/:asking_integration": verifyWebhook,
  // What a person keeps
  "POST /zcommand": runZCommand,
  "POST /users/me/onboarding_steps": finishOnboardingStep,
  "GET /drafts": getDrafts,
  "POST /drafts": createDrafts,
  "PATCH /drafts/:draft_id": editDraft,
  "DELETE /drafts/:draft_id": deleteDraft,
  "GET /saved_snippets": snippets.getSavedSnippets,
  "POST /saved_snippets": snippets.createSavedSnippet,
  "PATCH /saved_snippets/:saved_snippet_id": snippets.editSavedSnippet,
  "DELETE /saved_snippets/:saved_snippet_id": snippets.deleteSavedSnippet,
  "GET /navigation_views": getNavigationViews,
  "POST /navigation_views": addNavigationView,
  "PATCH /navigation_views/:fragment*": editNavigationView,
  "DELETE /navigation_views/:fragment*": removeNavigationView,
  // How it runs
  "GET /realm/operations": operations.getOperations,
  "POST /realm/operations/retry": operations.retryOutgoing,
  // Exports
  "POST /export/realm": realmExports.requestExport,
  "GET /export/realm": realmExports.getExports,
  "GET /export/realm/consents": realmExports.getExportConsents,
  "DELETE /export/realm/:export_id": realmExports.deleteExport,
  "GET ^/exports/:export_id/:file": realmExports.readExport,
  // Invitations
  "POST /invites/multiuse": createInviteLink,
  "POST /invites": sendInvites,
  "GET /invites": getInvites,
  "DELETE /invites/:invite_id": revokeInvite,
  "DELETE /invites/multiuse/:invite_id": revokeInviteLink,
  "POST /invites/:invite_id/resend": resendInvite,
  // The API about itself
  "GET /openapi.json": getOpenApi,
  "GET ^/api/": getApiPage,
  "GET ^/api": getApiPage,
  // Assistants
  "POST ^/mcp": serveAssistant,
  // Video calls
  "GET /calls/bigbluebutton/create": calls.createBigBlueButton,
  "POST /calls/zoom/create": calls.createZoom,
  "POST /calls/webex/create": calls.createWebex,
  "POST /calls/nextcloud_talk/create": calls.createNextcloudTalk,
  "POST /calls/constructorgroups/create": calls.createConstructorGroups,
  "GET ^/calls/bigbluebutton/join": callPages.joinBigBlueButton,
  "GET ^/calls/zoom/register": callPages.registerZoom,
  "GET ^/calls/zoom/complete": callPages.completeZoom,
  "POST ^/calls/zoom/deauthorize": callPages.deauthorizeZoom,
  "GET ^/calls/webex/register": callPages.registerWebex,
  "GET ^/calls/webex/complete": callPages.completeWebex,
  // Pages for people
  "GET ^/": getWebPage,
  "GET ^/service-worker.js": getServiceWorker,
  "GET ^/static/web/:file": getWebFile,
  "GET ^/about/": getAboutPage,
  "GET ^/docs/": getDocsIndex,
  "GET ^/docs": getDocsIndex,
  "GET ^/docs/:page": getDocsPage,
  "GET ^/join/:key/": getJoinPage,
  "GET ^/join/:key": getJoinPage,
  "POST ^/join/:key/": submitJoinPage,
  "GET ^/accounts/join/:token/": getJoiningPage,
  "POST ^/accounts/join/:token/": submitJoiningPage,
  "GET ^/accounts/password/reset/": links.getForgottenPage,
  "POST ^/accounts/password/reset/": links.submitForgottenPage,
  "GET ^/accounts/reset/:token/": links.getNewPasswordPage,
  "POST ^/accounts/reset/:token/": links.submitNewPasswordPage,
  "GET ^/accounts/unsubscribe/missed_messages/:token/": links.getUnsubscribePage,
  "POST ^/accounts/unsubscribe/missed_messages/:token/": links.submitUnsubscribePage,
  "GET ^/accounts/unsubscribe/digest/:token/": links.getDigestUnsubscribePage,
  "POST ^/accounts/unsubscribe/digest/:token/": links.submitDigestUnsubscribePage,
  "GET ^/accounts/confirm_new_email/:token/": links.getConfirmAddressPage,
  "POST ^/accounts/confirm_new_email/:token/": links.submitConfirmAddressPage,
  // Devices and their notifications
  "POST /register_client_device": devices.registerClientDevice,
  "POST /remove_client_device": devices.removeClientDevice,
  "GET /web_push": browsers.getWebPush,
  "POST /web_push": browsers.subscribeToWebPush,
  "DELETE /web_push": browsers.unsubscribeFromWebPush,
  "POST /mobile_push/register": devices.registerPushDevice,
  "POST /mobile_push/e2ee/test_notification": devices.testEncryptedNotification,
  "POST /mobile_push/test_notification": devices.testNotification,
  "POST /users/me/android_gcm_reg_id": devices.addFcmToken,
  "DELETE /users/me/android_gcm_reg_id": devices.removeFcmToken,
  "POST /users/me/apns_device_token": devices.addApnsToken,
  "DELETE /users/me/apns_device_token": devices.removeApnsToken,
  // Presence
  "POST /users/me/presence": updatePresence,
  "GET /users/:user_id_or_email/presence": getUserPresence,
  "GET /realm/presence": getRealmPresence,
  // Files
  "POST /user_uploads": uploads.uploadFile,
  // Zulip's clients ask for the second.
  "POST /tus": tus.createUpload,
  "POST /tus/": tus.createUpload,
  "GET /tus/:upload_id": tus.getUpload,
  "PATCH /tus/:upload_id": tus.resumeUpload,
  "DELETE /tus/:upload_id": tus.terminateUpload,
  "GET /user_uploads/:realm_id/:filename*": uploads.getTemporaryUrl,
  "GET ^/user_uploads/:realm_id/:filename*": uploads.readFile,
  "GET ^/user_uploads/download/:realm_id/:filename*": uploads.downloadFile,
  "GET ^/link_previews/:realm_id/:file_name": readLinkPreviewImage,
  "GET ^/external_content/:digest/:address": readExternalContent,
  "GET /thumbnail/status/:realm_id/:filename*": uploads.getThumbnailStatus,
  "GET ^/user_uploads/thumbnail/:realm_id/:filename*": uploads.readThumbnail,
  "GET ^/user_uploads/temporary/:token/:filename*": uploads.readFileByToken,
  "GET /attachments": uploads.getAttachments,
  "GET /attachments/facts": uploads.getAttachmentFacts,
  "DELETE /attachments/:attachment_id": uploads.removeAttachment,
  "GET /bot_storage": getBotStorage,
  "PUT /bot_storage": updateBotStorage,
  "DELETE /bot_storage": removeBotStorage,
  // The organization
  "PATCH /realm": updateRealm,
  "POST /realm/test_welcome_bot_custom_message": testWelcomeMessage,
  "POST /realm/deactivate": deactivateRealm,
  "GET /realm/linkifiers": linkifiers.getLinkifiers,
  "POST /realm/filters": linkifiers.addLinkifier,
  "PATCH /realm/filters/:filter_id": linkifiers.updateLinkifier,
  "DELETE /realm/filters/:filter_id": linkifiers.removeLinkifier,
  "PATCH /realm/linkifiers": linkifiers.reorderLinkifiers,
  "POST /realm/playgrounds": linkifiers.addPlayground,
  "DELETE /realm/playgrounds/:playground_id": linkifiers.removePlayground,
  "GET /realm/emoji": emoji.getEmoji,
  "POST /realm/emoji/:emoji_name": emoji.uploadEmoji,
  "DELETE /realm/emoji/:emoji_name": emoji.deactivateEmoji,
  "GET ^/user_avatars/:realm_id/emoji/images/:file_name": emoji.readEmojiImage,
  "GET ^/static/emoji/emoji-data.json": emoji.readEmojiData,
  "GET ^/static/generated/emoji/images/emoji/unicode/zulip.png": readExtraEmoji,
  "GET ^/static/icon.svg": readIcon,
  "POST /realm/icon": pictures.uploadRealmIcon,
  "DELETE /realm/icon": pictures.deleteRealmIcon,
  "GET /realm/icon": pictures.getRealmIcon,
  "POST /realm/logo": pictures.uploadRealmLogo,
  "DELETE /realm/logo": pictures.deleteRealmLogo,
  "GET /realm/logo": pictures.getRealmLogo,
  "GET ^/user_avatars/:realm_id/realm/:file": pictures.readRealmPicture,
  "GET /realm/audit_log": getAuditLog,
  "GET /realm/legal_holds": compliance.getLegalHolds,
  "POST /realm/legal_holds": compliance.addLegalHold,
  "DELETE /realm/legal_holds/:hold_id": compliance.endLegalHold,
  "GET /realm/compliance_export": compliance.exportMessages,
  // Addresses end up in logs: programs, which have to send a password, do it in a body.
  "POST /realm/compliance_export": compliance.exportMessages,
  "GET ^/compliance_export/file": compliance.exportFile,
  "POST ^/compliance_export/file": compliance.exportFile,
  "GET /realm/retention": retention.getRetention,
  "PATCH /realm/retention": retention.decideRetention,
  "GET /realm/scim_tokens": scimTokens.getScimTokens,
  "POST /realm/scim_tokens": scimTokens.addScimToken,
  "DELETE /realm/scim_tokens/:token_id": scimTokens.endScimToken,
  ...scimRoutes,
  "GET /realm/domains": getDomains,
  "POST /realm/domains": addDomain,
  "PATCH /realm/domains/:domain": updateDomain,
  "DELETE /realm/domains/:domain": removeDomain,
});
