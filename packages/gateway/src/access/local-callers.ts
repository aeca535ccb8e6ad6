// Callers on this machine, who need nothing to call. Nobody has verified that they are here, so they manage nothing: a proxy that adds no
// header makes a stranger look like one of them.
import type { Caller } from 'toolwire'

/**
 * Several programs share the name, so it says nothing about which of them is to be asked. Limits and approvals are for all of them together,
 * as for one caller; questions go by the session or the pipe that a call came on.
 */
export const localCaller: Caller = { id: 'local', scopes: ['*'], anonymous: true, countsAsOne: true }

/** Whether nobody has verified the callers of this name. */
export const isLocalCaller = (caller: string): boolean => caller === localCaller.id
