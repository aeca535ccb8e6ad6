import { isObject, type Json, type JsonObject } from './value.js'

// Ids and tokens are echoed to their sender, who recognises them by every digit.
const echoedAnywhere = new Set(['progressToken', 'requestId', 'io.modelcontextprotocol/subscriptionId'])
// Below these keys lies what tools and models exchange: there a number is a number, whatever its key.
const ownedByTools = new Set(['arguments', 'structuredContent'])

// In valid JSON a quote right after a name closes a string, and a colon after it makes that string a key.
const echoedInteger = /("(?:id|progressToken|requestId|io\.modelcontextprotocol\/subscriptionId)"\s*:\s*)(-?\d{16,})(?![\d.eE])/g
// Well-formed text holds no half of a surrogate pair, so no string of the sender's begins like this.
const mark = '\ud800'

/** Reads a well-formed text again, with the integers beyond 2^53 that must be echoed as bigint. */
export function parseExact(text: string): Json {
  const marked = text.replace(echoedInteger, (all, key: string, digits: string) =>
    Number.isSafeInteger(Number(digits)) ? all : `${key}"\\ud800${digits}"`,
  )
  const value: Json = JSON.parse(marked)
  const messages = Array.isArray(value) ? value : [value]
  for (const message of messages) if (isObject(message)) restore(message, { isMessage: true, isEchoed: true })
  return value
}

type Place = { isMessage: boolean; isEchoed: boolean }

function restore(object: JsonObject, place: Place): void {
  for (const [key, item] of Object.entries(object)) {
    if (typeof item === 'string' && item.startsWith(mark)) object[key] = integer(item.slice(1), isExact(key, place))
    else restoreInside(item, place.isEchoed && !ownedByTools.has(key))
  }
}

function restoreInside(value: Json | undefined, isEchoed: boolean): void {
  if (Array.isArray(value)) for (const item of value) restoreInside(item, isEchoed)
  else if (isObject(value)) restore(value, { isMessage: false, isEchoed })
}

function isExact(key: string, place: Place): boolean {
  return (place.isMessage && key === 'id') || (place.isEchoed && echoedAnywhere.has(key))
}

function integer(digits: string, exact: boolean): Json {
  // Json has no bigint, because nothing but an id may be one; whoever reads an id expects it (see Id in ../jsonrpc/message).
  return exact ? (BigInt(digits) as unknown as Json) : Number(digits)
}
