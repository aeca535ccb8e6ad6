import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuditLog } from 'toolwire/guard'
import { sessionPrefix } from '../access/caller-names.js'
import { readBody } from '../api/read-body.js'
import { sendJson } from '../api/responses.js'
import { HttpRefusal } from '../api/route.js'
import { runRecorded } from '../store/audit/record-action.js'
import type { StoredSession } from '../store/store.js'
import type { LoginLinks } from './login-links.js'
import type { Sessions } from './sessions.js'

// The session cookie. Cookies belong to a host and not to a port, so the name of the cookie includes the port.
// https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
const kept = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** Anyone who reaches the console can send a token. */
const maxTokenBytes = 4_096

const nameOf = (port: number): string => `__Host-toolwire-${port}`

/** A cookie without an expiry, which the browser deletes when it closes. */
const sessionCookie = (port: number, value: string): string => `${nameOf(port)}=${value}; ${kept}`

const clearedCookie = (port: number): string => `${nameOf(port)}=; Max-Age=0; ${kept}`

/** The session cookie of a request; empty if there is none. */
function readSessionCookie({ headers }: IncomingMessage, port: number): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const name = `${nameOf(port)}=`
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length) ?? ''
}

export type SessionParts = {
  readonly links: LoginLinks
  readonly sessions: Sessions
  readonly log: AuditLog | undefined
  readonly port: () => number
}

type Handle = (req: IncomingMessage, res: ServerResponse, parts: SessionParts) => Promise<void>

/** The header with the key of a session, required in addition to the cookie. */
export const sessionHeader = 'x-toolwire-session'
/** Marks requests that the page sends by itself, without user activity. */
const unattendedHeader = 'x-toolwire-unattended'

export const linkRequired = 'Sign in with a new link. Run toolwire console on the machine of the gateway to get one'

/** The name of a session in the audit log. */
export const sessionActor = ({ id }: Pick<StoredSession, 'id'>): string => sessionPrefix + id

/** The session of a request. The request counts as activity, unless its header says that the page sent it by itself. */
export function sessionOf(req: IncomingMessage, { sessions, port }: SessionParts): StoredSession {
  const key = req.headers[sessionHeader]?.toString() ?? ''
  const session = sessions.find({ cookie: readSessionCookie(req, port()), key })
  if (!session) throw new HttpRefusal(401, linkRequired)
  if (req.headers[unattendedHeader] === undefined) sessions.use(session)
  return session
}

const handlers: Readonly<Record<string, Handle>> = { POST: begin, GET: show, DELETE: end }

/** `/session`: POST starts a session with the token of a link, GET shows it, DELETE ends it. */
export async function serveSession(req: IncomingMessage, res: ServerResponse, parts: SessionParts): Promise<void> {
  const handle = handlers[req.method ?? '']
  if (!handle) throw new HttpRefusal(405, `This route accepts ${Object.keys(handlers).join(' or ')}`)
  await handle(req, res, parts)
}

async function begin(req: IncomingMessage, res: ServerResponse, { links, sessions, log, port }: SessionParts): Promise<void> {
  const { token, ...others } = await readBody(req, maxTokenBytes)
  if (Object.keys(others).length > 0) throw new HttpRefusal(400, 'The body must be { "token": … } and nothing else')
  const maker = typeof token === 'string' ? links.take(token) : undefined
  if (!maker) throw new HttpRefusal(401, `This link was used before or has expired. ${linkRequired}`)
  const before = sessions.ofCookie(readSessionCookie(req, port()))
  const { session, cookie, key } = await sessions.begin(String(req.headers['user-agent'] ?? ''), maker, before?.id)
  const { id, browser } = session
  const about = { session: id, browser, ...(maker.openedBy !== undefined && { openedBy: maker.openedBy }) }
  try {
    await runRecorded(log, { by: sessionActor(session), act: 'open-console', about }, () => undefined)
  } catch (thrown) {
    await sessions.end(session.id)
    throw thrown
  }
  // The new cookie replaces the old one in the browser, so the old session ends.
  if (before) await sessions.end(before.id)
  res.setHeader('set-cookie', sessionCookie(port(), cookie))
  sendJson(res, 200, { id: session.id, csrf: key, ...sessions.times(session) })
}

async function show(req: IncomingMessage, res: ServerResponse, parts: SessionParts): Promise<void> {
  const { id } = sessionOf(req, parts)
  const session = parts.sessions.list().find((one) => one.id === id)
  if (!session) throw new HttpRefusal(401, linkRequired)
  sendJson(res, 200, { id, ...parts.sessions.times(session) })
}

async function end(req: IncomingMessage, res: ServerResponse, parts: SessionParts): Promise<void> {
  const session = sessionOf(req, parts)
  res.setHeader('set-cookie', clearedCookie(parts.port()))
  await endSession(session.id, sessionActor(session), parts)
  sendJson(res, 200, { id: session.id, ended: true })
}

/** Ends a session at once, even if the audit record fails. */
export async function endSession(id: string, by: string, { sessions, log }: Pick<SessionParts, 'sessions' | 'log'>) {
  const ended = sessions.end(id)
  await Promise.all([ended, runRecorded(log, { by, act: 'close-console', about: { session: id } }, () => ended)])
}
