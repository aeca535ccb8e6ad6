// JSON-RPC 2.0 messages, as they appear on the wire. https://www.jsonrpc.org/specification
import { encodeJson, type Json, type JsonObject } from '../json.js'
import type { ErrorObject } from './error.js'

/** A bigint stands for an integer beyond 2^53, which must come back to its sender digit for digit. */
export type Id = string | number | bigint

export type Request = { jsonrpc: '2.0'; id: Id; method: string; params?: JsonObject }
export type Notification = { jsonrpc: '2.0'; method: string; params?: JsonObject }
export type Response =
  | { jsonrpc: '2.0'; id: Id | null; result: JsonObject }
  | { jsonrpc: '2.0'; id?: Id | null; error: ErrorObject }
export type Message = Request | Notification | Response

/** An id inside of params or results: encodeJson writes a bigint digit for digit. */
export const idAsJson = (id: Id): Json => id as Json

/** Limited, because ids are kept and compared while a request is answered, and go into errors and logs. */
export const longestId = 4_096

/** A number that has lost digits or its sign is not an id, because it could not be echoed as it was written. */
export function isId(value: unknown): value is Id {
  if (typeof value === 'string') return value.length <= longestId
  return typeof value === 'bigint' || (Number.isSafeInteger(value) && !Object.is(value, -0))
}

/** Wraps an encoded result, so that a result is encoded once, however often it is sent. */
export const encodeResultResponse = (id: Id, result: string): string =>
  `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result}}`

/** Omits the id if it is undefined; `null` is for peers that expect the member in any case. */
export function encodeErrorResponse(id: Id | null | undefined, { code, message, data }: ErrorObject): string {
  const error = encodeJson(data === undefined ? { code, message } : { code, message, data })
  if (id === undefined) return `{"jsonrpc":"2.0","error":${error}}`
  return `{"jsonrpc":"2.0","id":${id === null ? 'null' : encodeId(id)},"error":${error}}`
}

export const encodeRequest = (id: Id, method: string, params?: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)}${encodeParams(params)}}`

export const encodeNotification = (method: string, params?: JsonObject): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${encodeParams(params)}}`

export const encodeId = (id: Id): string => (typeof id === 'string' ? JSON.stringify(id) : String(id))

const encodeParams = (params: JsonObject | undefined): string => (params === undefined ? '' : `,"params":${encodeJson(params)}`)
