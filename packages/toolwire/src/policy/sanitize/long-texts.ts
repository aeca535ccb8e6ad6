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

export type Searched = ReadonlyMap<string, Passage[]>

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
export async function searched(texts: readonly string[], finder: Finder, { rules, sizes }: { rules: Rules; sizes: Sizes }): Promise<Searched> {
  const known = new Map<string, Passage[]>()
  const rest = restful()
  for (const text of texts) {
    // Nothing is told of it here: the same is found again when the result is cleaned.
    const unsaid = new Findings({ ...rules, ...reported(rules) })
    const noting = notingIn(cleanText(cutText(text, sizes.text, unsaid), unsaid), unsaid)
    for (let step = noting.next(); !step.done; ) {
      await rest()
      const found = known.get(step.value) ?? (await finder.findInTurns(step.value))
      known.set(step.value, found)
      step = noting.next(found)
    }
  }
  return known
}

/** What refuses a result would end the search. */
const reported = (rules: Rules): Partial<Rules> =>
  Object.fromEntries(Object.entries(rules).flatMap(([name, action]) => (action === 'refuse' ? [[name, 'flag']] : [])))
