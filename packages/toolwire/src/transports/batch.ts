// Batches of messages, which one revision has. spec 2025-03-26, basic#batching
import { codes, RpcError } from '../jsonrpc/error.js'
import type { Id } from '../jsonrpc/message.js'
import type { ParsedMessage, SingleMessage } from '../jsonrpc/read-message.js'
import type { Answer, Application } from '../peer/application.js'
import type { Conversation } from '../peer/conversation.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import { BatchAnswers } from './batch-answers.js'

/** Concurrent requests of one batch. */
const atOnce = 4
/** Milliseconds of work before other work gets its turn. */
const sliceMs = 10

/** Takes a message or, in a revision with batches, a batch of messages. */
export function receiveMessageOrBatch(
  app: Application,
  parsed: ParsedMessage,
  conversation: Conversation,
  reply: ReplyChannel,
): ReturnType<Application['receive']> {
  if (parsed.kind !== 'batch') return app.receive(parsed, conversation, reply)
  if (conversation.peerInfo?.revision.batching) return receiveBatch(app, parsed.items, conversation, reply)
  return app.receive(invalidMessage('Invalid request: this revision has no batches'), conversation, reply)
}

export const isInitialize = (message: ParsedMessage): boolean =>
  message.kind === 'request' && message.request.method === 'initialize'

/**
 * Carries out requests a few at a time, in order, with the event loop free between them. Other messages are taken at once, so that
 * responses and cancellations never wait behind requests.
 */
async function receiveBatch(
  app: Application,
  items: readonly SingleMessage[],
  conversation: Conversation,
  reply: ReplyChannel,
): Promise<Answer | undefined> {
  const answers = new BatchAnswers(items.length)
  const queue: (() => Promise<void>)[] = []
  const others = items.map((item, at) => {
    if (item.kind !== 'request') return app.receive(item, conversation, reply)
    const { id, method } = item.request
    if (method === 'initialize') return app.receive(refused(id, 'initialize cannot be part of a batch'), conversation, reply)
    const take = conversation.queue(id)
    if (!take) return app.receive(refused(id, 'a request with this id is still being answered'), conversation, reply)
    queue.push(async () => {
      if (!take()) return // it was cancelled before it began
      if (answers.isFull) return answers.leaveOut(at, id)
      const answer = await app.receive(item, conversation, reply)
      if (answer) answers.take(at, id, answer)
    })
    return undefined
  })
  for (const [at, answer] of (await Promise.all(others)).entries()) if (answer) answers.add(at, answer)
  await inTurns(queue)
  return answers.whole
}

/** Starts the work in order: the next when the last has ended or waits for something, and when there is room for it. */
async function inTurns(queue: readonly (() => Promise<void>)[]): Promise<void> {
  const running = new Set<Promise<void>>()
  let sliceBegan = performance.now()
  for (const begin of queue) {
    if (running.size >= atOnce) await Promise.race(running)
    if (performance.now() - sliceBegan >= sliceMs) {
      await pause()
      sliceBegan = performance.now()
    }
    const work = begin().then(() => void running.delete(work))
    running.add(work)
    await Promise.race([work, pause()])
  }
  await Promise.all(running)
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

const refused = (id: Id, reason: string): SingleMessage => ({
  ...invalidMessage(`Invalid request: ${reason}`),
  id,
  about: 'request',
})

/** A message in place of one that cannot be accepted. */
export function invalidMessage(reason: string, code: number = codes.invalidRequest): Extract<SingleMessage, { kind: 'invalid' }> {
  return { kind: 'invalid', error: new RpcError(code, reason), about: 'unknown' }
}
