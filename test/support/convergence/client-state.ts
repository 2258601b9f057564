/**
 * The client's half of the convergence law. A state fetched with POST /register and brought up to date by the events
 * from GET /events must equal what POST /register answers afterwards. It is the store of the page people chat on, so
 * every write that is tested proves that store too. It is written from the specification alone and shares nothing with
 * the server.
 */
export * from "../../../http/client/state/fold.ts";
export { diffStates } from "./diff.ts";
export { normalizeState } from "./normalize.ts";
