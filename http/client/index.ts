/** A client of Parley, for browsers and Node: typed calls, a queue that loses nothing, and the state that follows. */
export type { AnswerOf, Endpoint, ParamsOf } from "./calls.ts";
export { Followed, type FollowOptions, type Outgoing, ParleyClient } from "./client.ts";
export type { ClientEvent, NewMessageEvent } from "./events.ts";
export { persist, storeOnce } from "./persist.ts";
export type { FollowingEnd } from "./queue/following.ts";
export { type Access, ApiError, accessByKey } from "./request.ts";
export { type ClientProfile, LEGACY, MOBILE, MODERN } from "./state/client-profile.ts";
export { applyEvents, InapplicableEventError } from "./state/fold.ts";
export { MessageCache } from "./state/message-cache.ts";
export type { ChannelRecord, RegisterState, UserRecord } from "./state/state.ts";
export type { Message, Term } from "./types.ts";
