import { finish, type Steps } from '../../bounds/steps.js'
import { encodeJson, isObject, type Json, type JsonObject } from '../../json.js'
import { isIconUrl } from '../../text/links.js'
import { isNamedSecret } from '../../text/secrets/value-secrets.js'
import { visibleLine } from '../../text/visible.js'
import { base64, type Content, isBase64 } from '../../tools/content.js'
import type { ToolResult } from '../../tools/result.js'
import { cutText, fitNotedText } from './clean-characters.js'
import { findingsKey } from './findings-key.js'
import { removalNotice } from './notices.js'
import type { Findings, SanitizeSizes } from './sanitize-rules.js'
import { textInData } from './text-in-data.js'

type CleanerSettings = {
  readonly sizes: SanitizeSizes
  readonly isLink: (uri: unknown) => boolean
  readonly clean: (text: string) => string
  readonly cleanSteps: (text: string) => Steps<string>
  /** True only if `note` has nothing to find. */
  readonly isQuiet: (text: string) => boolean
  readonly note: (text: string) => Steps<string>
}

/** Yields to other work after this many characters. Each value counts as some of them. */
const stepSize = 32_768
const perValue = 64
/** Longer texts are searched step by step. */
const shortText = 4_096

export class ContentCleaner {
  readonly #findings: Findings
  readonly #by: CleanerSettings
  #sinceStep = 0
  #renamed = 0
  /** The objects that hold media, with the name of that member. */
  #media: ReadonlyMap<Json, string> = noMedia

  constructor(findings: Findings, by: CleanerSettings) {
    this.#findings = findings
    this.#by = by
  }

  *result({ content, structured, isError, meta }: ToolResult): Steps<ToolResult> {
    const { [findingsKey]: _forged, ...theirs } = meta ?? {}
    const cleaned = {
      content: yield* this.#content(content),
      isError,
      ...(structured !== undefined && { structured: yield* this.json(structured) }),
    }
    const about = yield* this.#object(theirs, 0)
    const findings = this.#findings.all()
    if (findings.length > 0) return { ...cleaned, meta: { ...about, [findingsKey]: findings } }
    return meta ? { ...cleaned, meta: about } : cleaned
  }

