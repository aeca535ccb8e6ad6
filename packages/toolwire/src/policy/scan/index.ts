import { finish, finishInTurns, type Steps } from '../../bounds/steps.js'
import type { JsonObject } from '../../json.js'
import { foldText, lettersOnly } from '../../text/folded-text.js'
import { findInstructions } from '../../text/instructions/detector.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { listOf, someObject, someText } from '../../tools/checks/option-values.js'
import { type Advice, excerptOf, type ScanFinding } from './advice.js'
import { type DefinitionText, definitionTexts } from './definition-texts.js'
import { findHidden } from './find-hidden.js'
import { findLookAlike, findMixedWord } from './find-look-alikes.js'
import { findMention, type OtherNames, type OtherTool, otherNamesOf } from './find-mentions.js'
import { findSecrets, secretFileWhy } from './find-secrets.js'

export type ScanContext = {
  server?: string | undefined
  /** Other known tools. A definition may mention tools of its own server and resemble their names. */
  others?: readonly OtherTool[]
}

const known = optionsOf<ScanContext>()({ server: someText, others: listOf(someObject) })

type ScanLists = { readonly server: string | undefined; readonly lists: readonly (readonly OtherTool[])[] }

const mostCharacters = 262_144
const enoughAdvice = 64
const longText = 4_096
const shortestText = 4

/**
 * Findings in the texts and names of a definition that may mislead a model or a person. They are advice for a reviewer: a
 * finding may be harmless, and a definition without findings may still be harmful.
 *
 * @example
 * ```ts
 * const advice = scan({ name: 'search', description: 'Searches the shop', inputSchema: { type: 'object' } })
 * ```
 */
export function scan(definition: JsonObject, context: ScanContext = {}): Advice[] {
  checkOptions('scan()', context, known)
  const { server, others = [] } = context
  return finish(scanSteps(definition, { server, lists: [others] }))
}

/** Like `scan`. A long scan yields to the event loop. */
export const scanInTurns = (definition: JsonObject, { server, others = [] }: ScanContext = {}): Advice[] | Promise<Advice[]> =>
  finishInTurns(scanSteps(definition, { server, lists: [others] }))

/** Like `scan`, with the other tools in several lists. */
export function* scanSteps(definition: JsonObject, { server, lists }: ScanLists): Steps<Advice[]> {
  const others = otherNamesOf(lists, { server, name: typeof definition.name === 'string' ? definition.name : '' })
  const advice: Advice[] = []
  for (const leaf of definitionTexts(definition, mostCharacters)) {
    if (leaf.role === 'unseen' || advice.length >= enoughAdvice)
      return [...advice, { kind: 'oversized', path: leaf.path(), excerpt: '', why: unseenWhy, holds: true }]
    advice.push(...(yield* adviceOn(leaf, others)))
    yield
  }
  return advice
}

/** Reports one finding of each kind for a text, which is enough for a person to look there. */
function* adviceOn({ role, text, path }: DefinitionText, others: OtherNames): Steps<Advice[]> {
  const words = yield* wordsIn(text, role, others)
  const mixed = (role === 'name' ? findLookAlike(text, others) : undefined) ?? findMixedWord(text)
  if (text.length > longText) yield
  const finds = [...words, mixed, findHidden(text)]
  const found = combinedFinding(finds.filter((find) => find !== undefined))
  return found.map(({ kind, at, why, holds }) => ({ kind, path: path(), excerpt: excerptOf(text, at), why, holds }))
}

/** Strengthens instructions and a file of secrets in one text: each alone may be harmless, and both together seldom are. */
function combinedFinding(finds: readonly ScanFinding[]): readonly ScanFinding[] {
  const isBoth = finds.some(({ kind }) => kind === 'instructions') && finds.some(({ why }) => why === secretFileWhy)
  return isBoth
    ? finds.map((find) => (find.kind === 'instructions' || find.why === secretFileWhy ? { ...find, holds: true } : find))
    : finds
}

/** Each search of a long text is a step, because it takes long. */
function* wordsIn(text: string, role: DefinitionText['role'], others: OtherNames): Steps<(ScanFinding | undefined)[]> {
  // Nothing that is searched for is so short, but most texts in a schema are.
  if (text.length < shortestText) return []
  const isLong = text.length > longText
  const plain = foldText(text)
  if (isLong) yield
  const letters = lettersOnly(plain)
  if (isLong) yield
  const instructions = findInstructions(plain, letters)
  if (isLong) yield
  const mention = role === 'name' ? undefined : findMention(plain, letters, others)
  if (isLong) yield
  const secrets = findSecrets(plain, letters)
  if (isLong) yield
  return [instructions, mention, isLong ? { kind: 'oversized', at: 0, why: longWhy, holds: false } : undefined, secrets]
}

const longWhy = 'The text is so long that a person may not read all of it.'
const unseenWhy = 'The definition is too large to be scanned completely: this text and the texts after it were not scanned.'

export type { Advice, AdviceKind } from './advice.js'
export type { OtherTool } from './find-mentions.js'
