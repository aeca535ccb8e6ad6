import { encodeJson, isObject, type Json, type JsonObject } from '../../json.js'
import { isIconUrl } from '../../text/links.js'
import { isNamedSecret } from '../../text/secrets/value-secrets.js'
import { visibleLine } from '../../text/visible.js'
import { type Content, isBase64 } from '../../tools/content.js'
import type { ToolResult } from '../../tools/result.js'
import { cutText, fitNotedText } from './clean-characters.js'
import { findingsKey } from './findings-key.js'
import { removalNotice } from './notices.js'
import type { Findings, SanitizeSizes } from './sanitize-rules.js'

/** By what a result is cleaned. */
type CleanerSettings = {
  readonly sizes: SanitizeSizes
  readonly isLink: (uri: unknown) => boolean
  readonly clean: (text: string) => string
  readonly note: (text: string) => string
}

/** Cleans one result. */
export class ContentCleaner {
  readonly #findings: Findings
  readonly #by: CleanerSettings
  #renamed = 0

  constructor(findings: Findings, by: CleanerSettings) {
    this.#findings = findings
    this.#by = by
  }

  result({ content, structured, isError, meta }: ToolResult): ToolResult {
    const { [findingsKey]: _forged, ...theirs } = meta ?? {}
    const cleaned = {
      content: this.#content(content),
      isError,
      ...(structured !== undefined && { structured: this.json(structured) }),
    }
    const about = this.#object(theirs, 0)
    const findings = this.#findings.all()
    if (findings.length > 0) return { ...cleaned, meta: { ...about, [findingsKey]: findings } }
    return meta ? { ...cleaned, meta: about } : cleaned
  }

  /** The value with what was found so far in its `_meta`. */
  marked<T extends object>(value: T): T {
    const { _meta, ...rest } = value as JsonObject
    const { [findingsKey]: _forged, ...theirs } = isObject(_meta) ? _meta : {}
    const findings = this.#findings.all()
    const meta = { ...theirs, ...(findings.length > 0 && { [findingsKey]: findings }) }
    return { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) } as T // what it was, with another `_meta`
  }

  /** Whether a link may lead there, or else what was found is only told. */
  mayLead(uri: Json | undefined): boolean {
    return this.#by.isLink(uri) || !this.#findings.found('links')
  }

  /** The value with all of its texts and names cleaned. Where nothing in it changes, it is the value itself, because most are clean. */
  json(value: Json, depth = 0): Json {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= this.#by.sizes.depth && this.#findings.tooDeep()) return value
    return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth)
  }

  #array(items: readonly Json[], depth: number): Json {
    let cleaned: Json[] | undefined
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as Json // the index is within it
      const value = this.json(item, depth + 1)
      if (value !== item) cleaned ??= items.slice(0, at)
      cleaned?.push(value)
    }
    return cleaned ?? (items as Json[])
  }

  text(text: string): string {
    const most = this.#by.sizes.text
    const plain = this.#by.clean(cutText(text, most, this.#findings))
    const noted = this.#by.note(plain)
    if (noted === plain || noted.length <= most || !this.#findings.takesOut('size')) return noted
    if (text.length <= most) this.#findings.found('size')
    return fitNotedText(noted, { most, was: text.length, note: this.#by.note })
  }

  /** A secret may be told only by the name that it stands under. */
  #member(name: string, value: Json, depth: number): Json {
    const cleaned = this.json(value, depth)
    if (typeof cleaned !== 'string' || !this.#findings.isOn('secrets') || !isNamedSecret(name, cleaned)) return cleaned
    return this.#findings.found('secrets', 1, 'assigned-secret') ? removalNotice('secrets', 'assigned-secret') : cleaned
  }

  #object(object: JsonObject, depth: number): JsonObject {
    let cleaned: Map<string, Json | undefined> | undefined
    const names = Object.keys(object)
    for (const [at, name] of names.entries()) {
      const item = object[name]
      const value = item === undefined || isMedia(name, item) ? item : this.#member(name, item, depth + 1)
      const free = this.#name(name, (other) => cleaned?.has(other) || Object.hasOwn(object, other))
      if (value !== item || free !== name) cleaned ??= new Map(names.slice(0, at).map((before) => [before, object[before]]))
      cleaned?.set(free, value)
    }
    return cleaned ? Object.fromEntries(cleaned) : object
  }

  /** A name that would become another one that is there is written with escapes or a number instead, so that nothing is lost. */
  #name(name: string, isTaken: (name: string) => boolean): string {
    const cleaned = this.text(name)
    if (cleaned === name || !isTaken(cleaned)) return cleaned
    const written = this.#by.note(visibleLine(name))
    let free = written
    while (isTaken(free)) free = `${written} (${++this.#renamed})`
    return free
  }

  #content(blocks: readonly Content[]): Content[] {
    const { kept, notice } = this.firstOf(blocks)
    const cleaned = kept.map((block) => this.blockAlone(block))
    return notice === undefined ? cleaned : [...cleaned, text(notice)]
  }

  /** As many as are let through, and what is said instead of the rest. */
  firstOf<T>(blocks: readonly T[]): { readonly kept: readonly T[]; readonly notice?: string } {
    const most = this.#by.sizes.blocks
    if (blocks.length <= most || !this.#findings.found('size', blocks.length - most)) return { kept: blocks }
    const notice = `[cut: these are the first ${most - 1} of ${blocks.length} blocks]`
    return { kept: blocks.slice(0, most - 1), notice }
  }

  blockAlone(block: Content): Content {
    const cleaned = this.json(block as object as JsonObject) // a block is JSON
    if (!isObject(cleaned)) return text(Array.isArray(cleaned) ? encodeJson(cleaned) : String(cleaned))
    const withIcons = this.#icons(cleaned)
    const fault = this.#fault(withIcons)
    // Its texts are other texts now, and all else is as it was.
    return fault === undefined ? (withIcons as object as Content) : text(`[left out: ${fault}]`)
  }

  /** Why a block is to be left out. */
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
    return this.mayLead(uri) ? undefined : `${what} to where none may lead`
  }

  #icons(block: JsonObject): JsonObject {
    if (!Array.isArray(block.icons)) return block
    const shown = block.icons.filter((icon) => isObject(icon) && isIconUrl(icon.src))
    const dropped = block.icons.length - shown.length
    return dropped > 0 && this.#findings.found('links', dropped) ? { ...block, icons: shown } : block
  }
}

/** Base64 holds nothing that a person would read, and cut it would be of no use. */
const isMedia = (name: string, value: Json) => (name === 'data' || name === 'blob') && isBase64(value)
const text = (words: string): Content => ({ type: 'text', text: words })

const mediaType = /^[a-z]{1,32}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?:;.*)?$/i

/** How files of common types begin, in base64. */
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

/** What is wrong with a picture or a sound; undefined when it is what it says. */
function mediaFault(kind: 'image' | 'audio', { data, mimeType }: JsonObject): string | undefined {
  if (!isBase64(data)) return 'its data is not base64'
  if (typeof mimeType !== 'string' || !mediaType.test(mimeType)) return 'it does not say of which media type it is'
  const claimed = mimeType.toLowerCase().split(';', 1)[0]
  if (!claimed?.startsWith(`${kind}/`)) return `its media type is not one of ${kind}`
  const actual = beginnings.find(([start]) => data.startsWith(start))?.[1]
  return actual && actual !== claimed ? `its data is ${actual}, not what it says` : undefined
}
