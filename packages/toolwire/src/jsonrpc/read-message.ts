import {
  isObject,
  type Json,
  JsonError,
  type JsonLimits,
  type JsonObject,
  parseMessageJson,
  parseMessageJsonSteps,
} from '../json.js'
import { codes, RpcError } from './error.js'
import { type Id, isId, longestId, type Notification, type Request, type Response } from './message.js'

export type ParsedMessage = SingleMessage | { kind: 'batch'; items: SingleMessage[] }

export type SingleMessage = ReadMessage | InvalidMessage

/** `size` is the length of the text, for messages longer than `shortText`. */
type ReadMessage = (
  | { kind: 'request'; request: Request }
  | { kind: 'notification'; notification: Notification }
  | { kind: 'response'; response: Response }
) & { size?: number }

/**
 * A message that breaks the rules. `id` is present if it could be read, so that the error reaches its request. `about` is the kind of
 * message that the sender meant, because an invalid notification or response is never answered.
 */
export type InvalidMessage = {
  kind: 'invalid'
  error: RpcError
  id?: Id
  about: 'request' | 'notification' | 'response' | 'unknown'
}

const maxBatch = 1_000
const shortText = 65_536
const badId = `id must be an integer, or a string of at most ${longestId} characters`
const longToken = `params._meta.progressToken must be an integer, or a string of at most ${longestId} characters`

/** Reads one message, or one batch, as it came over the wire. It never throws. */
export function readMessage(bytes: Uint8Array | string, limits?: Partial<JsonLimits>): ParsedMessage {
  try {
    return messageOf(parseMessageJson(bytes, limits), bytes)
  } catch (thrown) {
    return unreadable(thrown)
  }
}

/** Reads a message in steps, for long ones. */
export function* readMessageSteps(bytes: Uint8Array | string): Generator<void, ParsedMessage, void> {
  try {
    return messageOf(yield* parseMessageJsonSteps(bytes), bytes)
  } catch (thrown) {
    return unreadable(thrown)
  }
}

function messageOf(value: Json, bytes: Uint8Array | string): ParsedMessage {
  if (Array.isArray(value)) return readBatch(value)
  const message = readSingle(value)
  if (message.kind !== 'invalid' && bytes.length > shortText) message.size = bytes.length
  return message
}

/** If the grammar is valid, the error answers the request. In a batch it answers every request, because none is accepted. */
function unreadable(thrown: unknown): ParsedMessage {
  if (!(thrown instanceof JsonError)) throw thrown
  const { code, message, value, at = '' } = thrown
  const error = new RpcError(codes.parseError, `Parse error: ${message}`)
  const depth = at.split('/').length - 1
  // An id that occurs twice identifies no request.
  const isOfMessage = depth <= (Array.isArray(value) ? 2 : 1)
  const isAmbiguous = isOfMessage && (code === 'duplicate' || at.endsWith('/id'))
  const messages = isAmbiguous ? [] : [value].flat().filter((item) => isObject(item))
  const [first] = messages
  if (first === undefined || messages.length > maxBatch) return { kind: 'invalid', error, about: 'unknown' }
  if (!Array.isArray(value)) return invalidMessageOf(first, error)
  return { kind: 'batch', items: messages.map((item) => invalidMessageOf(item, error)) }
}

function readBatch(values: Json[]): ParsedMessage {
  if (values.length === 0) return invalid({}, 'the batch is empty')
  if (values.length > maxBatch) return invalid({}, `more than ${maxBatch} messages in a batch`)
  return { kind: 'batch', items: values.map(readSingle) }
}

function readSingle(value: Json): SingleMessage {
  if (!isObject(value)) return invalid({}, 'a message is an object')
  if (value.jsonrpc !== '2.0') return invalid(value, 'jsonrpc must be "2.0"')
  if (value.method !== undefined) return readCall(value)
  if (value.result !== undefined || value.error !== undefined) return readResponse(value)
  return invalid(value, 'neither a method nor a result nor an error')
}

function readCall(value: JsonObject): SingleMessage {
  if (typeof value.method !== 'string') return invalid(value, 'method must be a string')
  if (value.result !== undefined || value.error !== undefined) return invalid(value, 'both a call and a response')
  if (value.id !== undefined && !isId(value.id)) return invalid(value, badId)
  const wrong = value.params === undefined ? undefined : objectionTo(value.params)
  if (wrong !== undefined) return invalidMessageOf(value, new RpcError(codes.invalidParams, `Invalid params: ${wrong}`))
  // The checks above are the definition of the type; other members are ignored.
  return value.id === undefined
    ? { kind: 'notification', notification: value as Notification }
    : { kind: 'request', request: value as Request }
}

function objectionTo(params: Json): string | undefined {
  if (!isObject(params)) return 'params must be an object'
  const { _meta: meta } = params
  // The token is kept as long as the call, and sent back with each progress notification.
  const token = isObject(meta) ? meta.progressToken : undefined
  return typeof token === 'string' && token.length > longestId ? longToken : undefined
}

function readResponse(value: JsonObject): SingleMessage {
  const { result, error, id } = value
  if (result !== undefined && error !== undefined) return invalid(value, 'both a result and an error')
  if (error === undefined && !isObject(result)) return invalid(value, 'result must be an object')
  if (error !== undefined && !isErrorObject(error)) return invalid(value, 'error must hold an integer code and a string message')
  // An error about a message whose id could not be read carries null, or no id at all.
  const needsNoId = error !== undefined && (id === undefined || id === null)
  if (!needsNoId && !isId(id)) return invalid(value, badId)
  // The checks above are the type's definition.
  return { kind: 'response', response: value as Response }
}

const invalid = (value: JsonObject, reason: string): InvalidMessage =>
  invalidMessageOf(value, new RpcError(codes.invalidRequest, `Invalid request: ${reason}`))

function invalidMessageOf(value: JsonObject, error: RpcError): InvalidMessage {
  const about = kindMeant(value)
  return isId(value.id) ? { kind: 'invalid', error, id: value.id, about } : { kind: 'invalid', error, about }
}

function kindMeant(value: JsonObject): InvalidMessage['about'] {
  if (typeof value.method === 'string') return value.id === undefined ? 'notification' : 'request'
  return value.result !== undefined || value.error !== undefined ? 'response' : 'unknown'
}

const isErrorObject = (value: Json): boolean =>
  isObject(value) && Number.isInteger(value.code) && typeof value.message === 'string'
