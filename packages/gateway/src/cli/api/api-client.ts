import { join } from 'node:path'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../common/json.js'
import { managementTokenFile } from '../../store/management-token.js'
import { CommandError, type CommandInput, exitCodes, refusedError } from '../command.js'
import { gatewayUrl, noGateway } from '../target/target.js'
import { localTokenFor, tokenDirectoriesFor } from './local-token.js'

/** What a request to the gateway says besides its path. */
type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: { readonly [name: string]: string | number | undefined }
  readonly body?: JsonObject
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
}

/** The management API of a gateway that runs. */
export type ApiClient = {
  readonly url: string
  request(path: string, asking?: ApiRequest): Promise<JsonObject>
  open(path: string, asking?: ApiRequest): Promise<Response>
}

export function apiClientOf(input: Pick<CommandInput, 'options' | 'env' | 'signal'>): ApiClient {
  const named = gatewayUrl(input)
  const key = input.env.TOOLWIRE_API_KEY
  // Looked for at each request: a gateway that was started again has another one.
  const shown = () => (key ? { token: key, url: named } : localTokenFor(named, input.env))
  const url = shown()?.url ?? named
  async function open(
    path: string,
    { method = 'GET', query, body, headers, signal = input.signal }: ApiRequest = {},
  ): Promise<Response> {
    const own = shown()
    const response = await fetch(addressOf(`${url}/api/v1${path}`, query), {
      method,
      signal,
      redirect: 'error',
      headers: {
        ...headers,
        ...(own && { authorization: `Bearer ${own.token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((thrown: unknown) => {
      throw signal.aborted ? thrown : noGateway(url, thrown)
    })
    if (response.ok) return response
    throw await said(response, { url, key, env: input.env })
  }
  return { url, open, request: async (path, asking) => objectIn(await open(path, asking), url) }
}

function addressOf(address: string, query: ApiRequest['query'] = {}): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

async function objectIn(response: Response, url: string): Promise<JsonObject> {
  const text = await response.text()
  const value = parsed(text)
  if (isObject(value)) return value
  throw new CommandError(`The server at ${url} is not a Toolwire gateway. Check the address`, exitCodes.connection)
}

function parsed(text: string): Json | undefined {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as Json
  } catch {
    return undefined // the caller says what is wrong
  }
}

type ApiCall = Pick<CommandInput, 'env'> & { readonly url: string; readonly key: string | undefined }

async function said(response: Response, { url, key, env }: ApiCall): Promise<CommandError> {
  const { status } = response
  const why = reasonIn(parsed(await response.text().catch(() => '')))
  if (status === 401) return refusedError(withoutCredential(url, key, env))
  if (status === 403) return refusedError(`The gateway at ${url} refuses this: ${why ?? 'it is not allowed'}`)
  if (status === 404)
    return new CommandError(
      why ?? `The gateway at ${url} does not support this command. Update the gateway to the version of this program`,
    )
  return new CommandError(why ?? `The gateway at ${url} answered with HTTP ${status}`)
}

/** What was tried, and what to do. */
function withoutCredential(url: string, key: string | undefined, env: CommandInput['env']): string {
  if (key)
    return `The gateway at ${url} rejects the key in TOOLWIRE_API_KEY. Set a key with the scope toolwire:admin, or unset it`
  const places = tokenDirectoriesFor(new URL(url).port || '80', env).map((directory) => join(directory, managementTokenFile))
  return (
    `The gateway at ${url} requires a credential to manage it, and none was found in ${[...new Set(places)].join(' or ')}. ` +
    'Run this as the account of the gateway, with its data directory in TOOLWIRE_DATA_DIR; or put a key with the scope toolwire:admin into TOOLWIRE_API_KEY'
  )
}

function reasonIn(body: Json | undefined): string | undefined {
  if (!isObject(body)) return undefined
  return typeof body.error === 'string' ? body.error : undefined
}
