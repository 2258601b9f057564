/** The whole API on one page. Paths are below `/api/v1` and `/json`; those that begin with `^` are rooted. */
import { deleteQueue, getEvents } from "./resources/events.ts";
import { registerQueue } from "./resources/register.ts";
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
  // Users
  getOwnUser,
  createUser,
  updateUser,
];
