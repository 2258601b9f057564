import { defineNoun } from "../../realm/noun.ts";
import { conversations, pendingWords, sendLedger } from "../memories.ts";
import { previewWishes } from "../wanted-previews.ts";
import { deleteMessage, deleteTopicMessages } from "./delete.ts";
import { updateMessage } from "./edit.ts";
import { markAllAsRead, markChannelAsRead, updateMessageFlags } from "./flags.ts";
import { continueMoves, unfinishedMovesJob } from "./great-moves.ts";
import { addLinkPreviews } from "./link-previews.ts";
import { addReaction, removeReaction } from "./reactions.ts";
import { reportMessage } from "./report.ts";
import { sendMessage } from "./send.ts";
import { addSubmessage } from "./submessages.ts";

export const messagesNoun = defineNoun({
  commands: {
    sendMessage,
    updateMessage,
    continueMoves,
    deleteMessage,
    deleteTopicMessages,
    addReaction,
    removeReaction,
    addLinkPreviews,
    addSubmessage,
    reportMessage,
    updateMessageFlags,
    markAllAsRead,
    markChannelAsRead,
  },
  jobs: [unfinishedMovesJob],
  memories: [conversations, sendLedger, previewWishes, pendingWords],
});
