import '../reported-faults.js'
import { z } from 'zod'
import { ask, server, tool } from '../../src/index.js'

export const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const modern = '2026-07-28'

/** A server whose tools exercise a transport, with counters of their calls. */
export function fixture(options: { revisions?: readonly string[]; secret?: string; replica?: string } = {}) {
  const seen = { ran: 0, begun: 0, finished: 0, cancelled: 0 }
  const app = server({
    name: 'fixture',
    version: '1.0.0',
    ...options,
    tools: {
      echo: tool({
        description: 'Says it again',
        input: z.object({ text: z.string() }),
        run: ({ text }) => {
          seen.ran++
          return text
        },
      }),
      slow: tool({
        description: 'Takes its time and tells how far it is',
        input: z.object({ ms: z.number() }),
        run: async ({ ms }, ctx) => {
          seen.begun++
          ctx.signal.addEventListener('abort', () => seen.cancelled++)
          ctx.progress(1, 2)
          await new Promise((resolve) => setTimeout(resolve, ms))
          ctx.progress(2, 2)
          seen.finished++
          return 'done'
        },
      }),
      pour: tool({
        description: 'Says more on the way than anyone wants to read',
        input: z.object({ blocks: z.number() }),
        run: async ({ blocks }, ctx) => {
          ctx.signal.addEventListener('abort', () => seen.cancelled++)
          for (let n = 1; n <= blocks; n++) {
            ctx.progress(n, blocks, 'x'.repeat(500_000))
            await new Promise((resolve) => setTimeout(resolve, 150))
          }
          return 'all of it'
        },
      }),
      confirm: tool({
        description: 'Asks first',
        asks: { sure: ask('Sure?', z.object({ yes: z.boolean() })) },
        run: (_input, ctx) => (ctx.answers.sure.yes ? 'yes' : 'no'),
      }),
      who: tool({ description: 'Tells who is calling', run: (_input, ctx) => `${ctx.caller.id} ${ctx.caller.scopes.join(',')}` }),
    },
  })
  return { app, seen }
}

export const meta = (version: string = modern) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

export const initialize = (version: string, capabilities: object = {}, id: unknown = 'init') => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } },
})

export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

export const call = (id: unknown, name: string, args: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...more },
})

/** A message of the latest revision, with its metadata. */
export function selfDescribing<T extends { params?: object }>(message: T): T {
  const params = message.params as { _meta?: object } | undefined
  return { ...message, params: { ...params, _meta: { ...meta(), ...params?._meta } } }
}

export { until } from '../waiting.js'
