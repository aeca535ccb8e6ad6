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
import { type Candidate, type Making, type Offered, settle, whose, whyWaiting } from './offered.js'
import { relay } from './relay.js'
import { errorOf } from './told.js'

type Listed = Holdings['prompts'][number]

export function offeredPrompts(all: readonly Holdings[], making: Making, memo: Memo<Prompt>): Offered<Prompt> {
  return memo.anew((same) => {
    const unnamed: Offered<Prompt>['withheld'][number][] = []
    const candidates = all.flatMap((holdings) =>
      holdings.prompts.flatMap((one): Candidate<Prompt>[] => {
        const { upstream } = holdings
        const listed = arrived(one, holdings, making.here)
        if (!listed) return []
        const { name } = listed
        if (typeof name !== 'string') return []
        const nameless = whyUnnamed(name)
        if (nameless !== undefined) {
          unnamed.push({ upstream: upstream.id, kind: 'prompts', name, why: nameless })
          return []
        }
        const exposed = exposedName(upstream.config.prefix, name)
        if (!making.wanted(exposed)) return []
        const definition = same(`${upstream.id} ${name}`, listed, () => promptOf(upstream, listed, making))
        if (!making.isOpen({ made: definition, ...whose(upstream), kind: 'prompt', name: exposed, definition: listed })) {
          unnamed.push({ upstream: upstream.id, kind: 'prompts', name, why: whyWaiting })
          return []
        }
        return [{ upstream, name, exposed, definition }]
      }),
    )
    const offered = settle(candidates, 'prompts')
    return { ...offered, withheld: [...unnamed, ...offered.withheld] }
  })
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
