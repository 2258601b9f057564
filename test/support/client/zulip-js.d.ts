/** The part of the `zulip-js` client that the tests use; the package has no types of its own. */
declare module "zulip-js" {
  type Answer = { result: string; msg: string; code?: string } & Record<string, unknown>;
  type Call = (params?: Record<string, unknown>) => Promise<Answer>;
  interface ZulipClient {
    config: { apiKey: string; apiURL: string; username: string };
    messages: {
      send: Call;
      retrieve: Call;
      getById: Call;
      update: Call;
      deleteById: Call;
      render(content: string): Promise<Answer>;
      flags: { add: Call; remove: Call };
    };
    queues: { register: Call; deregister: Call };
    events: { retrieve: Call };
    streams: {
      retrieve: Call;
      getStreamId(name: string): Promise<Answer>;
      subscriptions: { retrieve: Call };
      topics: { retrieve: Call };
    };
    users: {
      retrieve: Call;
      me: { getProfile(): Promise<Answer>; subscriptions: { add: Call; remove: Call }; alertWords: { retrieve: Call } };
    };
    reactions: { add: Call; remove: Call };
    typing: { send: Call };
    server: { settings(): Promise<Answer> };
    accounts: { retrieve(): Promise<Answer> };
    emojis: { retrieve(): Promise<Answer> };
    callEndpoint(path: string, method: string, params?: Record<string, unknown>): Promise<Answer>;
    callOnEachEvent(handle: (event: Record<string, unknown>) => void, eventTypes?: string[]): Promise<void>;
  }
  export default function zulip(
    config: { username: string; apiKey?: string; password?: string; realm: string } | { zuliprc: string },
  ): Promise<ZulipClient>;
}
