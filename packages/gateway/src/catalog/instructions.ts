// What servers say about how their tools are to be used, passed on to models under their names. These are a stranger's words: there are
// not too many of them, nothing in them is hidden, and they are not passed on where they try to rule a model.
import { scan } from 'toolwire/guard'
import { plainText, type types } from 'toolwire/relay'
import type { Upstream } from '../upstreams/upstream.js'

const mostEach = 4_000
const mostInAll = 16_000
const grave: ReadonlySet<string> = new Set(['hidden', 'instructions'])
/** Taken out already, and no honest instructions have them. */
const unseen: ReadonlySet<string> = new Set(['terminal', 'invisible', 'bidi'])

type ServerInstructions = Pick<types.ServerAbout, 'instructions' | 'findings'>

type Instructions = { readonly text: string | undefined; readonly withheld?: string }

/** What may be passed on, or why it is not. */
export function readInstructions({ instructions: said, findings }: ServerInstructions, { id, config }: Upstream): Instructions {
  const text = said?.trim()
  if (!text) return { text: undefined }
  const withheld = (why: string) => ({ text: undefined, withheld: `${id}: its instructions are not passed on: ${why}` })
  if (!config.trusted && findings.some(({ rule }) => unseen.has(rule)))
    return withheld('they had characters in them that nobody sees.')
  const advice = config.trusted ? [] : scan({ name: id, description: text }, { server: id })
  const found = advice.find(({ kind, holds }) => grave.has(kind) || (kind === 'oversized' && holds))
  if (found) return withheld(found.why)
  return { text: shortened(plainText.visible(text), mostEach) }
}

/** For a caller who sees tools of these servers. */
export function instructionsOf(all: readonly Instructed[], seen: ReadonlySet<string>): string | undefined {
  // What is cut off at the end is not for the order of the config to say.
  const inOrder = all.toSorted((one, other) => (one.upstream.id < other.upstream.id ? -1 : 1))
  const parts = inOrder.flatMap(({ instructions, upstream: { id, config } }) => {
    if (instructions === undefined || !seen.has(id)) return []
    const { prefix } = config
    return prefix === false ? instructions : `# ${prefix}\nOf the tools whose names begin with ${prefix}__:\n${instructions}`
  })
  return parts.length === 0 ? undefined : shortened(parts.join('\n\n'), mostInAll)
}

type Instructed = { readonly instructions: string | undefined; readonly upstream: Upstream }

/** Whole characters. */
const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
