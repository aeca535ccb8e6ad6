// One thing that can be asked of the management API: what it is called, what it takes, and what is done.
import type { Caller, JsonObject } from 'toolwire'
import { runRecorded } from '../store/audit/record-action.js'
import type { Control } from './control/control.js'

/** Who manages the gateway. */
export type Manager = Caller & {
  /** Whose credentials the link to a console session was made with, where that was not the operator. */
  readonly openedBy?: string
}

/** A request that has been let in and read. */
export type RouteRequest = {
  readonly control: Control
  readonly caller: Manager
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly body: JsonObject
  /** Names the last event that a client has seen. */
  readonly lastEventId: string | undefined
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** An answer: JSON, or text that comes bit by bit. */
export type RouteResponse =
  | { readonly status?: number; readonly json: unknown }
  | { readonly type: string; readonly name?: string; readonly pieces: AsyncIterable<string> }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Route = RouteOptions & { readonly method: Method; readonly path: string; readonly summary: string }

type RouteOptions = {
  /** What may stand in the query, and what it means. */
  readonly query?: { readonly [name: string]: string }
  /** A JSON Schema of the body. */
  readonly body?: JsonObject
  /** Statuses besides 200, and when they are given. */
  readonly answers?: { readonly [status: string]: string }
  /** A JSON Schema of the answer. */
  readonly reply?: JsonObject
  /** Of an answer that is not JSON. */
  readonly type?: string
  /** For callers who do not manage the gateway, too: what of it is theirs, it finds out itself. */
  readonly forCallers?: true
  readonly handle: (ask: RouteRequest) => RouteResponse | Promise<RouteResponse>
}

/** A route by its method and its path below /api/v1, with parameters in braces. */
export function route(at: `${Method} /${string}`, summary: string, options: RouteOptions): Route {
  const [method, path] = at.split(' ') as [Method, string] // the type of `at` says so
  return { method, path, summary, ...options }
}

/** A request that cannot be fulfilled; the caller sees the message. */
export class HttpRefusal extends Error {
  override name = 'Refused'
  readonly status: number
  readonly details: JsonObject

  constructor(status: number, message: string, details: JsonObject = {}) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** What was looked for; it is refused where it is not there. */
export function foundOr404<T>(found: T | undefined, message: string): T {
  if (found === undefined) throw new HttpRefusal(404, message)
  return found
}

/** Does what cannot be done without a record of it, for the caller of a request. */
export const recorded = <T>(
  { control, caller }: Pick<RouteRequest, 'control' | 'caller'>,
  act: string,
  about: JsonObject,
  work: () => T | Promise<T>,
): Promise<T> => runRecorded(control.log, { by: caller.id, act, about }, work)

/** One of these from the query. */
export function queryChoice<T extends string>(query: URLSearchParams, name: string, all: readonly T[]): T | undefined {
  const given = query.get(name)
  const choice = all.find((one) => one === given)
  if (given !== null && !choice) throw new HttpRefusal(400, `"${name}" must be one of ${all.join(', ')}`)
  return choice
}

/** A whole number from the query. */
export function queryNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new HttpRefusal(400, `"${name}" must be a whole number`)
  return Number(text)
}
