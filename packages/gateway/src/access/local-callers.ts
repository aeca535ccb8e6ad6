// Callers on this machine, who need no credentials to call. They may manage nothing, because they are unverified: behind a proxy that
// adds no header, a remote caller looks the same.
import type { Caller } from 'toolwire'

/**
 * Several programs share this name. Limits and approvals treat them as one caller. A question goes to the session or pipe that its call
 * came on, because the name does not tell which program to ask.
 */
export const localCaller: Caller = { id: 'local', scopes: ['*'], anonymous: true, countsAsOne: true }

export const isLocalCaller = (caller: string): boolean => caller === localCaller.id
