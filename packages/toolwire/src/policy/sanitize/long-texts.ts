// Long texts are searched before a result is cleaned, in turns with whatever else there is to do.
import type { Json } from '../../json.js'
import { restful } from '../../tools/restful.js'
import type { ToolResult } from '../../tools/result.js'
import { notingIn } from './notices.js'
import type { Finder, Passage } from './passages.js'
import { Findings, type Rules, type Sizes } from './rules.js'
import { cleanText, cutText } from './text.js'

/** What is shorter is searched in no time. */
const longFrom = 65_536
const mostTexts = 64

export type Searched = {
  readonly passages: ReadonlyMap<string, Passage[]>
  /** By the texts as they were, with what was found on the way. */
  readonly cleaned: ReadonlyMap<string, { readonly text: string; readonly found: readonly Counted[] }>
}
type Counted = Parameters<Findings['found']>

/** Keeps what it is told, to tell it again. */
class Noted extends Findings {
  readonly counted: Counted[] = []

  override found(...counted: Counted): boolean {
    this.counted.push(counted)
    return super.found(...counted)
  }
}

/** The text as it was cleaned before; undefined where it was not. */
export function cleanedAgain({ cleaned }: Searched, text: string, findings: Findings): string | undefined {
  const known = cleaned.get(text)
  for (const counted of known?.found ?? []) findings.found(...counted)
  return known?.text
}

/** The long texts of a result; undefined where there is none, which is nearly always. */
export function longTextsIn({ content, structured, meta }: ToolResult): readonly string[] | undefined {
  const found: string[] = []
  const visit = (value: Json | undefined, depth: number): void => {
    if (typeof value === 'string') {
      if (value.length >= longFrom && found.length < mostTexts) found.push(value)
    } else if (typeof value === 'object' && value !== null && depth > 0) {
      for (const item of Array.isArray(value) ? value : Object.values(value)) visit(item, depth - 1)
    }
  }
  for (const block of content) visit(block as object as Json, 4)
  visit(structured, 8)
  visit(meta, 8)
  return found.length > 0 ? found : undefined
}

/** What is to be found in them, as they will be when all else was taken out. */
export async function searched(
  texts: readonly string[],
  finder: Finder,
  { rules, sizes }: { rules: Rules; sizes: Sizes },
): Promise<Searched> {
  const known = new Map<string, Passage[]>()
  const cleaned = new Map<string, { text: string; found: readonly Counted[] }>()
  const rest = restful()
  for (const text of texts) {
    // Nothing is told of it here: the same is found again when the result is cleaned.
    const unsaid = new Findings({ ...rules, ...reported(rules) })
    const noted = new Noted({ ...rules, ...reported(rules) })
    const cut = cutText(text, sizes.text, unsaid)
    const clean = cleanText(cut, noted)
    cleaned.set(cut, { text: clean, found: noted.counted })
    const noting = notingIn(clean, unsaid)
    for (let step = noting.next(); !step.done; ) {
      await rest()
      const found = known.get(step.value) ?? (await finder.findInTurns(step.value))
      known.set(step.value, found)
      step = noting.next(found)
    }
  }
  return { passages: known, cleaned }
}

/** What refuses a result would end the search. */
const reported = (rules: Rules): Partial<Rules> =>
  Object.fromEntries(Object.entries(rules).flatMap(([name, action]) => (action === 'refuse' ? [[name, 'flag']] : [])))
