import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { jsonIn } from '../../json/json-in.js'
import { managementTokenFile } from '../../store/management-token.js'
import { CommandError, type CommandInput, exitCodeOfStatus, exitCodes, refusedError, unreachableError } from '../command.js'
import { stringIn } from '../json-members.js'
import { gatewayUrl, noGateway } from '../target/target.js'
import { localTokenFor, tokenDirectoriesFor } from './local-token.js'

type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: { readonly [name: string]: string | number | undefined }
  readonly body?: JsonObject
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
  /** The gateway may take longer than the five minutes that Node's own `fetch` waits. */
  readonly isSlow?: boolean
}

export type ApiClient = ReturnType<typeof apiClientOf>

/** A client for the management API of a running gateway. */
export function apiClientOf(input: Pick<CommandInput, 'options' | 'env' | 'signal'>) {
  const named = gatewayUrl(input)
  const key = input.env.TOOLWIRE_API_KEY
  // Read again for each request, because a restarted gateway has another token.
  const shown = () => (key ? { token: key, url: named } : localTokenFor(named, input.env))
  const url = shown()?.url ?? named
  async function open(path: string, asking: ApiRequest = {}): Promise<Response> {
    const { method = 'GET', query, body, signal = input.signal, isSlow = false } = asking
    const own = shown()
    const authorization = own && { authorization: `Bearer ${own.token}` }
    const headers = { ...asking.headers, ...authorization, ...(body && { 'content-type': 'application/json' }) }
    const sent = { method, signal, redirect: 'error', headers, ...(body && { body: JSON.stringify(body) }) } as const
    const send = isSlow ? (await import('toolwire/relay')).wire.fetchWithoutTimeouts : fetch
    const response = await send(addressOf(`${url}/api/v1${path}`, query), sent).catch((thrown: unknown) => {
      throw signal.aborted ? thrown : noGateway(url, thrown)
    })
    if (response.ok) return response
    throw await failureOf(response, url, input.env)
  }
  return { url, open, request: async (path: string, asking?: ApiRequest) => objectIn(await open(path, asking), url) }
}

function addressOf(address: string, query: ApiRequest['query'] = {}): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

async function objectIn(response: Response, url: string): Promise<JsonObject> {
  const text = await response.text().catch((thrown: unknown) => {
    throw answerCutOff(url, thrown)
  })
  const value = jsonIn(text)
  if (isObject(value)) return value
  throw new CommandError(`The server at ${url} is not a Toolwire gateway. Check the address`, exitCodes.connection)
}

export const answerCutOff = (url: string, cause: unknown): CommandError =>
  unreachableError(`The gateway at ${url} ended before its answer was complete. Try again`, cause)

/** A request that the gateway did not carry out. */
export class ApiRefusal extends CommandError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message, exitCodeOfStatus(status))
    this.status = status
  }
}

async function failureOf(response: Response, url: string, env: CommandInput['env']): Promise<CommandError> {
  const { status } = response
  const body = jsonIn(await response.text().catch(() => ''))
  const why = isObject(body) ? stringIn(body, 'error') : undefined
  if (status === 401) return refusedError(withoutCredential(url, env))
  if (status === 403) return refusedError(`The gateway at ${url} refuses this: ${why ?? 'it is not allowed'}`)
  const old = 'does not support this command. Update the gateway to the version of this program'
  return new ApiRefusal(status, why ?? `The gateway at ${url} ${status === 404 ? old : `answered with HTTP ${status}`}`)
}

function withoutCredential(url: string, env: CommandInput['env']): string {
  if (env.TOOLWIRE_API_KEY)
    return `The gateway at ${url} rejects the key in TOOLWIRE_API_KEY. Set a key with the scope toolwire:admin, or unset it`
  const places = tokenDirectoriesFor(new URL(url).port || '80', env).map((directory) => join(directory, managementTokenFile))
  return (
    `The gateway at ${url} requires a credential to manage it, and none was found in ${[...new Set(places)].join(' or ')}. ` +
    'Run this as the account of the gateway, with its data directory in TOOLWIRE_DATA_DIR; or put a key with the scope toolwire:admin into TOOLWIRE_API_KEY'
  )
}
