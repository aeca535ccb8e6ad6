// Pictures that a server points at. Nothing here fetches them: client/icons/fetch-icon.ts does.
import { isObject, type Json, type JsonObject } from '../../json.js'
import type { Icon } from '../content.js'

const mostKept = 32
const none: readonly Icon[] = []
const safe = /^(?:https:\/\/|data:image\/)/i

/** Keeps the icons that are safe to show: https URLs and inline images. Other URLs could run or reach something. */
export function safeIcons(value: Json | undefined): readonly Icon[] {
  if (!Array.isArray(value)) return none
  return value.slice(0, mostKept).flatMap((icon) => {
    if (!isObject(icon) || typeof icon.src !== 'string' || !safe.test(icon.src)) return []
    const { src, mimeType, sizes, theme } = icon
    return [
      {
        src,
        ...(typeof mimeType === 'string' && { mimeType }),
        ...(Array.isArray(sizes) && { sizes: sizes.filter((size) => typeof size === 'string') }),
        ...((theme === 'light' || theme === 'dark') && { theme }),
      },
    ]
  })
}

export const withSafeIcons = (entry: JsonObject): JsonObject =>
  // Icons are JSON; their type is only stricter, for example with read-only lists.
  entry.icons === undefined ? entry : { ...entry, icons: safeIcons(entry.icons) as unknown as Json }
