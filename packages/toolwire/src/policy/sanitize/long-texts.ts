// Long texts are searched before a result is cleaned, and yield to other work meanwhile.

import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import type { Json } from '../../json.js'
import type { PassageFinder } from '../../text/search/passages.js'
import type { ToolResult } from '../../tools/result.js'
import { cleanCharacters, cutText } from './clean-characters.js'
import { noticeSteps } from './notices.js'
import { Findings, type SanitizeRules, type SanitizeSizes } from './sanitize-rules.js'

/** What is shorter is searched in no time. */
const longFrom = 65_536
const mostTexts = 64

/** Texts as they were, each with what became of it and with what was found on the way. */
export type SearchedTexts = { readonly cleaned: Known; readonly noted: Known }
type Searched = { readonly text: string; readonly found: readonly Counted[] }
type Known = ReadonlyMap<string, Searched>
type Counted = Parameters<Findings['found']>

/** Keeps what it is told, to tell it again: one count for each kind. */
class RecordedFindings extends Findings {
  readonly #counted = new Map<string, Counted>()

  get counted(): readonly Counted[] {
    return [...this.#counted.values()]
  }

  override found(...[rule, count = 1, kind]: Counted): boolean {
    const key = `${rule} ${kind}`
    this.#counted.set(key, [rule, count + (this.#counted.get(key)?.[1] ?? 0), kind])
    return super.found(rule, count, kind)
  }
}

/** What became of the text before; undefined where it is not known. */
export function toldAgain(known: Known, text: string, findings: Findings): string | undefined {
  const before = known.get(text)
  for (const counted of before?.found ?? []) findings.found(...counted)
  return before?.text
}

/** The long texts of a result; undefined where there is none, which is nearly always. */
export const longTextsIn = ({ content, structured, meta }: ToolResult): readonly string[] | undefined =>
  longAmong([content as object as Json, 5], [structured, 8], [meta, 8])

/** Like longTextsIn, for any other message of a server. */
export const longTextsOf = (value: Json): readonly string[] | undefined => longAmong([value, 10])

function longAmong(...values: readonly (readonly [value: Json | undefined, depth: number])[]): readonly string[] | undefined {
  const found: string[] = []
  for (const [value, depth] of values) collect(value, { depth, found })
  return found.length > 0 ? found : undefined
}

function collect(value: Json | undefined, { depth, found }: { readonly depth: number; readonly found: string[] }): void {
  if (typeof value === 'string') {
    if (value.length >= longFrom && found.length < mostTexts) found.push(value)
  } else if (typeof value === 'object' && value !== null && depth > 0) {
    if (!Array.isArray(value)) for (const name of Object.keys(value)) collect(name, { depth, found })
    for (const item of Array.isArray(value) ? value : Object.values(value)) collect(item, { depth: depth - 1, found })
  }
}

/** What is to be found in them, as they will be when all else was taken out. */
export async function searchLongTexts(
  texts: readonly string[],
  finder: PassageFinder,
  { rules, sizes }: { rules: SanitizeRules; sizes: SanitizeSizes },
): Promise<SearchedTexts> {
  const cleaned = new Map<string, Searched>()
  const noted = new Map<string, Searched>()
  // What refuses a result would end the search.
  const told = Object.entries(rules).map(([name, action]) => [name, action === 'refuse' ? 'flag' : action])
  const telling: SanitizeRules = Object.fromEntries(told)
  const rest = yieldWhenBusy()
  for (const text of texts) {
    // Nothing is told of it here: the same is told again when the result is cleaned.
    const cleaning = new RecordedFindings(telling)
    const cut = cutText(text, sizes.text, new Findings(telling))
    if (cleaned.has(cut)) continue
    const clean = cleanCharacters(cut, cleaning)
    cleaned.set(cut, { text: clean, found: cleaning.counted })
    const searching = new RecordedFindings(telling)
    const noting = noticeSteps(clean, searching)
    let step = noting.next()
    while (!step.done) {
      await rest()
      step = noting.next(await finder.findInTurns(step.value))
    }
    noted.set(clean, { text: step.value, found: searching.counted })
  }
  return { cleaned, noted }
}
