// Responses to notifications, which must not get any.
import type { JsonObject } from 'toolwire'
import type { Received } from '../../connection/connection.js'
import { isResponseMessage, type RequestOutcome, type Session } from '../../session/session.js'

type Notification = readonly [method: string, params?: JsonObject]

/** Sends the notifications and then a request. Returns all responses but the one to that request. */
export async function strayResponses(
  session: Session,
  notifications: readonly Notification[],
): Promise<{ strays: JsonObject[]; after: RequestOutcome }> {
  const came: JsonObject[] = []
  // A cancelled call may still be answered.
  const listener = (one: JsonObject) => {
    if (!('method' in one) && !session.hasAsked(one.id) && came.length < mostStrays) came.push(one)
  }
  session.wire.listeners.add(listener)
  try {
    const excused = new Set<JsonObject>()
    for (const [method, params] of notifications)
      for (const one of excusedIn(await session.notify(method, params))) excused.add(one)
    const after = await session.ask(session.probe)
    return { strays: came.filter((one) => !excused.has(one)), after }
  } finally {
    session.wire.listeners.delete(listener)
  }
}

const mostStrays = 100

// Over HTTP a refusal may give its reason: spec 2025-11-25, basic/transports#sending-messages-to-the-server
const excusedIn = ({ status = 0, messages }: Received): readonly JsonObject[] =>
  status < 400 ? [] : messages.filter(isResponseMessage)
