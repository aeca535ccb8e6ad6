import type { IncomingMessage } from 'node:http'
import type { JsonObject } from 'toolwire'
import { Refused } from './route.js'

const longest = 1_048_576

/** The body of a request that may change something: JSON, and said to be. No form of another site can say that, and DELETE takes none. */
export async function readBody(req: IncomingMessage): Promise<JsonObject> {
  if (req.method === 'GET' || req.method === 'DELETE') return {}
  if (!/^application\/json(;|$)/i.test(req.headers['content-type'] ?? ''))
    throw new Refused(415, 'Send JSON, with content-type: application/json; {} where there is nothing to say')
  const text = await textOf(req)
  if (text.trim() === '') return {}
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused(400, 'The body is a JSON object')
  return value as JsonObject // JSON.parse gives nothing else
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req) {
    size += (chunk as Buffer).length // no encoding is set
    if (size > longest) throw new Refused(413, `The body is larger than ${longest} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(400, 'The body is no JSON')
  }
}
