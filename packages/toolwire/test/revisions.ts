// The protocol revisions of parameterized tests.
import type { HarnessOptions } from '../src/testing/harness.js'

export const every = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export const since = (version: string): string[] => every.filter((one) => one >= version)
export const until = (version: string): string[] => every.filter((one) => one <= version)

/** Options for a server and its client. `name` says which wire format they share. */
export type WireChoice = { readonly name: string; readonly server: { profile?: 'pocket' }; readonly client: HarnessOptions }

export const pocketWire: WireChoice = { name: 'pocket', server: { profile: 'pocket' }, client: {} }
export const wireOf = (revision: string): WireChoice => ({ name: revision, server: {}, client: { revision } })

/** Every revision, and the pocket profile. */
export const everyWire: readonly WireChoice[] = [...every.map(wireOf), pocketWire]
