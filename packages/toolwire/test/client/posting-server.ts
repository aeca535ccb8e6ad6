// A scripted server over real HTTP that records every request.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { type Client, type ConnectOptions, connect, memoryRevisions } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { event, events, json, type Seen, scriptedHttpServer } from '../transports/http-client-fixture.js'
import { Fails, openingResponses, silence } from './scripted.js'

/** A message as it was posted. */
export type Posted = {
  readonly message: JsonObject & { readonly params: JsonObject }
  readonly headers: IncomingHttpHeaders
  readonly at: number
}
type Said = JsonObject | Fails | typeof silence
/** The response to a request. `silence` sends none, for example if the script has written the response itself. */
export type Word = Said | ((posted: Posted, response: ServerResponse) => Said)

export type Choice = {
  readonly revision: string
  /** Format of the responses. */
  readonly form?: 'json' | 'stream'
  readonly capabilities?: JsonObject
  /** Handles GET; 405 by default. */
  readonly onGet?: (seen: Seen, response: ServerResponse) => unknown
  /** HTTP status of error responses. */
  readonly statusOfErrors?: number
}

export type PostingServer = {
  readonly url: string
  /** Every request of any HTTP method. */
  readonly seen: readonly Seen[]
  /** The posted messages of the method, or all of them. */
  posted(method?: string): Posted[]
}

/** Serves until the test ends. Requests that open a connection are answered by default as the revision requires. */
export async function posting(words: Readonly<Record<string, Word>>, choice: Choice): Promise<PostingServer> {
  const all = { ...openingResponses(choice.revision, choice.capabilities ?? { tools: {} }), ...words } as Readonly<
    Record<string, Word>
  >
  let sessions = 0
  const server = await scriptedHttpServer((seen, response) => {
    if (seen.method === 'GET') return choice.onGet ? choice.onGet(seen, response) : response.writeHead(405).end()
    if (seen.method === 'DELETE') return response.writeHead(204).end()
    const posted = readPosted(seen)
    const { id, method } = posted.message
    if (id === undefined || method === undefined) return response.writeHead(202).end()
    const word = all[String(method)] ?? new Fails(-32_601, `no ${String(method)}`)
    const said = typeof word === 'function' ? word(posted, response) : word
    if (said === silence) return
    const opens = method === 'initialize' && !(said instanceof Fails)
    say(response, { jsonrpc: '2.0', id, ...bodyOf(said) }, opens ? { ...choice, session: `session-${++sessions}` } : choice)
  })
  return {
    url: server.url.href,
    seen: server.seen,
    posted: (method) => {
      const posts = server.seen.filter((one) => one.method === 'POST').map(readPosted)
      return method === undefined ? posts : posts.filter(({ message }) => message.method === method)
    },
  }
}

const readPosted = ({ body, headers, at }: Seen): Posted => ({ message: { params: {}, ...JSON.parse(body) }, headers, at })

const bodyOf = (said: JsonObject | Fails) =>
  said instanceof Fails ? { error: { code: said.code, message: said.message } } : { result: said }

type Manner = Choice & { readonly session?: string }

function say(response: ServerResponse, message: object, { form, statusOfErrors = 200, session }: Manner): void {
  const headers: Record<string, string> = session === undefined ? {} : { 'Mcp-Session-Id': session }
  if ('error' in message) json(response, message, headers, statusOfErrors)
  else if (form === 'stream') events(response, event(message), headers).end()
  else json(response, message, headers)
}

/** A client of the server, with its warnings. */
export async function clientOf(
  server: { readonly url: string },
  revision: string,
  options: ConnectOptions = {},
): Promise<{ client: Client; warnings: string[] }> {
  const warnings: string[] = []
  const onWarning = (text: string) => warnings.push(text)
  const client = await connect(server.url, { revision, verdicts: memoryRevisions(), onWarning, ...options })
  return { client, warnings }
}
