import { cleanText } from '../../text/clean-text.js'
import { capped } from '../../text/cut.js'
import { isBase64 } from '../../tools/content.js'
import { mediaNotice, type OutcomePart, textPart } from './model-outcome.js'

/** First characters of common image types in base64. Providers refuse a whole conversation over one mislabelled image. */
const beginnings = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGODdh', 'image/gif'],
  ['R0lGODlh', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const

const mediaTypes = /^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/

/** Returns media for the model, or a text that says why they are left out. */
export function mediaPart(data: unknown, claimed: unknown, shows: (mediaType: string) => boolean): OutcomePart {
  const mediaType = typeof claimed === 'string' ? claimed.toLowerCase().split(';')[0]!.trim() : ''
  if (!mediaTypes.test(mediaType)) return textPart('[media dropped: its media type is missing or malformed]')
  if (data === '' || !isBase64(data)) return textPart(`[${mediaType} dropped: its data is not valid base64]`)
  const actual = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1]
  const pretends = actual === undefined && beginnings.some(([, known]) => known === mediaType)
  if (pretends) return textPart(`[${mediaType} dropped: its data is of another type]`)
  const shown = actual ?? mediaType
  return shows(shown) ? { type: 'media', mediaType: shown, data } : textPart(mediaNotice(capped(cleanText(shown), 64)))
}
