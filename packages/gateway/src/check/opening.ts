// How a conversation begins in an edition.
import { clientInfo, codeOf, resultOf, type Talk } from './talk.js'
import { Unreachable } from './wire/wire.js'

/** Opens the conversation; false when the server speaks another edition. Its first words may take so many milliseconds. */
export async function open(talk: Talk, ms: number): Promise<boolean> {
  return talk.edition.handshake ? shakeHands(talk, ms) : discover(talk, ms)
}

async function shakeHands(talk: Talk, ms: number): Promise<boolean> {
  const { version } = talk.edition
  const { response, headers, status } = await talk.ask(
    'initialize',
    { protocolVersion: version, capabilities: {}, clientInfo },
    { ms },
  )
  const result = resultOf(response)
  if (!response) throw new Unreachable(`initialize got no answer${status === undefined ? '' : ` (HTTP ${status})`}`)
  if (result?.protocolVersion !== version) return false
  talk.terms.opening = result
  talk.terms.session = headers['mcp-session-id']
  await talk.notify('notifications/initialized')
  return true
}

async function discover(talk: Talk, ms: number): Promise<boolean> {
  const { response, status } = await talk.ask('server/discover', {}, { ms })
  if (!response) throw new Unreachable(`server/discover got no answer${status === undefined ? '' : ` (HTTP ${status})`}`)
  talk.terms.opening = resultOf(response)
  // A server that answers some request of this edition speaks it, even if it fails to describe itself.
  return talk.terms.opening !== undefined || (codeOf(response) === notFound && (await lists(talk)))
}

const notFound = -32601

async function lists(talk: Talk): Promise<boolean> {
  const result = resultOf((await talk.ask('tools/list')).response)
  return result?.resultType !== undefined
}
