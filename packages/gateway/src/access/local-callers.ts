// Callers on this machine, who need nothing to call. Nobody has verified that they are here, so they manage nothing: a proxy that adds no
// header makes a stranger look like one of them.
import type { Caller } from 'toolwire'
import type { Arrival, Authenticate } from 'toolwire/auth'
import { isLoopbackHost } from 'toolwire/relay'

/**
 * Several programs share the name, so it says nothing about which of them is to be asked. Limits and approvals are for all of them together,
 * as for one caller; questions go by the session or the pipe that a call came on.
 */
export const localCaller: Caller = { id: 'local', scopes: ['*'], anonymous: true, countsAsOne: true }

const credentials = ['authorization', 'x-api-key']
/** What somebody in between adds: then the connection says nothing about who is calling. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether nobody has verified the callers of this name. */
export const isLocalCaller = (caller: string): boolean => caller === localCaller.id

/** Takes whoever calls from this machine directly and shows nothing that somebody would have to check. */
export const localAuthenticate: Authenticate = (request) => (isLocal(request) ? localCaller : undefined)

function isLocal({ header, remote, port }: Arrival): boolean {
  if ([...credentials, ...forwarding].some((name) => header(name) !== undefined)) return false
  return isLoopback(remote) && isLoopbackHost(header('host')?.toLowerCase() ?? '', port)
}

const isLoopback = (address = ''): boolean => address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
