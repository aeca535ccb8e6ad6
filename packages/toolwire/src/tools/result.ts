import type { Json, JsonObject } from '../json.js'
import { checkContent } from './checks/check-content.js'
import { checkMetaKeys } from './checks/meta-keys.js'
import { base64, type Content, type ContentMetadata, type ResourceContents, type ResourceLink } from './content.js'

/** The result of a call, before a revision encodes it. `structured` is undefined if there is none; null is a value. */
export type ToolResult = { content: readonly Content[]; structured?: Json; isError: boolean; meta?: JsonObject }

/**
 * A result built with `reply.*`. The type parameter is its structured value; an error needs none.
 *
 * @example
 * ```ts
 * const isReply = (result: unknown) => result instanceof Reply
 * ```
 */
export class Reply<T = undefined> {
  declare readonly '~structured': T
  readonly content: readonly Content[]
  readonly structured: Json | undefined
  readonly isError: boolean
  readonly meta: JsonObject | undefined

  constructor(result: { content: readonly Content[]; structured?: Json; isError?: boolean; meta?: JsonObject }) {
    result.content.forEach(checkContent)
    this.content = result.content
    this.structured = result.structured
    this.isError = result.isError ?? false
    this.meta = result.meta
  }

  /** Returns a copy with `_meta` added, under keys with your own prefix such as `com.example/trace`. */
  withMeta(meta: JsonObject): Reply<T> {
    checkMetaKeys(meta)
    return new Reply<T>({ ...this, meta: { ...this.meta, ...meta } } as never) // own fields, spread again
  }
}

/** Checks `_meta` of a block made here. Blocks made elsewhere may have any `_meta` and are passed on unchanged. */
function singleBlock(block: Content): Reply {
  checkMetaKeys(block._meta)
  if (block.type === 'resource') checkMetaKeys(block.resource._meta)
  return new Reply({ content: [block] })
}

/**
 * Builds results other than a plain string or the declared output.
 *
 * @example
 * ```ts
 * const greet = tool({ description: 'Greets', run: () => reply.text('Hello') })
 * ```
 */
export const reply = {
  text: (text: string, about: ContentMetadata = {}) => singleBlock({ type: 'text', text, ...about }),
  image: (data: Uint8Array | string, mimeType: string, about: ContentMetadata = {}) =>
    singleBlock({ type: 'image', data: base64(data), mimeType, ...about }),
  audio: (data: Uint8Array | string, mimeType: string, about: ContentMetadata = {}) =>
    singleBlock({ type: 'audio', data: base64(data), mimeType, ...about }),
  link: (link: Omit<ResourceLink, 'type'>) => singleBlock({ type: 'resource_link', ...link }),
  resource: (resource: ResourceContents, about: ContentMetadata = {}) => singleBlock({ type: 'resource', resource, ...about }),
  /** Several blocks in one result. */
  content: (...blocks: (Content | Reply<unknown>)[]) =>
    new Reply({ content: blocks.flatMap((block) => (block instanceof Reply ? block.content : [block])) }),
  /** The declared output together with blocks of your own. A copy as JSON text is added for older clients. */
  structured: <T>(value: T, ...blocks: (Content | Reply<unknown>)[]) =>
    new Reply<T>({ structured: value as Json, content: reply.content(...blocks).content }), // checked against the output schema when the call ends
  /** Reports a failure of the tool; the model reads the message. */
  error: (message: string) => new Reply<never>({ content: [{ type: 'text', text: message }], isError: true }),
}

export const errorResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

/**
 * An error whose message the model may read; the message of any other error is masked.
 *
 * @example
 * ```ts
 * throw new ToolError('There is no order with this number. Search for it by date.')
 * ```
 */
export class ToolError extends Error {
  override name = 'ToolError'
}
