import { comparableName, foldText } from '../../text/folded-text.js'
import { normalized } from '../../text/normalized.js'
import { visibleLine } from '../../text/visible.js'
import type { ScanFinding } from './advice.js'
import type { OtherNames, OtherTool } from './find-mentions.js'

const words = /[\p{L}\p{N}\p{M}]+/gu
const ascii = /^[ -~]*$/
const asciiLetter = /[a-z]/i
const plainWord = /^[a-z0-9]+$/
const latin = /\p{Script=Latin}/u
const twins = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u
const accents = /\p{M}/gu
const shortest = 3
const shortestForTypos = 4

const wordWhy = 'One word mixes letters of different scripts that look alike, so it may be meant to look like another word.'
const nameWhy = 'The name has letters that look like others, and may be meant to look like another name.'

/** Finds a word that mixes scripts so that it looks like a plain one. */
export function findMixedWord(text: string): ScanFinding | undefined {
  if (ascii.test(text)) return undefined
  for (const { 0: word, index } of text.matchAll(words)) {
    if (isMixed(word)) return { kind: 'look-alike', at: index, why: wordWhy, holds: false }
  }
  return undefined
}

function isMixed(word: string): boolean {
  if (word.length < shortest || !asciiLetter.test(word)) return false
  const bare = normalized(word, 'NFD').replace(accents, '')
  return !ascii.test(bare) && plainWord.test(foldText(word).text)
}

/**
 * Finds a name that looks like another name, or is disguised. Other characters that look the same are a disguise. Names that differ in
 * spelling, or in one letter, are often chosen independently.
 */
export function findLookAlike(name: string, others: OtherNames): ScanFinding | undefined {
  const key = comparableName(name)
  const spelling = spellingOf(name)
  const same = others.get(key)
  if (same) return likeFinding(likeOf(same), spelling !== spellingOf(same.name))
  const alike = others.alike(name)
  if (alike) return likeFinding(likeOf(alike), comparableName(alike.name) !== key || spelling !== spellingOf(alike.name))
  const other = key.length < shortestForTypos ? undefined : nearest(key, others)
  if (other) return likeFinding(likeOf(other), false)
  return isDisguised(name) ? likeFinding(nameWhy, mixesScripts(name)) : undefined
}

const likeFinding = (why: string, holds: boolean): ScanFinding => ({ kind: 'look-alike', at: 0, why, holds })

const spellingOf = (name: string): string => name.toLowerCase().replace(/[\s_.:/-]+/g, '')

function isDisguised(name: string): boolean {
  const bare = normalized(name, 'NFD').replace(accents, '')
  if (ascii.test(bare)) return false
  return ascii.test(foldText(name).text) || mixesScripts(name)
}

function mixesScripts(name: string): boolean {
  const parts = normalized(name, 'NFD').replace(accents, '').match(words) ?? []
  return parts.some((part) => latin.test(part) && twins.test(part))
}

const likeOf = ({ server, name }: OtherTool): string =>
  `The name may be taken for ${visibleLine(name)}${server === undefined ? '' : ` of ${visibleLine(server)}`}.`

function nearest(key: string, others: OtherNames): OtherTool | undefined {
  for (const [other, tool] of others.some()) if (other.length >= shortestForTypos && isOneAway(key, other)) return tool
  return undefined
}

/** True if one letter is added, removed or replaced, or two neighbours have swapped places. */
function isOneAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  const most = Math.min(one.length, other.length) - start
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
