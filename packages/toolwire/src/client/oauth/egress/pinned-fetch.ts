// For Node only, and loaded only there.
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, fetch } from 'undici'
import { addressKindOf } from './addresses.js'
import type { Fetch } from './egress.js'
import { forbiddenAddress, permits, type Reach } from './reach.js'

const agents = new Map<Reach, Agent>()

/** Like `fetch`, but connects only to addresses within reach: the ones that are checked are the ones that are used. */
export function pinnedFetch(reach: Reach): Fetch {
  const dispatcher = agents.get(reach) ?? new Agent({ connect: { lookup: lookupWithin(reach) } })
  agents.set(reach, dispatcher)
  // The types of undici's fetch and of the global one differ in name only.
  return (url, init) => fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
}

/** Resolves names like Node does, and gives only the addresses within reach. */
export function lookupWithin(reach: Reach, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error ? [] : found.filter(({ address }) => permits(reach, addressKindOf(address) ?? 'forbidden'))
      const [first] = addresses
      if (!first) return done(error ?? forbiddenAddress('address', hostname), [])
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}
