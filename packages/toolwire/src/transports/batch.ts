// Arrays of messages, which one edition knows. spec 2025-03-26, basic#batching
import { codes, RpcError } from '../jsonrpc/error.js'
import { encodeError } from '../jsonrpc/message.js'
import type { Parsed, Single } from '../jsonrpc/parse.js'
import type { Answer, Application } from '../peer/application.js'
import type { Conversation } from '../peer/conversation.js'
import type { Line } from '../peer/line.js'

const largestBatch = 8 * 1024 * 1024

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
  const texts = answers.flatMap((answer, at) => (answer ? [{ answer, item: items[at] as Single }] : [])).map(bounded())
  return texts.length === 0 ? undefined : { body: `[${texts.join(',')}]` }
}

/** Texts of answers as long as there is room; a thousand large ones in one body would be more than anyone can take. */
function bounded(): (answered: { answer: Answer; item: Single }) => string {
  let left = largestBatch
  return ({ answer, item }) => {
    left -= lengthOf(answer)
    if (left >= 0) return textOf(answer)
    const id = item.kind === 'request' ? item.request.id : undefined
    return encodeError(id, {
      code: codes.internalError,
      message: `The answers to this batch take more than ${largestBatch} bytes; send smaller batches`,
    })
  }
}

const lengthOf = ({ body }: Answer): number =>
  typeof body === 'string' ? body.length : body.reduce((sum, piece) => sum + piece.length, 0)

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
