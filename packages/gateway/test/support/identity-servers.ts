// Small servers that report their identity: each call returns the parts of the command or address that started it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prompt, resource, server, tool } from 'toolwire'
import type { Target, UpstreamConfig } from '../../src/config/gateway-config.js'
import { upstreamConfig } from './running-gateway.js'
import { listening } from './upstream-fixture.js'

/** Written by hand, so that it starts quickly. */
const program = (tag: string) => `
import { createInterface } from 'node:readline'
const tag = ${JSON.stringify(tag)}
const what = () => JSON.stringify({
  tag,
  args: process.argv.slice(2),
  env: Object.keys(process.env).filter((name) => name.startsWith('NOTES_')).sort(),
})
const empty = { type: 'object', properties: {} }
const tools = [
  { name: 'look', description: 'Looks', inputSchema: empty, annotations: { readOnlyHint: true } },
  { name: 'write', description: 'Writes', inputSchema: empty },
]
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'what', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: args }) => args?.die ? process.exit(1) : ({ content: [{ type: 'text', text: what() }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const outcome = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: 'no such method' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) + '\\n')
})
process.stdin.on('end', () => process.exit(0))
`

/** All parts of a command that identify a server. */
export type Spec = {
  /** The file, whose content contains its tag. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: readonly string[]
}

export const writeProgram = (file: string, tag: string): void => writeFileSync(file, program(tag))

export const targetOf = ({ file, args, env }: Spec, value = 'x'): Target => ({
  kind: 'child',
  command: process.execPath,
  args: [file, ...args],
  env: Object.fromEntries(env.map((name) => [name, value])),
})

/** The answer of such a process to a call. */
export const fingerprint = ({ args, env }: Spec, tag: string): string => JSON.stringify({ tag, args, env: [...env].sort() })

export const configOf = (name: string, target: Target): UpstreamConfig => upstreamConfig(name, target, { trusted: true })

export function newProgram(folder: string, name: string, tag: string): string {
  const file = join(folder, `${name}.mjs`)
  writeProgram(file, tag)
  return file
}

/** The same tools over HTTP; each address is another server. */
export async function addressOf(tag: string): Promise<string> {
  const what = () => JSON.stringify({ tag })
  const tools = {
    look: tool({ description: 'Looks', hints: { readOnly: true }, run: what }),
    write: tool({ description: 'Writes', run: what }),
  }
  const resources = { 'it-is': resource({ uri: 'what://it-is', read: what }) }
  const prompts = { greet: prompt({ description: 'Greets', run: what }) }
  return (await listening(server({ name: 'what', version: '1', tools, resources, prompts }))).url
}
