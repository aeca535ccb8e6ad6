import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../src/json.js'
import type { ClientTransport, OutgoingMessage, TransportError, TransportListener } from '../../src/peer/client-transport.js'
import { type ChildEndpointOptions, type Command, childEndpoint } from '../../src/transports/stdio/client/child/child-endpoint.js'
import { until } from './fixture.js'

export const childScript = fileURLToPath(new URL('children/child.mjs', import.meta.url))

/** A listener that records all events. */
export class Notes implements TransportListener {
  readonly messages: Parameters<TransportListener['hear']>[0][] = []
  readonly losses: { id: number; why: TransportError }[] = []
  readonly endings: TransportError[] = []
  readonly warnings: string[] = []

  hear(message: Parameters<TransportListener['hear']>[0]): void {
    this.messages.push(message)
  }
  lost(id: number, why: TransportError): void {
    this.losses.push({ id, why })
  }
  ended(why: TransportError): void {
    this.endings.push(why)
  }
  warn(text: string): void {
    this.warnings.push(text)
  }

  answers(): { id: unknown; result: JsonObject }[] {
    return this.messages.map((message) => {
      if (message.kind !== 'response' || !('result' in message.response)) throw new Error(`Not an answer: ${message.kind}`)
      return { id: message.response.id, result: message.response.result as JsonObject } // the parser has validated it
    })
  }

  /** Waits for the result of the response with this id. */
  async result(id: number): Promise<JsonObject> {
    const find = () => this.answers().find((answer) => answer.id === id)
    await until(() => find() !== undefined)
    return find()!.result
  }

  async ending(): Promise<TransportError> {
    await until(() => this.endings.length > 0)
    return this.endings[0]!
  }
}

export const request = (id: number, params: object = {}): OutgoingMessage => ({
  text: JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params }),
  id,
  method: 'ping',
  revision: undefined,
})

export type Opened = { link: ClientTransport; notes: Notes }

const open = new Set<ClientTransport>()

/** Starts a child with the given behaviour; `closeAll` ends all children. */
export async function start(
  behaviour: string,
  more: Omit<Command, 'command'> & ChildEndpointOptions & { file?: string } = {},
): Promise<Opened> {
  const { file, graceMs, limit, ...command } = more
  const args = [childScript, behaviour, ...(file ? [file] : [])]
  const notes = new Notes()
  const options = { ...(graceMs === undefined ? {} : { graceMs }), ...(limit === undefined ? {} : { limit }) }
  const link = await childEndpoint({ command: process.execPath, args, ...command }, options).dial(notes)
  open.add(link)
  return { link, notes }
}

export async function closeAll(): Promise<void> {
  await Promise.all([...open].map((link) => link.close()))
  open.clear()
}

/** True if the process runs. A zombie does not count. */
export function lives(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  if (existsSync('/proc/self/stat')) return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
