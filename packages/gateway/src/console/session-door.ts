// Letting a browser in, and out.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuditLog } from 'toolwire/guard'
import { readBody } from '../door/management/body.js'
import { answer } from '../door/management/replies.js'
import { Refused } from '../door/management/route.js'
import { recorded } from '../door/recorded.js'
import type { StoredSession } from '../store/store.js'
import { cookieIn, cookieOf, noCookie } from './cookie.js'
import type { Links } from './links.js'
import type { Sessions } from './sessions.js'

export type SessionParts = {
  readonly links: Links
  readonly sessions: Sessions
  readonly log: AuditLog | undefined
  readonly port: () => number
}

type Handle = (req: IncomingMessage, res: ServerResponse, parts: SessionParts) => Promise<void>

/** What a browser may show to be let in again. */
export const sessionHeader = 'x-toolwire-session'
/** On what the page asks for by itself, so that nobody needs to be there. */
const unattendedHeader = 'x-toolwire-unattended'

export const needsLink = 'This needs a new link: toolwire console prints one, on the machine of the gateway'

/** Who acts, as the log names them. */
export const actorOf = ({ id }: Pick<StoredSession, 'id'>): string => `console:${id}`

/** The session that a request belongs to; it counts as use of it unless the request says that nobody was there. */
export function sessionOf(req: IncomingMessage, { sessions, port }: SessionParts): StoredSession {
  const key = req.headers[sessionHeader]?.toString() ?? ''
  const session = sessions.find({ cookie: cookieIn(req, port()), key })
  if (!session) throw new Refused(401, needsLink)
  if (req.headers[unattendedHeader] === undefined) sessions.use(session)
  return session
}

const handlers: Readonly<Record<string, Handle>> = { POST: begin, GET: show, DELETE: end }

/** `/session`: POST begins one with the token of a link, GET tells of it, DELETE ends it. */
export async function serveSession(req: IncomingMessage, res: ServerResponse, parts: SessionParts): Promise<void> {
  const handle = handlers[req.method ?? '']
  if (!handle) throw new Refused(405, `This takes ${Object.keys(handlers).join(' or ')}`)
  await handle(req, res, parts)
}

async function begin(req: IncomingMessage, res: ServerResponse, { links, sessions, log, port }: SessionParts): Promise<void> {
  const { token, ...others } = await readBody(req)
  if (Object.keys(others).length > 0) throw new Refused(400, 'The body is { "token": … } and nothing else')
  const maker = typeof token === 'string' ? links.take(token) : undefined
  if (!maker) throw new Refused(401, `This link was used before, or is too old. ${needsLink}`)
  const before = sessions.ofCookie(cookieIn(req, port()))
  const { session, cookie, key } = await sessions.begin(String(req.headers['user-agent'] ?? ''), maker)
  const about = {
    session: session.id,
    browser: session.browser,
    ...(maker.openedBy !== undefined && { openedBy: maker.openedBy }),
  }
  try {
    await recorded(log, { by: actorOf(session), act: 'open-console', about }, () => undefined)
  } catch (thrown) {
    await sessions.end(session.id)
    throw thrown
  }
  // The browser keeps one cookie.
  if (before) await sessions.end(before.id)
  res.setHeader('set-cookie', cookieOf(port(), cookie))
  answer(res, 200, { id: session.id, csrf: key, ...sessions.times(session) })
}

async function show(req: IncomingMessage, res: ServerResponse, parts: SessionParts): Promise<void> {
  const { id } = sessionOf(req, parts)
  const session = parts.sessions.list().find((one) => one.id === id)
  if (!session) throw new Refused(401, needsLink)
  answer(res, 200, { id, ...parts.sessions.times(session) })
}

async function end(req: IncomingMessage, res: ServerResponse, parts: SessionParts): Promise<void> {
  const session = sessionOf(req, parts)
  res.setHeader('set-cookie', noCookie(parts.port()))
  await endSession(session.id, actorOf(session), parts)
  answer(res, 200, { id: session.id, ended: true })
}

/** It is over at once, whether or not that can be written down. */
export async function endSession(
  id: string,
  by: string,
  { sessions, log }: Pick<SessionParts, 'sessions' | 'log'>,
): Promise<void> {
  const ended = sessions.end(id)
  await Promise.all([ended, recorded(log, { by, act: 'close-console', about: { session: id } }, () => ended)])
}
