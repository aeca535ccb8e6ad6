import { isObject, type Json, type JsonObject, parseJson } from '../../../json.js'
import { type Egress, isBusyStatus } from '../egress/egress.js'
import { OAuthFailure } from '../oauth-failure.js'

/** Fetches a JSON object; undefined if there is none, for example if a server answers every path with the same page. */
export async function fetchJsonDocument(url: string, egress: Egress): Promise<JsonObject | undefined> {
  const response = await egress(url, { headers: { accept: 'application/json' } })
  // A server that is down for a moment may have the document all the same, and without it secrets could go to another server.
  if (response.status >= 500 || isBusyStatus(response.status))
    throw new OAuthFailure('unreachable', `${new URL(url).host} answered with HTTP ${response.status}. Try again later`)
  return response.status === 200 ? objectIn(new Uint8Array(await response.arrayBuffer())) : undefined
}

/** Parses a JSON object; undefined if the text is anything else. */
export function objectIn(text: Uint8Array | string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The strings of a list; undefined if it is no list. */
export const textsIn = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined

/** Picks the members that are strings; undefined if a needed one is not. */
export function textMembers<Needed extends string, Other extends string = never>(
  object: JsonObject,
  needed: readonly Needed[],
  others: readonly Other[] = [],
) {
  const found = [...needed, ...others].flatMap((name) => (typeof object[name] === 'string' ? [[name, object[name]]] : []))
  const texts = Object.fromEntries(found) as Record<Needed, string> & Partial<Record<Other, string>> // checked right below
  return needed.every((name) => Object.hasOwn(texts, name)) ? texts : undefined
}
