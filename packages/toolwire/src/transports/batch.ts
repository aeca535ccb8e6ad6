// Arrays of messages, which one edition knows. spec 2025-03-26, basic#batching
import { codes, RpcError } from '../jsonrpc/error.js'
import type { Parsed, Single } from '../jsonrpc/parse.js'
import type { Answer, Application } from '../peer/application.js'
import type { Conversation } from '../peer/conversation.js'
import type { Line } from '../peer/line.js'

/** Takes a message or, where the edition knows them, a batch of messages. */
export function receiveAny(
  app: Application,
  parsed: Parsed,
  conversation: Conversation,
  line: Line,
): ReturnType<Application['receive']> {
  if (parsed.kind !== 'batch') return app.receive(parsed, conversation, line)
  if (conversation.terms?.revision.batching) return receiveBatch(app, parsed.items, conversation, line)
  return app.receive(refused('Invalid request: this edition has no batches'), conversation, line)
}

export const isOpening = (message: Parsed): boolean => message.kind === 'request' && message.request.method === 'initialize'

async function receiveBatch(
  app: Application,
  items: readonly Single[],
  conversation: Conversation,
  line: Line,
): Promise<Answer | undefined> {
  const answers = await Promise.all(
    items.map((item) => app.receive(isOpening(item) ? openingInside(item) : item, conversation, line)),
  )
  const texts = answers.filter((answer) => answer !== undefined).map(textOf)
  return texts.length === 0 ? undefined : { body: `[${texts.join(',')}]` }
}

/** The answer as text; prepared pieces are put together. */
export function textOf({ body }: Answer): string {
  if (typeof body === 'string') return body
  const decoder = new TextDecoder()
  return body.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
}

/** A message that stands for one that could not be taken. */
export function refused(reason: string, code: number = codes.invalidRequest): Single {
  return { kind: 'invalid', error: new RpcError(code, reason), about: 'unknown' }
}

function openingInside(item: Single): Single {
  const id = item.kind === 'request' ? { id: item.request.id } : {}
  return {
    kind: 'invalid',
    error: new RpcError(codes.invalidRequest, 'Invalid request: initialize stands alone, never in a batch'),
    ...id,
    about: 'request',
  }
}
