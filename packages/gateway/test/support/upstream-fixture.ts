// An aggregate server over real upstream servers, with real clients.
import { fileURLToPath } from 'node:url'
import type { ServerOptions } from 'toolwire'
import { type Client, type ConnectOptions, connect, memoryRevisions } from 'toolwire/client'
import { listen } from 'toolwire/node'
import type { types } from 'toolwire/relay'
import { onTestFinished } from 'vitest'
import type { App } from '../../../toolwire/src/server/app.js'
import { until } from '../../../toolwire/test/waiting.js'
import { AggregateServer, type AggregateServerOptions } from '../../src/catalog/aggregate-server.js'
import type { Target, UpstreamConfig } from '../../src/config/gateway-config.js'
import { Upstream } from '../../src/upstreams/upstream.js'
import { askingApp } from '../programs/asking-server.mjs'

export const modern = '2026-07-28'
export const older = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const revisions = [...older, modern] as const
/** The revisions with form elicitation. */
export const asking = ['2025-06-18', '2025-11-25', modern] as const

export const program = (name: string): string => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))
export const child = (...args: string[]): Target => ({ kind: 'child', command: process.execPath, args, env: {} })
/** The same server in other modes, which only its environment tells it. */
export const moody = (file: string, ...modes: string[]): Target => ({
  kind: 'child',
  command: process.execPath,
  args: [file],
  env: { MODES: modes.join(' ') },
})
export const http = (url: string, headers: Record<string, string> = {}): Target => ({ kind: 'http', url, headers })

export const config = (id: string, target: Target, more: Partial<UpstreamConfig> = {}): UpstreamConfig => ({
  id,
  disabled: false,
  lazy: false,
  trusted: false,
  target,
  tools: {},
  prefix: id,
  ...more,
})

export function upstream(id: string, target: Target, more: Partial<UpstreamConfig> = {}): Upstream {
  const instance = new Upstream(config(id, target, more), { onNote: () => undefined })
  onTestFinished(() => instance.close())
  return instance
}

type Carrier = 'pipe' | 'http'
export type Asking = { readonly target: Target; readonly done: Record<string, number>; readonly url: string | undefined }

/** The asking server in that revision, over HTTP in this process or as a child process. */
export async function askingServer(revision: string | undefined, carrier: Carrier): Promise<Asking> {
  const done: Record<string, number> = {}
  if (carrier === 'pipe')
    return { target: child(program('asking-child.mjs'), ...(revision ? [revision] : [])), done, url: undefined }
  const { url } = await listening(askingApp(revision, done))
  return { target: http(url), done, url }
}

export async function listening(
  app: Parameters<typeof listen>[0],
  options: types.ListenOptions = {},
): Promise<{ readonly url: string }> {
  const running = await listen(app, { signals: false, ...options })
  onTestFinished(() => running.close())
  return running
}

export type Gateway = { readonly url: string; readonly offer: AggregateServer; readonly notes: string[] }
type More = Partial<Omit<AggregateServerOptions, 'server'>> & {
  readonly server?: Partial<ServerOptions<Record<never, never>>>
  readonly listen?: types.ListenOptions
}

/** An endpoint in front of these upstreams. */
export async function gateway(upstreams: readonly Upstream[], { server, listen: options, ...more }: More = {}): Promise<Gateway> {
  const notes: string[] = []
  const offer = new AggregateServer({
    upstreams,
    server: { name: 'gateway', version: '1.0.0', ...server },
    onNote: (text) => notes.push(text),
    ...more,
  })
  onTestFinished(() => offer.close())
  await offer.open()
  const { url } = await listening(offer.server, options)
  return { url, offer, notes }
}

export async function client(url: string, options: ConnectOptions = {}): Promise<Client> {
  const connected = await connect(url, { verdicts: memoryRevisions(), onWarning: () => undefined, ...options })
  onTestFinished(() => connected.close())
  // A failing test must report its own failure, not that its open call was aborted afterwards.
  const call = connected.call.bind(connected)
  const called: Client['call'] = (...given) => {
    const result = call(...given)
    result.catch(() => undefined)
    return result
  }
  return Object.assign(connected, { call: called })
}

/** Waits until a client has subscribed to changes of the server. Clients of older revisions need no subscription. */
export const subscribed = (app: { readonly '~application': object }) =>
  until(() => (app['~application'] as App).changes.subscriptions.size > 0)

/** The text of a result. */
export const words = ({ content }: { content: readonly { type: string }[] }): string =>
  content.map((block) => ('text' in block ? String(block.text) : `[${block.type}]`)).join('\n')

export { until as eventually }
