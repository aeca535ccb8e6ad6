// A route of the management API: its path, its parameters, and its handler.
import type { Caller, JsonObject } from 'toolwire'
import type { CredentialHolder } from '../access/credentials.js'
import { runRecorded } from '../store/audit/record-action.js'
import type { Control } from './control/control.js'

/** The caller of the management API. */
export type Manager = Caller &
  CredentialHolder & {
    /** The id of the caller who created the link to this console session, unless that was the operator. */
    readonly openedBy?: string
  }

export type RouteRequest = {
  readonly control: Control
  readonly caller: Manager
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly body: JsonObject
  /** The id of the last event that the client has received. */
  readonly lastEventId: string | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** A response: JSON, or text in pieces. */
export type RouteResponse =
  | { readonly status?: number; readonly json: unknown }
  | { readonly type: string; readonly name?: string; readonly pieces: AsyncIterable<string> }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Route = RouteOptions & { readonly method: Method; readonly path: string; readonly summary: string }

type RouteOptions = {
  readonly query?: { readonly [name: string]: string }
  readonly body?: JsonObject
  /** Statuses other than 200, and their descriptions. */
  readonly answers?: { readonly [status: string]: string }
  readonly reply?: JsonObject
  /** The content type of a response that is not JSON. */
  readonly type?: string
  /** Also available to callers who may not manage the gateway; the handler limits them to their own data. */
  readonly forCallers?: true
  readonly handle: (ask: RouteRequest) => RouteResponse | Promise<RouteResponse>
}

/** A route by its method and its path below /api/v1, with parameters in braces. */
export function route(at: `${Method} /${string}`, summary: string, options: RouteOptions): Route {
  const [method, path] = at.split(' ') as [Method, string] // guaranteed by the type of `at`
  return { method, path, summary, ...options }
}

/** A request that cannot be fulfilled; the caller sees the message. */
export class HttpRefusal extends Error {
  override name = 'HttpRefusal'
  readonly status: number
  readonly details: JsonObject

  constructor(status: number, message: string, details: JsonObject = {}) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** Returns a value, or responds with 404 if it is undefined. */
export function foundOr404<T>(found: T | undefined, message: string): T {
  if (found === undefined) throw new HttpRefusal(404, message)
  return found
}

/** Performs an action with an audit record, for the caller of a request: see `runRecorded`. */
export const withAuditRecord = <T>(
  { control, caller }: Pick<RouteRequest, 'control' | 'caller'>,
  act: string,
  about: JsonObject,
  work: () => T | Promise<T>,
): Promise<T> => runRecorded(control.log, { by: caller.id, act, about }, work)

export function queryChoice<T extends string>(query: URLSearchParams, name: string, all: readonly T[]): T | undefined {
  const given = query.get(name)
  const choice = all.find((one) => one === given)
  if (given !== null && !choice) throw new HttpRefusal(400, `"${name}" must be one of ${all.join(', ')}`)
  return choice
}

export function queryNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new HttpRefusal(400, `"${name}" must be a whole number`)
  return Number(text)
}
