import { canonicalJsonInTurns } from '../../bounds/canonical-in-turns.js'
import { isPending, thenOrNow } from '../../bounds/then-or-now.js'
import { canonicalJson, isObject, type Json, type JsonObject, typeOfJson } from '../../json.js'
import { visibleLine } from '../../text/visible.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { frozenCopy } from '../frozen-copy.js'
import { hmacSha256 } from '../hash/hashing.js'
import type { withoutSecrets } from '../sanitize/hide-secrets.js'

/** Describes a value without showing it. Equal values have equal digests, and only the holder of the key can compute them. */
export type Redacted = { readonly type: string; readonly length?: number | undefined; readonly hmac: string }
/** Digest of all arguments. `named` has one of each argument that the tool's input schema names: other names may be secrets themselves. */
export type RedactedArguments = Redacted & { readonly named?: { readonly [name: string]: Redacted } | undefined }

/** Returns the part of the arguments that may be recorded. */
export type Redactor = (call: ToolCall) => JsonObject | Promise<JsonObject>

let hiding: typeof withoutSecrets | undefined
// The patterns are loaded with the first call, because all servers start sooner without them.
const loadHiding = async () => {
  hiding ??= (await import('../sanitize/hide-secrets.js')).withoutSecrets
  return hiding
}

/** The arguments, except for what looks like a secret. */
export const unredacted: Redactor = (call) => thenOrNow(hiding ?? loadHiding(), (hide) => frozenCopy(hide(call.arguments)))

/** Options of `withDigests`. `lazily` is for a log that takes `LazyDigests`, and computes digests later. */
type DigestOptions = { readonly key?: Uint8Array | undefined; readonly each?: boolean; readonly lazily?: boolean }

/** Replaces values by their type, length and HMAC-SHA-256. Equal values can be matched, and none can be read. */
export function withDigests({ key, each = false, lazily = true }: DigestOptions): Redactor {
  let made: ((text: string) => string) | undefined
  // The key is made late, because some runtimes have no randomness before the first request.
  const hmac = (text: string) => {
    made ??= hmacSha256(key ?? crypto.getRandomValues(new Uint8Array(32)))
    return made(text)
  }
  return ({ arguments: given, tool }) => {
    if (!each)
      return thenOrNow(flatCopy(given) ?? canonicalJsonInTurns(given), (kept) =>
        undigested(new LazyDigests(given, hmac, kept), lazily),
      )
    const known = namesOf(tool)
    const names = sortedNames(given).filter((name) => given[name] !== undefined)
    return allTexts(
      names.map((name) => canonicalJsonInTurns(given[name])),
      (texts) => {
        const named: { [name: string]: Redacted } = {}
        let whole = ''
        // The canonical form of all arguments, which contains that of each argument.
        names.forEach((name, at) => {
          const text = texts[at]!
          whole += `${whole && ','}${JSON.stringify(name)}:${text}`
          const shown = known.get(name)
          if (shown !== undefined) named[shown] = digestOf(given[name]!, hmac(text))
        })
        return new ArgumentDigests(digestOf(given, hmac(`{${whole}}`)), named)
      },
    )
  }
}

const allTexts = <R>(texts: readonly (string | Promise<string>)[], next: (texts: readonly string[]) => R): R | Promise<R> =>
  texts.some(isPending) ? Promise.all(texts).then(next) : next(texts as readonly string[]) // none is a promise

/** A log that takes LazyDigests reads no arguments before they are digested. */
const undigested = (lazy: LazyDigests, lazily: boolean) => (lazily ? (lazy as object as ArgumentDigests) : lazy.digests)

/** Recognized by the writer of records, because digests are cheaper to write than any other object. */
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

/** Digests on demand: a digest takes longer than most other work of a call, and many are never read. */
export class LazyDigests {
  readonly characters: number
  readonly #kept: JsonObject | string
  readonly #members: number
  readonly #hmac: (text: string) => string
  #digests: ArgumentDigests | undefined

  /** Keeps a copy or the canonical text of the arguments, because they may change afterwards. */
  constructor(
    given: JsonObject,
    hmac: (text: string) => string,
    kept: FlatCopy | string = flatCopy(given) ?? canonicalJson(given),
  ) {
    const isText = typeof kept === 'string'
    this.#kept = isText ? kept : kept.copy
    this.#members = isText ? Object.values(given).filter((value) => value !== undefined).length : Object.keys(given).length
    this.characters = isText ? kept.length : kept.characters
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

/** Approximate size of a member that is not text. */
const valueWeight = 8

type FlatCopy = { readonly copy: JsonObject; readonly characters: number }

/** Copies arguments without nested values, as most are, because this is quicker than writing them. Undefined for all others. */
function flatCopy(given: JsonObject): FlatCopy | undefined {
  const copy: JsonObject = {}
  let characters = 0
  for (const name of Object.keys(given)) {
    const value = given[name]
    // Setting `__proto__` would set the prototype.
    if ((typeof value === 'object' && value !== null) || name === '__proto__') return undefined
    copy[name] = value as Json // an undefined member is left out of the text, but counted
    characters += name.length + (typeof value === 'string' ? value.length : valueWeight)
  }
  return { copy, characters }
}

/** Sorts the names. Many callers send them in this order already. */
function sortedNames(given: JsonObject): string[] {
  const names = Object.keys(given)
  for (let at = 1; at < names.length; at++) if (names[at - 1]! > names[at]!) return names.sort()
  return names
}

/** Limits, because an untrusted definition may have any number of names, of any length. */
const mostNamed = 64
const longestName = 128
const names = new WeakMap<ReadyTool, ReadonlyMap<string, string>>()

/** The names of a tool's arguments, and the form in which they are shown. */
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

/** Always has the same members, because the engine handles objects of one shape more quickly. */
const digestOf = (value: Json, hmac: string): Redacted => ({ type: typeOfJson(value), length: lengthOf(value), hmac })

function lengthOf(value: Json): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : undefined
}
