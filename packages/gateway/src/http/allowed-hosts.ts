// Checks that a request was meant for this server, because a browser lets any web page send requests to any address, this machine's
// included. spec 2025-11-25, basic/transports#security-warning
import type { IncomingMessage } from 'node:http'
import { machine } from 'toolwire/relay'
import { hostInUrl } from '../config/own-address.js'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])
/** This machine at any port, for pages that require a session anyway and may be reached through a tunnel. */
export const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Host names of a server in addition to the loopback names. Clients cannot name an address with a zone, such as fe80::1%eth0. */
export function extraHostNames(host: string, allowed: readonly string[] = []): readonly string[] {
  const own = hostInUrl(host)
  return loopback.has(host) || machine.hostFault(own) !== undefined ? allowed : [...allowed, own]
}

export type AllowedHosts = ReturnType<typeof allowedHosts>

/** Checks hosts: loopback names at the server's port, and these names. A name with a port is valid for that port only. */
export function allowedHosts(names: readonly string[]) {
  const allowed: ReadonlySet<string> = new Set(names.map((name) => name.toLowerCase()))
  function isOurs(host: string, port: number | undefined): boolean {
    const name = host.toLowerCase()
    return machine.isLoopbackHost(name, port) || allowed.has(name) || allowed.has(name.replace(/:\d+$/, ''))
  }
  return {
    isOurs,
    /** The reason to refuse a request to pages and APIs of the gateway itself, or undefined. */
    check({ headers, socket }: IncomingMessage): string | undefined {
      const { host = '', origin } = headers
      if (!isOurs(host, socket.localPort)) return 'The host of this request is not allowed. Add it to allowedHosts'
      // Even pages that may call tools may not use the management API.
      if (origin !== undefined && !isSame(origin, host)) return 'Pages of other sites may not use this'
      const site = headers['sec-fetch-site']
      if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'Pages of other sites may not use this'
      return undefined
    },
  }
}

const isSame = (origin: string, host: string): boolean =>
  origin.toLowerCase() === `http://${host.toLowerCase()}` || origin.toLowerCase() === `https://${host.toLowerCase()}`
