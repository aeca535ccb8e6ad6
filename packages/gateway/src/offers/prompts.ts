// The prompts of upstreams, named like their tools.
import type { Complete, Context, Prompt, PromptArgument, PromptMessage } from 'toolwire'
import type { Upstream } from '../upstreams/upstream.js'
import { callerMade } from './caller-made.js'
import { arrived } from './came-by.js'
import { completing } from './completing.js'
import type { Holdings } from './holdings.js'
import { isObject } from './json.js'
import { longestMs } from './longest.js'
import type { Memo } from './memo.js'
import { exposedName, whyUnnamed } from './names.js'
import { candidatesOf, type Making, type Offered, settle, whose, whyWaiting } from './offered.js'
import { relay } from './relay.js'
import { errorOf } from './told.js'

type Listed = Holdings['prompts'][number]

/** Of long lists others get their turn meanwhile. */
export async function offeredPrompts(all: readonly Holdings[], making: Making, memo: Memo<Prompt>): Promise<Offered<Prompt>> {
  const { same, done } = memo.begin()
  const { candidates, withheld } = await candidatesOf<Listed, Prompt>(
    all,
    ({ prompts }) => prompts,
    (one, holdings) => {
      const { upstream } = holdings
      const listed = arrived(one, holdings, making.here)
      if (!listed || typeof listed.name !== 'string') return undefined
      const { name } = listed
      const kept = (why: string) => ({ upstream: upstream.id, kind: 'prompts', name, why }) as const
      const nameless = whyUnnamed(name)
      if (nameless !== undefined) return kept(nameless)
      const exposed = exposedName(upstream.config.prefix, name)
      if (!making.wanted(exposed)) return undefined
      const definition = same(`${upstream.id} ${name}`, listed, () => promptOf(upstream, listed, making))
      const isOpen = making.isOpen({ made: definition, ...whose(upstream), kind: 'prompt', name: exposed, definition: listed })
      return isOpen ? { upstream, name, exposed, definition } : kept(whyWaiting)
    },
  )
  done()
  const offered = settle(candidates, 'prompts')
  return { ...offered, withheld: [...withheld, ...offered.withheld] }
}

function promptOf(upstream: Upstream, listed: Listed, { lot }: Making): Prompt {
  const { name, arguments: args, ...shown } = listed
  const complete = (argument: string) => completing(upstream, { type: 'ref/prompt', name }, argument)
  const run = async (given: Readonly<Record<string, string | undefined>>, ctx: Context): Promise<readonly PromptMessage[]> => {
    const filled = Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    )
    const begin = () => upstream.park(callerMade(ctx), (client, parking) => client.getPrompt(name, filled, parking))
    const end = await relay(ctx, lot, { begin, server: upstream.id })
    if (end.kind === 'failed') throw errorOf(end.why, upstream.id)
    const { messages } = end.value
    return (Array.isArray(messages) ? messages : []) as unknown as PromptMessage[] // a stranger's, passed on as they came
  }
  // Listed as it is there: whoever reads it knows that a stranger wrote it.
  return {
    kind: 'prompt',
    definition: {
      ...shown,
      timeout: longestMs(upstream),
      args: argumentsOf(args, complete),
      foreign: true,
      server: upstream.id,
      run,
    },
  }
}

function argumentsOf(listed: unknown, complete: (argument: string) => Complete): Readonly<Record<string, PromptArgument>> {
  if (!Array.isArray(listed)) return {}
  const named = listed.filter((one) => isObject(one) && typeof one.name === 'string')
  return Object.fromEntries(named.map(({ name, ...about }) => [name, { ...about, complete: complete(name) }]))
}
