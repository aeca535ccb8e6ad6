// The upstream tools: each call is written to disk before it is answered.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { jsonSchema, server, tool } from 'toolwire'

/** Enough tools that their rate limits, one for each, are rarely reached. */
export const plainTools = Array.from({ length: 8 }, (_, at) => `plain_${at}`)

const input = jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })

export function workServer(upstream: string, file: string) {
  const log = openSync(file, 'a')
  process.once('exit', () => closeSync(log))
  const working = (name: string) =>
    tool({
      description: `Does ${name} work`,
      input,
      run: async ({ id }: { id: string }) => {
        const line = { kind: 'executed', call: id, upstream, tool: name, pid: process.pid, at: Date.now() }
        writeSync(log, `${JSON.stringify(line)}\n`)
        fsyncSync(log)
        await pause(id.length % 7)
        return `done ${id}`
      },
    })
  const names = [...plainTools, 'risky', 'limited']
  return server({
    name: upstream,
    version: '1.0.0',
    tools: Object.fromEntries(names.map((name) => [name, working(name)])),
    guard: { rateLimit: false },
  })
}
