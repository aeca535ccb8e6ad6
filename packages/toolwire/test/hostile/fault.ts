// What a scripted fault is: how a server misbehaves, and what the client must show for it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client, Progress } from '../../src/client/client.js'
import type { CallFailureCode } from '../../src/client/errors.js'
import type { ConnectOptions } from '../../src/client/options.js'
import type { JsonObject } from '../../src/json.js'

export type Era = 'handshake' | 'per-request'
export type Carrier = 'http' | 'stdio'

/** A message of the client, as it came. */
export type Ask = { readonly id?: number | string; readonly method?: string; readonly params?: JsonObject } & JsonObject

/** What a script has in hand while it deals with one message of the client. */
export interface Wire {
  readonly era: Era
  readonly carrier: Carrier
  /** An address of another origin that tells when it is visited. */
  readonly elsewhere: string
  /** Only over HTTP. */
  readonly http?: { readonly request: IncomingMessage; readonly response: ServerResponse }
  /** Sends a message before the answer; a string goes out as it is. */
  say(message: unknown): void
  /** Sends a message after which nothing follows; over HTTP that ends the reply. */
  last(message: unknown): void
  /** Sends the result that belongs to the request. */
  answer(ask: Ask, result: JsonObject): void
  /** Sends so many bytes, no faster than they are taken. */
  pour(bytes: number, filling?: Filling): Promise<void>
  /** Leaves word for the test. */
  note(word: string): void
}

export type Filling = { readonly head?: string; readonly fill?: string; readonly tail?: string; readonly type?: string }

export type Script = (wire: Wire, ask: Ask) => unknown

/** What the client did meanwhile, besides what came of it. */
export type Tally = { readonly progress: Progress[]; readonly warnings: string[]; asked: number; changes: number }

/** What must come of it. */
export type Shows = {
  /** The text of the result, or whatever else was returned. */
  readonly gives?: unknown
  /** The code of the CallFailure, or the name of another error. */
  readonly fails?: CallFailureCode | 'RpcError' | 'InvalidResult' | 'InvalidArguments'
  readonly withinMs?: number
  readonly status?: number
  readonly retryAfterMs?: number
  readonly warns?: RegExp
  /** How often the server got a message, or left word: exactly, or from and to. */
  readonly seen?: Readonly<Record<string, number | readonly [from: number, to: number]>>
  /** How many reports of progress were passed on, besides the first and the last, and the last of them. */
  readonly progress?: { readonly perSecond: number; readonly last: number }
  /** How many of the server's questions were put to the person. */
  readonly asked?: readonly [from: number, to: number]
  /** What another call of the same client comes to: it works, unless there is no server any more that could answer it. */
  readonly afterwards?: 'works' | 'unasked'
}

export type Fault = {
  readonly name: string
  /** Of section 3 of the promises; none where the promise is the client's own. */
  readonly rows?: readonly number[]
  /** Obligations that this shows. */
  readonly ids?: string
  /** Both, unless said otherwise. */
  readonly over?: Carrier
  /** The eras take turns, unless said otherwise. */
  readonly era?: Era | 'both'
  /** Over HTTP it is reached in the way of the first revision: a stream that names the address to post to. */
  readonly older?: boolean
  /** Scripts by method, or `bad` for a call of the tool of that name; `start` and `eof` for a child. */
  readonly on?: Readonly<Record<string, Script>>
  /** Deals with every message before anything else does; true when that was all. */
  readonly first?: (wire: Wire, ask: Ask) => boolean
  /** More members of the tool `bad`. */
  readonly bad?: JsonObject | ((wire: Wire) => JsonObject)
  /** More tools, or other text in their place. */
  readonly tools?: (wire: Wire) => readonly unknown[]
  readonly options?: (tally: Tally) => ConnectOptions
  /** What the client does: it calls `bad`, unless said otherwise. */
  readonly does?: (client: Client, tally: Tally) => Promise<unknown>
  readonly shows: Shows | ((at: { readonly carrier: Carrier; readonly era: Era }) => Shows)
}

export const text = (said: string): JsonObject => ({ content: [{ type: 'text', text: said }] })
export const response = (id: unknown, result: JsonObject) => ({ jsonrpc: '2.0', id, result })
export const notification = (method: string, params: JsonObject = {}) => ({ jsonrpc: '2.0', method, params })

/** The result as its era writes it. */
export const complete = ({ era }: Wire, result: JsonObject): JsonObject =>
  era === 'handshake' ? result : { resultType: 'complete', ...result }

/** Does something so often within that time, a hundred times a second. */
export async function flood(total: number, act: (nth: number) => void, ms = 1_000): Promise<void> {
  const began = Date.now()
  for (let done = 0; done < total; ) {
    const due = Math.min(total, Math.ceil((total * (Date.now() - began)) / ms))
    while (done < due) act(++done)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export { pause } from '../waiting.js'

type Draft = Omit<Fault, 'shows'> & Partial<Pick<Fault, 'shows'>>

/** Faults that have something in common. */
export const alike = (common: Partial<Fault>, faults: readonly Draft[]): readonly Fault[] =>
  faults.map((fault) => ({ shows: {}, ...common, ...fault }))
