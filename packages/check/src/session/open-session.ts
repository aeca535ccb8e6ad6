// How a conversation begins in an edition.

import { UnreachableError } from '../connection/connection.js'
import { clientInfo, errorCodeOf, resultOf, type Session } from './session.js'

/** Opens the conversation; false when the server speaks another edition. Its first words may take so many milliseconds. */
export async function openSession(talk: Session, ms: number): Promise<boolean> {
  return talk.revision.handshake ? initialize(talk, ms) : discover(talk, ms)
}

async function initialize(talk: Session, ms: number): Promise<boolean> {
  const { version } = talk.revision
  const { response, headers, status } = await talk.ask(
    'initialize',
    { protocolVersion: version, capabilities: {}, clientInfo },
    { ms },
  )
  const result = resultOf(response)
  if (!response) throw new UnreachableError(`initialize got no answer${status === undefined ? '' : ` (HTTP ${status})`}`)
  if (result?.protocolVersion !== version) return false
  talk.state.opening = result
  talk.state.session = headers['mcp-session-id']
  await talk.notify('notifications/initialized')
  return true
}

async function discover(talk: Session, ms: number): Promise<boolean> {
  const { response, status } = await talk.ask('server/discover', {}, { ms })
  if (!response) throw new UnreachableError(`server/discover got no answer${status === undefined ? '' : ` (HTTP ${status})`}`)
  talk.state.opening = resultOf(response)
  // A server that answers some request of this edition speaks it, even if it fails to describe itself.
  return talk.state.opening !== undefined || (errorCodeOf(response) === notFound && (await listTools(talk)))
}

const notFound = -32601

async function listTools(talk: Session): Promise<boolean> {
  const result = resultOf((await talk.ask('tools/list')).response)
  return result?.resultType !== undefined
}
