/** Where assistants ask: the Model Context Protocol. Off unless the operator wants it. */
import { ApiError, errors } from "../../../actors/errors.ts";
import { readJsonText } from "../../../actors/text/read-json.ts";
import { defined } from "../../../storage/failures.ts";
import { text } from "../../api/params.ts";
import { countRequest } from "../../api/pipeline.ts";
import { JsonReply, Later, RawReply, type Reply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { type Answered, answerMessage, mcpHeaders, oldestVersion, refusal } from "../../mcp/protocol.ts";
import type { Asked } from "../../mcp/tool.ts";

/** Room for a batch of the longest messages. */
const maxBodyBytes = 512 * 1024;
/** Messages of a batch. */
const maxBatch = 20;
/** What messages and reports are told to come from, as at Zulip. */
const client = "ZulipMCP";

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
export const serveAssistant = route({
  doc: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http",
  summary: "Answers assistants by the Model Context Protocol, where the server is set up for them.",
  auth: ["bearer"],
  isServed: ({ servesAssistants }) => servesAssistants,
  wantsHeaders: ["origin", ...mcpHeaders],
  bodyParam: "message",
  maxBodyBytes,
  params: {
    message: text({ maxLength: maxBodyBytes }).describe("A JSON-RPC message, as the whole body."),
  },
  async handle({ params, files: _, ...request }) {
    const asked: Asked = { ...request, client };
    checkOrigin(asked);
    const message = parsed(params.message);
    if (message === undefined) return replyTo(refusal("parse", "The body is no JSON.", 400));
    const headers = headersOf(asked);
    if (!Array.isArray(message)) return replyTo(await answerMessage(asked, headers, message));
    // Later revisions have no batches.
    if ((headers.get("mcp-protocol-version") ?? oldestVersion) !== oldestVersion)
      return replyTo(refusal("invalidRequest", "This revision has no batches.", 400));
    if (message.length === 0 || message.length > maxBatch)
      return replyTo(refusal("invalidRequest", `A batch has from 1 to ${maxBatch} messages.`, 400));
    return answerBatch(asked, message);
  },
});

/**
 * A page of another site may have its name lead to this server, and its visitor's browser ask. So the page has to be
 * one of the organization. Assistants that are no pages send no `Origin`.
 *
 * @throws UNAUTHORIZED_PRINCIPAL
 */
function checkOrigin({ realm: { state }, exchange }: Asked): void {
  const origin = headersOf({ exchange }).get("origin");
  if (origin === undefined || origin.toLowerCase() === new URL(state.url).origin) return;
  throw new ApiError(403, "UNAUTHORIZED_PRINCIPAL", "Pages of other sites may not ask this.");
}

/** The headers that its routes want. */
const headersOf = ({ exchange }: Pick<Asked, "exchange">) => defined(exchange.wanted, "header that was asked for");

function parsed(text: string): unknown {
  try {
    return readJsonText(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Answers one message after the other. Each counts as a request. @throws RATE_LIMIT_HIT before anything is done */
async function answerBatch(asked: Asked, messages: readonly unknown[]): Promise<Reply> {
  const { app, exchange, realm, user } = asked;
  for (let count = 1; count < messages.length; count++) {
    const allowance = await countRequest(app, exchange, realm, serveAssistant, user);
    if (allowance?.isAllowed === false) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
  }
  const bodies: object[] = [];
  for (const message of messages) {
    const { body } = await answerMessage(asked, headersOf(asked), message);
    if (body) bodies.push(body);
  }
  return bodies.length > 0 ? new JsonReply(200, JSON.stringify(bodies)) : accepted();
}

const accepted = () => new RawReply(202, [], "");

function replyTo({ status, body, isStreamed }: Answered): Reply | Later {
  if (isStreamed) return new Later();
  return body ? new JsonReply(status, JSON.stringify(body)) : accepted();
}
