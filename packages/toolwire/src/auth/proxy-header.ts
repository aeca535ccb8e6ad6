import { BlockList, isIP } from 'node:net'
import { definitionError } from '../tools/checks/definition-error.js'
import { checkOptions, optionsOf } from '../tools/checks/known-options.js'
import { someText, someTexts } from '../tools/checks/option-values.js'
import type { Authenticate } from '../transports/http/server/options.js'
import { scopesIn } from './claims.js'

export type ProxyHeaderOptions = {
  /** The header in which the proxy names the logged-in user. The proxy must remove it from incoming requests. */
  readonly header: string
  /** Addresses or networks of the proxy, such as `10.0.0.0/8`. The header is ignored from any other address. */
  readonly trustedPeers: readonly string[]
  /** A header with scopes, separated by spaces. The proxy must remove it from incoming requests, too, also if it adds none. */
  readonly scopesHeader?: string
  /** Scopes of every user of the proxy. */
  readonly scopes?: readonly string[]
}

const known = optionsOf<ProxyHeaderOptions>()({ 'header scopesHeader': someText, 'trustedPeers scopes': someTexts })
const longestName = 256

/**
 * Trusts a reverse proxy that has authenticated its users, and ignores the header from any other address.
 *
 * @example
 * ```ts
 * proxyHeader({ header: 'x-forwarded-user', trustedPeers: ['127.0.0.1'] })
 * ```
 */
export function proxyHeader(options: ProxyHeaderOptions): Authenticate {
  checkOptions('proxyHeader()', options, known)
  const { header, trustedPeers, scopesHeader, scopes = [] } = options
  const name = header.toLowerCase()
  const trusts = peersIn(trustedPeers)
  return (request) => {
    const user = request.header(name)?.trim()
    if (!user || !trusts(request.remote)) return undefined
    // Two headers of one name are joined by a comma, and only one of them may be the proxy's, so a comma is refused.
    if (user.length > longestName || !/^[!-+.-~-]([ -+.-~-]*[!-+.-~-])?$/.test(user))
      return { denied: 'invalid_request', description: "The proxy's user header is malformed, too long, or was sent twice" }
    const scope = scopesHeader === undefined ? undefined : request.header(scopesHeader.toLowerCase())
    if (scope?.includes(','))
      return { denied: 'invalid_request', description: "The proxy's scopes header has a comma, or was sent twice" }
    return { id: `proxy:${user}`, scopes: [...new Set([...scopes, ...scopesIn({ scope })])] }
  }
}

function peersIn(peers: readonly string[]): (remote: string | undefined) => boolean {
  if (peers.length === 0)
    throw definitionError('proxyHeader: trustedPeers is empty; name the addresses of the proxy, or anyone could pose as any user')
  const list = new BlockList()
  for (const peer of peers) add(list, peer)
  return (remote = '') => {
    const address = remote.replace(/^::ffff:(?=\d+\.)/i, '')
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

function add(list: BlockList, peer: string): void {
  const [address = '', bits, more] = peer.split('/')
  const family = isIP(address)
  const widest = family === 6 ? 128 : 32
  const length = bits === undefined ? widest : Number(bits)
  if (family === 0 || more !== undefined || bits === '' || !(Number.isInteger(length) && length >= 1 && length <= widest))
    throw definitionError(`proxyHeader: "${peer.slice(0, 100)}" is neither an address nor a network like 10.0.0.0/8`)
  list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4')
}
