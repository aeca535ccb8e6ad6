// Makes an endpoint from the target that a user gives.
import type { Served } from '../peer/application.js'
import type { Endpoint } from '../peer/client-transport.js'
import { definitionError } from '../tools/checks/definition-error.js'
import type { Command } from '../transports/stdio/client/child/child-endpoint.js'
import { credentialsOf } from './credentials.js'
import type { ConnectOptions } from './options.js'

/** An entry of `mcpServers` in an `mcp.json`, as hosts write it. */
export type ServerEntry = {
  readonly type?: 'http' | 'streamable-http' | 'streamableHttp' | 'sse' | 'stdio'
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server to connect to: a URL, a command, an entry of an `mcp.json`, a server in this process, or a custom endpoint. */
export type Target = string | URL | Command | ServerEntry | Served | Endpoint

export async function endpointFor(target: Target, options: ConnectOptions, limit: number): Promise<Endpoint> {
  if (typeof target === 'string' || target instanceof URL) return httpEndpointFor(target, { options, limit })
  if ('dial' in target) return target
  if ('~application' in target) {
    const { memoryEndpoint } = await import('../transports/memory/memory-endpoint.js')
    return memoryEndpoint(target, options.name ?? 'in this process')
  }
  if ('url' in target && target.url !== undefined) return httpEndpointFor(target.url, { options, limit, entry: target })
  if (target.command === undefined || target.command === '')
    throw definitionError('A server is reached by a `url` or started by a `command`; this entry has neither')
  const { childEndpoint } = await import('../transports/stdio/client/child/child-endpoint.js')
  return childEndpoint({ ...target, command: target.command }, { limit })
}

type HttpTargetOptions = { readonly options: ConnectOptions; readonly limit: number; readonly entry?: ServerEntry }

async function httpEndpointFor(url: string | URL, { options, limit, entry }: HttpTargetOptions): Promise<Endpoint> {
  if (!URL.canParse(String(url)))
    throw definitionError(`"${String(url)}" is not a URL. To start a program, pass { command, args }`)
  const { httpEndpoint, sseEndpoint } = await import('../transports/http/client/http-endpoint.js')
  const credentials = credentialsOf(options.auth)
  const makeEndpoint = entry?.type === 'sse' ? sseEndpoint : httpEndpoint
  return makeEndpoint(new URL(url), {
    headers: { ...entry?.headers, ...options.headers },
    limit,
    ...(credentials && { credentials }),
    ...(options.fetch && { fetch: options.fetch }),
  })
}
