/** https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/ */
import { byEvent, type Notice, type Teller } from "../notice/integration.ts";
import { link, moment, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const data = (payload: Payload): Payload => payload.at("action.data");
const who = (payload: Payload): string =>
  payload.person("action.memberCreator.fullName", "action.memberCreator.username");
const member = (payload: Payload): string => payload.line("action.member.fullName", "action.data.member.name");

const card = (payload: Payload): string => {
  const at = data(payload).at("card");
  return link(at.line("name") || "a card", at.has("shortLink") ? `https://trello.com/c/${at.line("shortLink")}` : "");
};
const board = (payload: Payload): string => {
  const at = data(payload).at("board");
  return link(at.line("name"), at.has("shortLink") ? `https://trello.com/b/${at.line("shortLink")}` : "");
};

/** What an update of a card changed; `old` has what was before. Nothing: it only moved within its list. */
function cardChange(payload: Payload): string {
  const at = data(payload);
  const [old, now] = [at.at("old"), at.at("card")];
  if (at.has("listBefore"))
    return `moved ${card(payload)} from ${at.line("listBefore.name")} to ${at.line("listAfter.name")}.`;
  if (old.has("name")) return `renamed the card "${old.line("name")}" to ${card(payload)}.`;
  if (old.knows("desc")) {
    const text = now.text("desc");
    return text === "" ? `removed the description of ${card(payload)}.` : `described ${card(payload)}:${quote(text)}`;
  }
  if (old.knows("due")) {
    const [before, due] = [moment(old.line("due")), moment(now.line("due"))];
    if (due === "") return `removed the due date of ${card(payload)}.`;
    return `set the due date of ${card(payload)} to ${due}${before === "" ? "" : `; it was ${before}`}.`;
  }
  if (old.knows("dueComplete"))
    return `marked ${card(payload)} as ${now.is("dueComplete", true) ? "complete" : "not complete"}.`;
  if (old.knows("closed")) return `${now.is("closed", true) ? "archived" : "reopened"} ${card(payload)}.`;
  return "";
}

const does =
  (words: (payload: Payload) => string): Teller =>
  (payload) =>
    `${who(payload)} ${words(payload)}`;

const labeled =
  (did: string, preposition: string): Teller =>
  (payload) => {
    const at = data(payload);
    const [color, text] = [at.line("label.color", "value"), at.line("label.name", "text")];
    return `${who(payload)} ${did} the ${color === "" ? "" : `${color} `}label${text === "" ? "" : ` "${text}"`} ${preposition} ${card(payload)}.`;
  };

const unchanged = "unchanged";

/** An update is of a kind that is told, or of one that says nothing. */
function eventOf({ payload }: Notice): string {
  const type = payload.need("action.type");
  if (type === "updateCard" && cardChange(payload) === "") return unchanged;
  return type === "updateBoard" && !data(payload).has("old.name") ? unchanged : type;
}

export const trello = byEvent({
  name: "trello",
  displayName: "Trello",
  verification: { isEchoed: false },
  event: eventOf,
  topic: (payload) => data(payload).need("board.name"),
  ignores: [unchanged, "copyCard", "copyCommentCard", "createCheckItem", "updateCheckItem", "updateList"],
  tells: {
    createCard: does(
      (payload) =>
        `created ${card(payload)}${data(payload).has("list.name") ? ` in ${data(payload).line("list.name")}` : ""}.`,
    ),
    updateCard: does(cardChange),
    deleteCard: does((payload) => `deleted a card of ${data(payload).line("list.name")}.`),
    commentCard: does((payload) => `commented on ${card(payload)}:${quote(data(payload).text("text"))}`),
    addLabelToCard: labeled("added", "to"),
    removeLabelFromCard: labeled("removed", "from"),
    addMemberToCard: does((payload) => `added ${member(payload)} to ${card(payload)}.`),
    removeMemberFromCard: does((payload) => `removed ${member(payload)} from ${card(payload)}.`),
    addAttachmentToCard: does((payload) => {
      const at = data(payload).at("attachment");
      return `added ${link(at.line("name"), at.text("url"))} to ${card(payload)}.`;
    }),
    addChecklistToCard: does(
      (payload) => `added the checklist ${data(payload).line("checklist.name")} to ${card(payload)}.`,
    ),
    updateCheckItemStateOnCard: does((payload) => {
      const at = data(payload).at("checkItem");
      const state = at.is("state", "complete") ? "complete" : "not complete";
      const checklist = data(payload).line("checklist.name");
      return `marked "${at.line("name")}"${checklist === "" ? "" : ` of ${checklist}`} on ${card(payload)} as ${state}.`;
    }),
    addMemberToBoard: does((payload) => `added ${member(payload)} to ${board(payload)}.`),
    removeMemberFromBoard: does((payload) => `removed ${member(payload)} from ${board(payload)}.`),
    createList: does((payload) => `added the list ${data(payload).line("list.name")} to ${board(payload)}.`),
    updateBoard: does((payload) => `renamed the board ${data(payload).line("old.name")} to ${board(payload)}.`),
  },
});
