import type { IncomingMessage } from 'node:http'
import type { Json, JsonObject } from 'toolwire'
import { JsonError, parseJson, wire } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'
import { HttpRefusal } from './route.js'

const usualBytes = 1_048_576

/** Reads a JSON body, and requires its content type: a form on another site cannot send that. GET and DELETE have no body. */
export async function readBody(req: IncomingMessage, maxBytes = usualBytes): Promise<JsonObject> {
  if (req.method === 'GET' || req.method === 'DELETE') return {}
  if (!/^application\/json(;|$)/i.test(req.headers['content-type'] ?? ''))
    throw new HttpRefusal(415, 'The body is not JSON. Send JSON with content-type: application/json, or {} for no members')
  const bytes = await bytesOf(req, maxBytes)
  if (bytes.every(isBlank)) return {}
  const value = parsed(bytes)
  if (!isObject(value)) throw new HttpRefusal(400, 'The body must be a JSON object')
  return value
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

async function bytesOf(req: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const gathered = new wire.BodyBuffer(maxBytes)
  let isTooLarge = false
  // The rest of a body that is too large is read and dropped, or the next request on its connection would never be read.
  for await (const chunk of req) isTooLarge ||= !gathered.add(chunk as Buffer) // no encoding is set, so chunks are buffers
  if (isTooLarge) throw new HttpRefusal(413, `The body is larger than ${maxBytes} bytes`)
  return gathered.take()
}

function parsed(bytes: Uint8Array): Json {
  try {
    return parseJson(bytes)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    throw new HttpRefusal(400, `The body is not accepted: ${thrown.message}`)
  }
}
