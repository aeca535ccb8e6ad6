// Instructions of servers for the use of their tools, passed on to models under the servers' names. They are untrusted: their length is
// limited, hidden characters are shown, and instructions that try to control a model are withheld.
import { plainText, sanitizing, type types, yieldWhenBusy } from 'toolwire/relay'
import { quotedLines } from '../relay/quote-question.js'
import type { Upstream } from '../upstreams/upstream.js'

const mostEach = 4_000
const mostInAll = 16_000
const grave: ReadonlySet<string> = new Set(['hidden', 'instructions'])
/** Findings about removed characters, which no honest instructions contain. */
const unseen: ReadonlySet<string> = new Set(['terminal', 'invisible', 'bidi'])

type ServerInstructions = Pick<types.ServerAbout, 'instructions' | 'findings'>

type Instructions = { readonly text: string | undefined; readonly withheld?: string }

/** The text to pass on, or the reason for withholding it. */
export async function readInstructions(
  { instructions: said, findings }: ServerInstructions,
  { id, config }: Upstream,
): Promise<Instructions> {
  const text = said?.trim()
  if (!text) return { text: undefined }
  const withheld = (why: string) => ({ text: undefined, withheld: withheldLine(id, why) })
  if (!config.trusted && findings.some(({ rule }) => unseen.has(rule))) return withheld('they contain hidden characters.')
  const advice = config.trusted ? [] : await sanitizing.scanInTurns({ name: id, description: text }, { server: id })
  const found = advice.find(({ kind, holds }) => grave.has(kind) || (kind === 'oversized' && holds))
  if (found) return withheld(found.why)
  // One character more than is passed on shows that the text is cut.
  return { text: shortened(plainText.visible(text.slice(0, mostEach + 1)), mostEach) }
}

const withheldLine = (id: string, why: string): string => `${id}: its instructions are not passed on: ${why}`

type Instructing = Instructed & { readonly tools: readonly { readonly name: string }[] }

/** Separates instructions that may change how the tools of other servers are used. Yields between servers. */
export async function checkInstructions(all: readonly Instructing[]) {
  const isUnchecked = ({ instructions, upstream }: Instructed) => instructions !== undefined && !upstream.config.trusted
  const others: readonly sanitizing.OtherTool[] = all.some(isUnchecked)
    ? all.flatMap(({ upstream, tools }) => tools.map(({ name }) => ({ server: upstream.id, name })))
    : []
  const rest = yieldWhenBusy()
  const passed: Instructed[] = []
  const withheld: string[] = []
  for (const { upstream, instructions } of all) {
    const { id } = upstream
    if (instructions === undefined) continue
    const advice = isUnchecked({ upstream, instructions })
      ? await sanitizing.scanInTurns({ name: id, description: instructions }, { server: id, others })
      : []
    const found = advice.find(({ kind, holds }) => kind === 'cross-reference' && holds)
    if (found) withheld.push(withheldLine(id, found.why))
    else passed.push({ upstream, instructions })
    await rest()
  }
  return { passed, withheld }
}

export function instructionsOf(all: readonly Instructed[], seen: ReadonlySet<string>): string | undefined {
  // Sorted, so that truncation at the end does not depend on the order of the config.
  const inOrder = all.toSorted((one, other) => (one.upstream.id < other.upstream.id ? -1 : 1))
  const parts = inOrder.flatMap(({ instructions, upstream: { id, config } }) => {
    if (instructions === undefined || !seen.has(id)) return []
    const { prefix } = config
    if (prefix === false) return instructions
    // Each line is marked, so that the text cannot pose as a heading and the instructions of another server.
    return `# ${prefix}\nFor the tools whose names begin with ${prefix}__:\n${quotedLines(instructions)}`
  })
  return parts.length === 0 ? undefined : shortened(parts.join('\n\n'), mostInAll)
}

type Instructed = { readonly instructions: string | undefined; readonly upstream: Upstream }

/** Cuts a text between whole characters. */
const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
