// The content blocks of a tool result. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
import type { JsonObject } from '../json.js'

/** The intended audience of a block, its importance and its age. */
export type Annotations = { audience?: readonly ('user' | 'assistant')[]; priority?: number; lastModified?: string }
/** A picture of a tool, a resource, a prompt or the server. */
export type Icon = { src: string; mimeType?: string; sizes?: readonly string[]; theme?: 'light' | 'dark' }

export type ContentMetadata = { annotations?: Annotations; _meta?: JsonObject }

export type TextContent = ContentMetadata & { type: 'text'; text: string }
export type ImageContent = ContentMetadata & { type: 'image'; data: string; mimeType: string }
export type AudioContent = ContentMetadata & { type: 'audio'; data: string; mimeType: string }
export type ResourceLink = ContentMetadata & {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
  icons?: readonly Icon[]
}
/** The contents of a resource, as text or as base64. */
export type ResourceContents = { uri: string; mimeType?: string; _meta?: JsonObject } & ({ text: string } | { blob: string })
export type EmbeddedResource = ContentMetadata & { type: 'resource'; resource: ResourceContents }

/** A content block of a tool result. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/** Encodes bytes as standard base64; a string is returned as it is. */
export function base64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  let binary = ''
  for (let at = 0; at < data.length; at += 32_768) binary += String.fromCharCode(...data.subarray(at, at + 32_768))
  return btoa(binary)
}

export const base64Url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export const isBase64 = (data: unknown): data is string =>
  typeof data === 'string' && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
