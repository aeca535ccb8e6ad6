import { UnreachableError } from '../connection/connection.js'
import { clientInfo, errorCodeOf, resultOf, type Session } from './session.js'

/** Opens the session; false if the server speaks another revision. The first response may take `ms`. */
export async function openSession(session: Session, ms: number): Promise<boolean> {
  return session.revision.handshake ? initialize(session, ms) : discover(session, ms)
}

async function initialize(session: Session, ms: number): Promise<boolean> {
  const { version } = session.revision
  const { response, headers, status } = await session.ask(
    'initialize',
    { protocolVersion: version, capabilities: {}, clientInfo },
    { ms },
  )
  const result = resultOf(response)
  if (!response) throw new UnreachableError(`initialize got no answer${status === undefined ? '' : ` (HTTP ${status})`}`)
  if (result?.protocolVersion !== version) return false
  session.state.opening = result
  session.state.session = headers['mcp-session-id']
  await session.notify('notifications/initialized')
  return true
}

async function discover(session: Session, ms: number): Promise<boolean> {
  const { response, status } = await session.ask('server/discover', {}, { ms })
  if (!response) throw new UnreachableError(`server/discover got no answer${status === undefined ? '' : ` (HTTP ${status})`}`)
  session.state.opening = resultOf(response)
  // A server speaks this revision if it answers a request of it, even if it fails to describe itself.
  return session.state.opening !== undefined || (errorCodeOf(response) === notFound && (await listTools(session)))
}

const notFound = -32601

async function listTools(session: Session): Promise<boolean> {
  const result = resultOf((await session.ask('tools/list')).response)
  return result?.resultType !== undefined
}
