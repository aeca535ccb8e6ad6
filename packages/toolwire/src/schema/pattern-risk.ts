// How long may a backtracking engine take over a pattern? Told from its source, and rather too careful than not.

/** What repeats in a pattern, and how. */
type Repetition = {
  /** Quantifiers without an upper bound. */
  unbounded: number
  /** In how many ways the bounded quantifiers can share out a text among them. */
  ways: number
  /** A quantifier stands behind a group that can itself match in more than one way: the ways multiply with every round. */
  nested: boolean
}

type Group = { choices: boolean }

const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(,(\d*))?\}|[*+?|()]|./gsu
const fewWays = 64
const manyWays = 1_000

/** Whether a look takes time in proportion to the text, whatever the text is. */
export function looksInLinearTime(source: string): boolean {
  if (/\\[1-9k]|\(\?[=!<]/.test(source)) return false
  const { unbounded, ways, nested } = repetitionIn(source)
  // Without an anchor the look starts again at every character.
  const anchored = source.startsWith('^') && !source.includes('|')
  return !nested && (anchored ? unbounded <= 1 && ways <= manyWays : unbounded === 0 && ways <= fewWays)
}

/** Whether the ways to match may double with every character, which no text is short enough for. */
export const mayExplode = (source: string): boolean => repetitionIn(source).nested

function repetitionIn(source: string): Repetition {
  const found: Repetition = { unbounded: 0, ways: 1, nested: false }
  const open: Group[] = [{ choices: false }]
  let last: Group | undefined
  for (const [token, least, range, most] of source.matchAll(tokens)) {
    const inner = open.at(-1)!
    if (token === '(') open.push({ choices: false })
    if (token === '|') inner.choices = true
    const repeats = token === '*' || token === '+' || Number(least ?? 1) > 1 || range !== undefined
    // A group that can match in several ways does so anew in every round.
    found.nested ||= repeats && last?.choices === true
    if (repeats || token === '?') inner.choices ||= token !== `{${least}}`
    if (token === '?') found.ways *= 2
    else if (range !== undefined && most) found.ways *= Math.max(1, Number(most) - Number(least) + 1)
    else if (token === '*' || token === '+' || range !== undefined) found.unbounded += 1
    last = token === ')' && open.length > 1 ? open.pop() : undefined
    if (last?.choices) open.at(-1)!.choices = true
  }
  return found
}
