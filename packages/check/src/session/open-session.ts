import { UnreachableError } from '../connection/connection.js'
import { clientInfo, errorCodeOf, type RequestOutcome, resultOf, type Session } from './session.js'

/** Opens the session; false if the server speaks another revision. The first response may take `ms`. */
export async function openSession(session: Session, ms: number): Promise<boolean> {
  return session.revision.handshake ? initialize(session, ms) : discover(session, ms)
}

async function initialize(session: Session, ms: number): Promise<boolean> {
  const { version } = session.revision
  const outcome = await session.ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo }, { ms })
  const { response, headers } = outcome
  const result = resultOf(response)
  if (!response || isTurnedAway(outcome)) throw noAnswer('initialize', outcome)
  if (result?.protocolVersion !== version) return false
  session.state.opening = result
  session.state.session = headers['mcp-session-id']
  await session.notify('notifications/initialized')
  return true
}

async function discover(session: Session, ms: number): Promise<boolean> {
  const outcome = await session.ask('server/discover', {}, { ms })
  const { response } = outcome
  if (!response || isTurnedAway(outcome)) throw noAnswer('server/discover', outcome)
  session.state.opening = resultOf(response)
  // A server speaks this revision if it answers a request of it, even if it fails to describe itself.
  return session.state.opening !== undefined || (errorCodeOf(response) === notFound && (await listTools(session)))
}

/** The server wants credentials, whatever message it adds. */
const isTurnedAway = ({ status }: Pick<RequestOutcome, 'status'>): boolean => status === 401 || status === 403

function noAnswer(method: string, { status, why }: Pick<RequestOutcome, 'status' | 'why'>): UnreachableError {
  const credentials = isTurnedAway({ status }) ? '. If the server needs credentials, pass them with --header' : ''
  const http = status === undefined ? '' : ` (HTTP ${status})`
  const outcome = isTurnedAway({ status }) ? 'was refused' : 'got no answer'
  const advice = why !== undefined && notThere.test(why) ? '. Start the server, or check the address' : credentials
  return new UnreachableError(`${method} ${outcome}${http}${why === undefined ? '' : `: ${why}`}${advice}`)
}

const notThere = /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b/

const notFound = -32601

async function listTools(session: Session): Promise<boolean> {
  const result = resultOf((await session.ask('tools/list')).response)
  return result?.resultType !== undefined
}
