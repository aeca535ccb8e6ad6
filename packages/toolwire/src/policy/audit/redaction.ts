import { canonicalJson, isObject, type Json, type JsonObject, typeOfJson } from '../../json.js'
import { visibleLine } from '../../text/visible.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { frozenCopy } from '../frozen-copy.js'
import { hmacSha256 } from '../hash/hashing.js'
import { withoutSecrets } from '../sanitize/hide-secrets.js'

/** Describes a value without showing it. Equal values have equal digests, and only the holder of the key can compute them. */
export type Redacted = { readonly type: string; readonly length?: number | undefined; readonly hmac: string }
/** The arguments as a whole; and where that is wanted, each that the tool's input schema names: other names may be secrets themselves. */
export type RedactedArguments = Redacted & { readonly named?: { readonly [name: string]: Redacted } | undefined }

/** What of the arguments may be written down. */
export type Redactor = (call: ToolCall) => JsonObject | Promise<JsonObject>

/** The arguments as they are, but for what looks like a secret. */
export const unredacted: Redactor = (call) => frozenCopy(withoutSecrets(call.arguments))

/** How arguments are digested; `lazily` where the log can wait for digests, and is given what these are made of. */
type DigestOptions = { readonly key?: Uint8Array | undefined; readonly each?: boolean; readonly lazily?: boolean }

/** Replaces values by their type, their length and an HMAC-SHA-256, so that equal values can be matched and none be read. */
export function withDigests({ key, each = false, lazily = true }: DigestOptions): Redactor {
  let made: ((text: string) => string) | undefined
  // Some runtimes have no randomness to give before the first request.
  const hmac = (text: string) => {
    made ??= hmacSha256(key ?? crypto.getRandomValues(new Uint8Array(32)))
    return made(text)
  }
  return ({ arguments: given, tool }) => {
    if (!each) return undigested(new LazyDigests(given, hmac), lazily)
    const known = namesOf(tool)
    const named: { [name: string]: Redacted } = {}
    let whole = ''
    // The canonical form, of which that of each argument is a part.
    for (const name of sortedNames(given)) {
      const value = given[name]
      if (value === undefined) continue
      const text = canonicalJson(value)
      whole += `${whole && ','}${JSON.stringify(name)}:${text}`
      const shown = known.get(name)
      if (shown !== undefined) named[shown] = digestOf(value, hmac(text))
    }
    return new ArgumentDigests(digestOf(given, hmac(`{${whole}}`)), named)
  }
}

/** A log that can wait for digests reads no arguments before it has them. */
const undigested = (lazy: LazyDigests, lazily: boolean) => (lazily ? (lazy as object as ArgumentDigests) : lazy.digests)

/** Known by its class to who writes it down: made by us, it is written with less effort than what may hold anything. */
export class ArgumentDigests implements RedactedArguments {
  readonly type: string
  readonly length: number | undefined
  readonly hmac: string
  readonly named: { [name: string]: Redacted } | undefined
  readonly [other: string]: Json | undefined

  constructor({ type, length, hmac }: Redacted, named?: { [name: string]: Redacted }) {
    this.type = type
    this.length = length
    this.hmac = hmac
    this.named = named
  }
}

/** A digest takes longer than most of what is done with a call, and of many nobody ever asks for it. */
export class LazyDigests {
  readonly characters: number
  readonly #kept: JsonObject | string
  readonly #members: number
  readonly #hmac: (text: string) => string
  #digests: ArgumentDigests | undefined

  /** The arguments may change from now on. */
  constructor(given: JsonObject, hmac: (text: string) => string) {
    const flat = flatCopy(given)
    this.#kept = flat?.copy ?? canonicalJson(given)
    this.#members = flat ? Object.keys(given).length : Object.values(given).filter((value) => value !== undefined).length
    this.characters = flat?.characters ?? (this.#kept as string).length // there is a text where there is no copy
    this.#hmac = hmac
  }

  get digests(): ArgumentDigests {
    this.#digests ??= this.#digested()
    return this.#digests
  }

  #digested(): ArgumentDigests {
    const text = typeof this.#kept === 'string' ? this.#kept : canonicalJson(this.#kept)
    return new ArgumentDigests({ type: 'object', length: this.#members, hmac: this.#hmac(text) })
  }
}

/** What a member that is no text takes, about. */
const valueWeight = 8

/** Most arguments hold nothing that could be changed from elsewhere: copying them is quicker than writing them. */
function flatCopy(given: JsonObject): { readonly copy: JsonObject; readonly characters: number } | undefined {
  const copy: JsonObject = {}
  let characters = 0
  for (const name of Object.keys(given)) {
    const value = given[name]
    // Setting `__proto__` does something else.
    if ((typeof value === 'object' && value !== null) || name === '__proto__') return undefined
    copy[name] = value as Json // an undefined one is left out of the text, and counted, as it was
    characters += name.length + (typeof value === 'string' ? value.length : valueWeight)
  }
  return { copy, characters }
}

/** Callers who take the names from a schema send them in the same order each time, and often in this one. */
function sortedNames(given: JsonObject): string[] {
  const names = Object.keys(given)
  for (let at = 1; at < names.length; at++) if (names[at - 1]! > names[at]!) return names.sort()
  return names
}

/** The definition is a stranger's, so there may be any number of names in it, of any length. */
const mostNamed = 64
const longestName = 128
const names = new WeakMap<ReadyTool, ReadonlyMap<string, string>>()

/** What a tool calls its arguments, and how that is shown. */
function namesOf(tool: ReadyTool): ReadonlyMap<string, string> {
  const known = names.get(tool)
  if (known) return known
  const { properties } = tool.listed.inputSchema
  const named = isObject(properties) ? Object.keys(properties).slice(0, mostNamed).filter(isRecordableName) : []
  const shown = new Map(named.map((name) => [name, visibleLine(name)]))
  names.set(tool, shown)
  return shown
}

/** Setting `__proto__` would set the prototype. A name that is left out still counts in the digest of the whole. */
const isRecordableName = (name: string): boolean => name.length <= longestName && name !== '__proto__'

/** Always of the same members, because objects that look alike are handled more quickly. */
const digestOf = (value: Json, hmac: string): Redacted => ({ type: typeOfJson(value), length: lengthOf(value), hmac })

function lengthOf(value: Json): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : undefined
}
