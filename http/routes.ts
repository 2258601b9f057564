/** The whole API on one page. Paths are below `/api/v1` and `/json`; those that begin with `^` are rooted. */
import { createChannel } from "./resources/channel-changes.ts";
import { createDrafts, deleteDraft, editDraft, getDrafts } from "./resources/drafts.ts";
import { deleteQueue, getEvents } from "./resources/events.ts";
import {
  addNavigationView,
  editNavigationView,
  getNavigationViews,
  removeNavigationView,
} from "./resources/navigation-views.ts";
import { getRealmPresence, getUserPresence, updatePresence } from "./resources/presence.ts";
import { registerQueue } from "./resources/register.ts";
import {
  createSavedSnippet,
  deleteSavedSnippet,
  editSavedSnippet,
  getSavedSnippets,
} from "./resources/saved-snippets.ts";
import { sendMessage } from "./resources/send-message.ts";
import {
  devFetchApiKey,
  devListUsers,
  fetchApiKey,
  getHealth,
  getMetrics,
  getServerSettings,
} from "./resources/server.ts";
import { createUser, getOwnUser, updateUser } from "./resources/users.ts";
import type { Route } from "./route.ts";

export const routes: readonly Route[] = [
  // The server
  getServerSettings,
  fetchApiKey,
  devFetchApiKey,
  devListUsers,
  getHealth,
  getMetrics,
  // Events
  registerQueue,
  getEvents,
  deleteQueue,
  // Messages
  sendMessage,
  // Channels
  createChannel,
  // Users
  getOwnUser,
  createUser,
  updateUser,
  // What a person keeps
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
  // Presence
  updatePresence,
  getUserPresence,
  getRealmPresence,
];
