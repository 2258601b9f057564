/** Names of the bots that every organization has. */
export const notificationBotName = "Notification Bot";
export const welcomeBotName = "Welcome Bot";
