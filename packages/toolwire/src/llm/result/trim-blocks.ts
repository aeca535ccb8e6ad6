import { cleanText } from '../../text/clean-text.js'
import { cut } from '../../text/cut.js'
import { mediaNotice, type OutcomePart, textPart } from './model-outcome.js'
import type { ReadBlock } from './read-blocks.js'

/** Limits on one result that a model reads, in characters. */
export type ResultLimits = {
  text: number
  /** Of images and other media, in base64. */
  media: number
}
export const defaultResultLimits: ResultLimits = { text: 100_000, media: 5_000_000 }

type RemainingLimits = ResultLimits & { raw: number; blocks: number; characters: number }

/** Raw characters to clean for each shown one, limited because text full of hidden characters takes time and shows nothing. */
const rawPerShown = 2

/** Keeps as much cleaned content as fits, in the order it came. Blocks of lower priority are dropped first. */
export function trimBlocks(blocks: readonly ReadBlock[], limits: ResultLimits): OutcomePart[] {
  const left: RemainingLimits = { ...limits, raw: limits.text * rawPerShown, blocks: 0, characters: 0 }
  const fitted = new Map<ReadBlock, OutcomePart | undefined>()
  // Sorting is stable, so of equals the earlier stays.
  for (const block of blocks.toSorted((a, b) => b.priority - a.priority)) fitted.set(block, fit(block.part, left))
  const parts = blocks.map((block) => fitted.get(block)).filter((part) => part !== undefined)
  return left.blocks === 0 ? parts : [...parts, textPart(`[${left.blocks} more, ${left.characters} characters, left out]`)]
}

function fit(part: OutcomePart, left: RemainingLimits): OutcomePart | undefined {
  if (part.type === 'text') return fitText(part.text, left)
  const fits = part.data.length <= left.media
  if (fits) left.media -= part.data.length
  return fits ? part : fitText(`${mediaNotice(part.mediaType).slice(0, -1)}, it is too large]`, left)
}

function fitText(raw: string, left: RemainingLimits): OutcomePart | undefined {
  if (left.text <= 0 || left.raw <= 0) return skip(raw, left)
  const looked = cut(raw, left.raw)
  const text = cleanText(looked)
  const kept = cut(text, left.text)
  left.raw -= looked.length
  // One more for the line break, so that empty blocks run out too.
  left.text -= kept.length + 1
  const whole = text.length + raw.length - looked.length
  const lost = whole - kept.length
  return textPart(lost === 0 ? text : `${kept}\n[cut here: ${lost} of ${whole} characters left out]`)
}

function skip(text: string, left: RemainingLimits): undefined {
  left.blocks += 1
  left.characters += text.length
}
