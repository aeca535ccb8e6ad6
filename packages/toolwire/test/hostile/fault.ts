// The type of a scripted fault: the misbehaviour of a server, and the expected reaction of the client.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client, Progress } from '../../src/client/client.js'
import type { CallFailureCode } from '../../src/client/errors.js'
import type { ConnectOptions } from '../../src/client/options.js'
import type { JsonObject } from '../../src/json.js'

export type RevisionStyle = 'handshake' | 'per-request'
export type Carrier = 'http' | 'stdio'

/** A message of the client. */
export type Ask = { readonly id?: number | string; readonly method?: string; readonly params?: JsonObject } & JsonObject

/** The connection, as a script sees it while it handles one message of the client. */
export interface Wire {
  readonly style: RevisionStyle
  readonly carrier: Carrier
  /** A URL of another origin that records requests to it. */
  readonly elsewhere: string
  /** Present only over HTTP. */
  readonly http?: { readonly request: IncomingMessage; readonly response: ServerResponse }
  /** Sends a message before the response; a string is sent unchanged. */
  say(message: unknown): void
  /** Sends the last message; over HTTP this ends the response. */
  last(message: unknown): void
  /** Sends the result of the request. */
  answer(ask: Ask, result: JsonObject): void
  /** Sends the given number of bytes, with backpressure. */
  pour(bytes: number, filling?: Filling): Promise<void>
  /** Records a word for the test. */
  note(word: string): void
}

export type Filling = { readonly head?: string; readonly fill?: string; readonly tail?: string; readonly type?: string }

export type Script = (wire: Wire, ask: Ask) => unknown

/** Events at the client during the run, besides its outcome. */
export type Tally = { readonly progress: Progress[]; readonly warnings: string[]; asked: number; changes: number }

/** The expected reaction. */
export type Shows = {
  /** The text of the result, or any other return value. */
  readonly gives?: unknown
  /** The code of the CallFailure, or the name of another error. */
  readonly fails?: CallFailureCode | 'RpcError' | 'InvalidResult' | 'InvalidArguments'
  readonly withinMs?: number
  readonly status?: number
  readonly retryAfterMs?: number
  readonly warns?: RegExp
  /** How often the server received a message or recorded a word: an exact number, or a range. */
  readonly seen?: Readonly<Record<string, number | readonly [from: number, to: number]>>
  /** The rate of delivered progress reports, without the first and the last, and the value of the last. */
  readonly progress?: { readonly perSecond: number; readonly last: number }
  /** How many questions of the server reached the person. */
  readonly asked?: readonly [from: number, to: number]
  /** The expected outcome of another call of the same client. `unasked` if no server is left to answer it. */
  readonly afterwards?: 'works' | 'unasked'
}

export type Fault = {
  readonly name: string
  /** Rows of section 3 of the promises; absent if only the client makes the promise. */
  readonly rows?: readonly number[]
  /** Obligations that the fault tests. */
  readonly ids?: string
  /** Both by default. */
  readonly over?: Carrier
  /** The styles alternate by default. */
  readonly style?: RevisionStyle | 'both'
  /** Over HTTP, the client connects by HTTP+SSE of the first revision. */
  readonly older?: boolean
  /** Scripts by method, or `bad` for a call of the tool `bad`; `start` and `eof` for a child process. */
  readonly on?: Readonly<Record<string, Script>>
  /** Handles every message first. Returns true if the message needs no further handling. */
  readonly first?: (wire: Wire, ask: Ask) => boolean
  /** Additional members of the tool `bad`. */
  readonly bad?: JsonObject | ((wire: Wire) => JsonObject)
  /** Additional tools, or replacements. */
  readonly tools?: (wire: Wire) => readonly unknown[]
  readonly options?: (tally: Tally) => ConnectOptions
  /** The action of the client; by default it calls `bad`. */
  readonly does?: (client: Client, tally: Tally) => Promise<unknown>
  readonly shows: Shows | ((at: { readonly carrier: Carrier; readonly style: RevisionStyle }) => Shows)
}

export const text = (said: string): JsonObject => ({ content: [{ type: 'text', text: said }] })
export const response = (id: unknown, result: JsonObject) => ({ jsonrpc: '2.0', id, result })
export const notification = (method: string, params: JsonObject = {}) => ({ jsonrpc: '2.0', method, params })

/** The result in the format of the revision style. */
export const complete = ({ style }: Wire, result: JsonObject): JsonObject =>
  style === 'handshake' ? result : { resultType: 'complete', ...result }

/** Calls the function `total` times, evenly spread over the given time. */
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

/** Faults with common members. */
export const alike = (common: Partial<Fault>, faults: readonly Draft[]): readonly Fault[] =>
  faults.map((fault) => ({ shows: {}, ...common, ...fault }))
