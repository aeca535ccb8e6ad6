// A gateway in front of two servers: one misbehaves, and the other must not be affected.
import type { Client, ConnectOptions } from 'toolwire/client'
import { expect, vi } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import {
  defaultGuard,
  type GatewayConfig,
  type GuardConfig,
  type Target,
  type UpstreamConfig,
} from '../../src/config/gateway-config.js'
import type { GatewayOptions } from '../../src/lifecycle/start-gateway.js'
import { client, type Started, started, upstreamConfig, words } from '../support/running-gateway.js'
import { childPeer } from './peer.js'
import { until } from './waiting.js'

// The tests bound times themselves. This timeout only ends a test that hangs.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

export type BadServerOptions = {
  readonly upstream?: Partial<UpstreamConfig>
  readonly guard?: Partial<GuardConfig>
  readonly config?: Partial<GatewayConfig>
  readonly options?: Partial<GatewayOptions>
  readonly caller?: ConnectOptions
  /** The bad server cannot be opened, so the setup does not wait for it. */
  readonly absent?: true
}

export type BadServerSetup = {
  readonly gateway: Started
  readonly caller: Client
  /** Calls the tool that misbehaves. */
  bad(args?: object): ReturnType<Client['call']>
  /** Runs `work` while calls are made to the good server. All of them must succeed. */
  beside<T>(work: () => T | Promise<T>): Promise<T>
}

export const open: GuardConfig = { ...defaultGuard, approvals: false, rate: false, lists: false }

/** The good server as a process of its own. */
export const good = (): UpstreamConfig => upstreamConfig('good', childPeer('none', 'per-request').target, { trusted: true })

export async function startWithBadServer(target: Target, options: BadServerOptions = {}): Promise<BadServerSetup> {
  const upstreams = [upstreamConfig('bad', target, options.upstream), good()]
  const guard = { ...open, ...options.guard }
  const gateway = await started(
    { upstreams, guard, ...options.config },
    { ...(options.absent && { openMs: 5_000 }), ...options.options },
  )
  const caller = await client(gateway.url, options.caller)
  await offers(caller, options.absent ? ['good__sum'] : ['good__sum', 'bad__echo'])
  return {
    gateway,
    caller,
    bad: (args = {}) => caller.call('bad__bad', { ...args }),
    beside: (work) => beside(gateway.url, work),
  }
}

/** The servers may open slowly on a busy machine. */
const offers = (caller: Client, wanted: readonly string[]): Promise<unknown> =>
  until(async () => {
    const names = new Set((await caller.listTools({ fresh: true })).map(({ name }) => name))
    return wanted.every((name) => names.has(name))
  })

export const goodCalls = howMany(20, 100)

export async function beside<T>(url: string, work: () => T | Promise<T>): Promise<T> {
  const caller = await client(url)
  const numbers = Array.from({ length: goodCalls }, (_, n) => n)
  await offers(caller, ['good__sum'])
  const [outcome, sums] = await Promise.all([
    Promise.resolve().then(work),
    Promise.all(numbers.map((n) => caller.call('good__sum', { a: n, b: 1 }))),
  ])
  expect(sums.map((sum) => words(sum))).toEqual(numbers.map((n) => String(n + 1)))
  return outcome
}

/** The result of a failed call: a code for programs and a text for people. */
export const failed = (code: string, message: RegExp | string = /./) => ({
  isError: true,
  content: [{ type: 'text', text: expect.stringMatching(message) }],
  _meta: { 'dev.toolwire/failure': code },
})

export const count = (notes: readonly string[], word: string): number => notes.filter((one) => one === word).length
