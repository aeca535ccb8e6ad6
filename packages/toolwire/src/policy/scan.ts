import type { JsonObject } from '../json.js'
import { type Advice, excerptOf, type Find } from './scan/advice.js'
import { folded, lettersOf } from './scan/folded.js'
import { hiddenIn } from './scan/hidden.js'
import { instructionsIn } from './scan/instructions.js'
import { type Leaf, leavesOf } from './scan/leaves.js'
import { lookAlikeOf, mixedWordIn } from './scan/look-alikes.js'
import { mentionIn, namesOf, type OtherNames, type OtherTool } from './scan/mentions.js'
import { fileWhy, secretsIn } from './scan/secrets.js'

/** Where a definition comes from, and what else is known. */
export type ScanAbout = {
  server?: string | undefined
  /** Other tools; those of the same server may be named, and may have similar names, also where another server has the like. */
  others?: readonly OtherTool[]
}

type Among = { readonly server: string | undefined; readonly lists: readonly (readonly OtherTool[])[] }

const mostCharacters = 262_144
const enoughAdvice = 64
const longText = 4_096
const shortestText = 4

/**
 * What in a definition may be meant to mislead a model or a person, over every text and every name in it. Advice for whoever
 * decides: what it finds may be harmless, and what it does not find may be there all the same.
 */
export function scan(definition: JsonObject, { server, others = [] }: ScanAbout = {}): Advice[] {
  return scanAmong(definition, { server, lists: [others] })
}

/** The same with others in several lists. */
export function scanAmong(definition: JsonObject, { server, lists }: Among): Advice[] {
  const others = namesOf(lists, { server, name: typeof definition.name === 'string' ? definition.name : '' })
  const advice: Advice[] = []
  for (const leaf of leavesOf(definition, mostCharacters)) {
    if (leaf.role === 'unseen' || advice.length >= enoughAdvice) return [...advice, unseen(leaf)]
    advice.push(...adviceOn(leaf, others))
  }
  return advice
}

/** One of each kind is enough for a person to look there. */
function adviceOn({ role, text, path }: Leaf, others: OtherNames): Advice[] {
  const lookAlike = role === 'name' ? lookAlikeOf(text, others) : undefined
  const finds = [...wordsIn(text, role, others), lookAlike ?? mixedWordIn(text), hiddenIn(text)]
  const found = together(finds.filter((find) => find !== undefined))
  return found.map(({ kind, at, why, holds }) => ({ kind, path: path(), excerpt: excerptOf(text, at), why, holds }))
}

/** What the model is told to do, in one text with a file of secrets: each alone has a harmless reading, and both together seldom. */
function together(finds: readonly Find[]): readonly Find[] {
  const isBoth = finds.some(({ kind }) => kind === 'instructions') && finds.some(({ why }) => why === fileWhy)
  return isBoth
    ? finds.map((find) => (find.kind === 'instructions' || find.why === fileWhy ? { ...find, holds: true } : find))
    : finds
}

function wordsIn(text: string, role: Leaf['role'], others: OtherNames): (Find | undefined)[] {
  // Nothing that is looked for is shorter, and most texts in a schema are.
  if (text.length < shortestText) return []
  const plain = folded(text)
  const letters = lettersOf(plain)
  return [
    instructionsIn(plain, letters),
    role === 'name' ? undefined : mentionIn(plain, letters, others),
    text.length > longText ? { kind: 'oversized', at: 0, why: longWhy, holds: false } : undefined,
    secretsIn(plain, letters),
  ]
}

const longWhy = 'It is so long that a person may not read all of it.'
const unseenWhy = 'There is so much in this definition that not all of it was looked at: anything may stand here and after it.'

const unseen = ({ path }: Leaf): Advice => ({ kind: 'oversized', path: path(), excerpt: '', why: unseenWhy, holds: true })

export type { Advice, AdviceKind } from './scan/advice.js'
export type { OtherTool } from './scan/mentions.js'
