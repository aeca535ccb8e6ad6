// Callers on this machine, who need nothing to be let in: a program that runs here can do as its user does anyway.
import type { Caller } from 'toolwire'
import { type Arrival, type Authenticate, isLoopbackHost } from 'toolwire/node'

/**
 * Several programs share the name, so it says nothing about which of them is to be asked. Limits and approvals are for all of them together,
 * as for one caller; questions go by the session or the pipe that a call came on.
 */
export const localCaller: Caller = { id: 'local', scopes: ['*'], anonymous: true, countsAsOne: true }

/** What somebody in between adds: then the connection says nothing about who is calling. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Takes whoever calls from this machine directly and shows nothing that somebody would have to check. */
export const thisMachine: Authenticate = (request) => (isLocal(request) ? localCaller : undefined)

function isLocal({ header, remote, port }: Arrival): boolean {
  if (header('authorization') !== undefined || forwarding.some((name) => header(name) !== undefined)) return false
  return isLoopback(remote) && isLoopbackHost(header('host')?.toLowerCase() ?? '', port)
}

const isLoopback = (address = ''): boolean => address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
