// The gateway's management API, the only one that this page uses.

import { noteGatewayTime } from './gateway-clock.js'
import { noteSessionOver, sessionHeader, sessionKey } from './session.js'
import type { JsonObject } from './types.js'
import { activityHeader } from './user-activity.js'

export type Query = { readonly [name: string]: string | number | boolean | undefined }

/** The gateway refused the request; `status` is 0 if it could not be reached. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly details: JsonObject

  constructor(status: number, message: string, details: JsonObject = {}) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** After a lost connection, or an error of the gateway, a change may have been made: such as when only its record failed. */
export const isOutcomeUnknown = (thrown: unknown): boolean =>
  !(thrown instanceof ApiError) || thrown.status === 0 || thrown.status >= 500

export const getJson = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  read<T>(`${path}${queryText(query)}`, { signal: signal ?? null })
export const postJson = <T>(path: string, body: unknown = {}): Promise<T> => read<T>(path, requestWithBody('POST', body))
export const putJson = <T>(path: string, body: unknown): Promise<T> => read<T>(path, requestWithBody('PUT', body))
export const deleteJson = <T>(path: string): Promise<T> => read<T>(path, { method: 'DELETE' })

export const pathSegment = (text: string | number): string => encodeURIComponent(text)

export const requestWithBody = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Sends a request and returns the response; throws if the gateway refuses it. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const key = sessionKey()
  const headers = { ...init.headers, ...sessionHeader(key), ...activityHeader() }
  const response = await sendRequest(`/api/v1${path}`, { ...init, headers })
  if (response.ok) return response
  if (response.status === 401) noteSessionOver(key)
  throw await refusalIn(response)
}

async function sendRequest(url: string, init: RequestInit): Promise<Response> {
  const sentAt = performance.now()
  try {
    const response = await fetch(url, init)
    noteGatewayTime(response, performance.now() - sentAt)
    return response
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown
    throw new ApiError(0, 'The gateway does not answer. Is it running?')
  }
}

async function read<T>(path: string, init: RequestInit): Promise<T> {
  const response = await request(path, init)
  return (await response.json()) as T // the gateway and this page are built together
}

async function refusalIn(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const { error, ...details } = (typeof body === 'object' && body !== null ? body : {}) as JsonObject // parsed from JSON
  const message = typeof error === 'string' ? error : `The gateway answered with status ${response.status}.`
  return new ApiError(response.status, message, details)
}

function queryText(query: Query): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return said.length === 0 ? '' : `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`
}