  /** The value, with the findings so far in its `_meta`. */
  marked<T extends object>(value: T): T {
    const { _meta, ...rest } = value as JsonObject
    const { [findingsKey]: _forged, ...theirs } = isObject(_meta) ? _meta : {}
    const findings = this.#findings.all()
    const meta = { ...theirs, ...(findings.length > 0 && { [findingsKey]: findings }) }
    return { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) } as T // the same type, with another `_meta`
  }

  /** True if the link is allowed, or if forbidden links are only reported. */
  mayLead(uri: Json | undefined): boolean {
    return this.#by.isLink(uri) || !this.#findings.found('links')
  }

  /** Cleans a value that holds these content blocks. Their media are left as they are, unless they are text. */
  *withMedia(value: Json, blocks: readonly Json[]): Steps<Json> {
    this.#media = new Map(blocks.flatMap(mediaIn))
    const cleaned = yield* this.json(value)
    this.#media = noMedia
    return cleaned
  }

  /** Cleans all texts and names of a value. If nothing changes, it returns the value itself, because most values are clean. */
  *json(value: Json, depth = 0): Steps<Json> {
    this.#sinceStep += perValue
    if (this.#sinceStep > stepSize) {
      yield
      this.#sinceStep = 0
    }
    if (typeof value === 'string') return yield* this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= this.#by.sizes.depth && this.#findings.tooDeep()) return value
    return yield* Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth)
  }

  /** Cleans a value that needs no step of its own, as most do; undefined for all others. */
  #small(value: Json): Json | undefined {
    if (this.#sinceStep > stepSize) return undefined
    if (typeof value !== 'string') return typeof value === 'object' ? undefined : value
    if (value.length > shortText) return undefined
    this.#sinceStep += perValue + value.length
    const plain = this.#by.clean(cutText(value, this.#by.sizes.text, this.#findings))
    return this.#by.isQuiet(plain) ? plain : finish(this.#noted(plain, value.length))
  }

  *#array(items: readonly Json[], depth: number): Steps<Json> {
    let cleaned: Json[] | undefined
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as Json // the index is within it
      const value = this.#small(item) ?? (yield* this.json(item, depth + 1))
      if (value !== item) cleaned ??= items.slice(0, at)
      cleaned?.push(value)
    }
    return cleaned ?? (items as Json[])
  }

  *text(text: string): Steps<string> {
    this.#sinceStep += text.length
    const clean = yield* this.#by.cleanSteps(cutText(text, this.#by.sizes.text, this.#findings))
    return yield* this.#noted(clean, text.length)
  }

  *#noted(plain: string, was: number): Steps<string> {
    const { sizes, note } = this.#by
    const noted = yield* note(plain)
    if (noted === plain || noted.length <= sizes.text || !this.#findings.takesOut('size')) return noted
    if (was <= sizes.text) this.#findings.found('size')
    return yield* fitNotedText(noted, { most: sizes.text, was, note })
  }

  /** Replaces a secret that only the name of its member reveals. */
  #member(name: string, cleaned: Json): Json {
    if (typeof cleaned !== 'string' || !this.#findings.isOn('secrets') || !isNamedSecret(name, cleaned)) return cleaned
    return this.#findings.found('secrets', 1, 'assigned-secret') ? removalNotice('secrets', 'assigned-secret') : cleaned
  }

  *#object(object: JsonObject, depth: number): Steps<JsonObject> {
    let cleaned: Map<string, Json | undefined> | undefined
    const names = Object.keys(object)
    const media = this.#media.get(object)
    for (const [at, name] of names.entries()) {
      const item = object[name]
      const isData = name === media && isBase64(item)
      const value = isData
        ? yield* this.#data(item, object.mimeType)
        : item && this.#member(name, this.#small(item) ?? (yield* this.json(item, depth + 1)))
      const shown = String(this.#small(name) ?? (yield* this.text(name)))
      const isTaken = (other: string) => cleaned?.has(other) || Object.hasOwn(object, other)
      const free = shown === name || !isTaken(shown) ? shown : yield* this.#freeName(name, isTaken)
      if (value !== item || free !== name) cleaned ??= new Map(names.slice(0, at).map((before) => [before, object[before]]))
      cleaned?.set(free, value)
    }
    return cleaned ? Object.fromEntries(cleaned) : object
  }

  /** Cleans data that is text, because clients show it as such. All other data is left as it is. */
  *#data(data: string, mimeType: Json | undefined): Steps<string> {
    const written = yield* textInData(data, mimeType)
    if (written === undefined) return data
    const clean = yield* this.text(written)
    return clean === written ? data : base64(encoder.encode(clean))
  }

  /** Writes a name with escapes or a number if another member has the cleaned name already, so that nothing is lost. */
  *#freeName(name: string, isTaken: (name: string) => boolean | undefined): Steps<string> {
    const written = yield* this.#by.note(visibleLine(name))
    let free = written
    while (isTaken(free)) free = `${written} (${++this.#renamed})`
    return free
  }

  *#content(blocks: readonly Content[]): Steps<Content[]> {
    const { kept, notice } = this.firstOf(blocks)
    const cleaned: Content[] = []
    for (const block of kept) cleaned.push(yield* this.blockAlone(block))
    return notice === undefined ? cleaned : [...cleaned, text(notice)]
  }

  /** The blocks within the limit, and a notice in place of the rest. */
  firstOf<T>(blocks: readonly T[]): { readonly kept: readonly T[]; readonly notice?: string } {
    const most = this.#by.sizes.blocks
    if (blocks.length <= most || !this.#findings.found('size', blocks.length - most)) return { kept: blocks }
    const notice = `[cut: these are the first ${most - 1} of ${blocks.length} blocks]`
    return { kept: blocks.slice(0, most - 1), notice }
  }

  *blockAlone(block: Content): Steps<Content> {
    const json = block as object as JsonObject // a block is JSON
    const cleaned = yield* this.withMedia(json, [json])
    if (!isObject(cleaned)) return text(Array.isArray(cleaned) ? encodeJson(cleaned) : String(cleaned))
    const withIcons = this.#icons(cleaned)
    const fault = this.#fault(withIcons)
    // Only its texts have changed.
    return fault === undefined ? (withIcons as object as Content) : text(`[left out: ${fault}]`)
  }

  /** The reason to leave a block out; undefined if there is none. */
  #fault(block: JsonObject): string | undefined {
    const { type } = block
    if (type === 'image' || type === 'audio') {
      const fault = mediaFault(type, block)
      return fault && this.#findings.found('media') ? `${type}: ${fault}` : undefined
    }
    if (type === 'resource_link') return this.#link('a link', block.uri)
    if (type !== 'resource' || !isObject(block.resource)) return undefined
    const { uri, blob } = block.resource
    if (blob !== undefined && !isBase64(blob) && this.#findings.found('media')) return 'a resource whose data is not base64'
    return this.#link('a resource', uri)
  }

  #link(what: string, uri: Json | undefined): string | undefined {
    return this.mayLead(uri) ? undefined : `${what} with a scheme that is not allowed`
  }

  #icons(block: JsonObject): JsonObject {
    if (!Array.isArray(block.icons)) return block
    const shown = block.icons.filter((icon) => isObject(icon) && isIconUrl(icon.src))
    const dropped = block.icons.length - shown.length
    return dropped > 0 && this.#findings.found('links', dropped) ? { ...block, icons: shown } : block
  }
}

const noMedia: ReadonlyMap<Json, string> = new Map()
const encoder = new TextEncoder()

/** The member of a block that holds media. Members of the same names in other places are texts: a secret may be valid base64. */
function mediaIn(block: Json): [holder: Json, name: string][] {
  if (!isObject(block)) return []
  const { type, resource } = block
  if (type === 'image' || type === 'audio') return [[block, 'data']]
  return type === 'resource' && isObject(resource) ? [[resource, 'blob']] : []
}

const text = (words: string): Content => ({ type: 'text', text: words })

const mediaType = /^[a-z]{1,32}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?:;.*)?$/i

/** Beginnings of files of common types, in base64. */
const beginnings = [
  ['iVBORw0KGg', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi', 'application/pdf'],
  ['UEsDB', 'application/zip'],
  ['TVqQ', 'application/vnd.microsoft.portable-executable'],
  ['f0VMR', 'application/x-elf'],
  ['PCFET0NUWVBF', 'text/html'],
  ['PGh0bW', 'text/html'],
] as const

/** The fault of an image or a sound; undefined if its data matches its media type. */
function mediaFault(kind: 'image' | 'audio', { data, mimeType }: JsonObject): string | undefined {
  if (!isBase64(data)) return 'its data is not base64'
  if (typeof mimeType !== 'string' || !mediaType.test(mimeType)) return 'it has no valid media type'
  const claimed = mimeType.toLowerCase().split(';', 1)[0]
  if (!claimed?.startsWith(`${kind}/`)) return `its media type is not ${kind}/*`
  const actual = beginnings.find(([start]) => data.startsWith(start))?.[1]
  return actual && actual !== claimed ? `its data is ${actual}, which differs from its media type` : undefined
}
