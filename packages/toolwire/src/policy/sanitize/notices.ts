import type { Steps } from '../../bounds/steps.js'
import { type FindPassages, mergePassages, type Passage } from '../../text/search/passages.js'
import type { Findings, PassageRule } from './sanitize-rules.js'

const words: { readonly [R in PassageRule]: string } = {
  secrets: 'secret removed',
  active: 'active content removed',
  instructions: 'instructions removed',
}

export const removalNotice = (rule: PassageRule, kind: string): string => `[${words[rule]}: ${kind}]`

// Removing a passage may join the parts of another one. Ordinary text is done after one round.
const mostRounds = 8

/** The text, with notices in place of the passages that the rules remove. */
export function* withNotices(text: string, find: FindPassages, findings: Findings): Steps<string> {
  let clean = text
  let last = ''
  for (let round = 0; round < mostRounds; round++) {
    const isNews = ({ rule }: Passage) => round === 0 || findings.takesOut(rule)
    const found = yield* find(clean)
    const taken = found.filter((passage) => isNews(passage) && findings.found(passage.rule, 1, passage.kind))
    const [first] = taken
    if (!first) return clean
    last = removalNotice(first.rule, first.kind)
    const merged = mergePassages(taken, () => '')
    clean = replaced(clean, merged)
  }
  // A text made so that removal never ends is not worth keeping.
  return last
}

function replaced(text: string, passages: readonly Passage[]): string {
  let done = 0
  let clean = ''
  for (const { rule, kind, start, end } of passages) {
    clean += text.slice(done, start) + removalNotice(rule, kind)
    done = end
  }
  return clean + text.slice(done)
}
