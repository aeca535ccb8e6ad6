// The prompts of upstreams, named like their tools.
import type { Context, Prompt } from 'toolwire'
import type { types } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { argumentCompleter } from '../../relay/complete-argument.js'
import { callerRequest } from '../../relay/forwarding.js'
import { relayCall } from '../../relay/relay-call.js'
import { requestTimeoutMs } from '../../relay/request-timeout.js'
import { protocolErrorOf } from '../../relay/upstream-errors.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { DefinitionMemo } from '../definition-memo.js'
import { exposedName, unnameableReason } from '../names/exposed-name.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { withGatewayPath } from './gateway-loop.js'
import {
  candidatesOf,
  type DefinitionContext,
  type SettledEntries,
  serverOfUpstream,
  settleNames,
  waitingReason,
} from './settle-names.js'

type Listed = UpstreamCatalog['prompts'][number]

/** Of long lists others get their turn meanwhile. */
export async function aggregatePrompts(
  all: readonly UpstreamCatalog[],
  making: DefinitionContext,
  memo: DefinitionMemo<Prompt>,
): Promise<SettledEntries<Prompt>> {
  const { same, done } = memo.begin()
  const { candidates, withheld } = await candidatesOf<Listed, Prompt>(
    all,
    ({ prompts }) => prompts,
    (one, upstreamCatalog) => {
      const { upstream } = upstreamCatalog
      const listed = withGatewayPath(one, upstreamCatalog, making.ownGatewayId)
      if (!listed || typeof listed.name !== 'string') return undefined
      const { name } = listed
      const kept = (why: string) => ({ upstream: upstream.id, kind: 'prompts', name, why }) as const
      const nameless = unnameableReason(name)
      if (nameless !== undefined) return kept(nameless)
      const exposed = exposedName(upstream.config.prefix, name)
      if (!making.wanted(exposed)) return undefined
      const definition = same(`${upstream.id} ${name}`, listed, () => promptOf(upstream, listed, making))
      const isOpen = making.isOpen({
        made: definition,
        ...serverOfUpstream(upstream),
        kind: 'prompt',
        name: exposed,
        definition: listed,
      })
      return isOpen ? { upstream, name, exposed, definition } : kept(waitingReason)
    },
  )
  done()
  const offered = settleNames(candidates, 'prompts')
  return { ...offered, withheld: [...withheld, ...offered.withheld] }
}

function promptOf(upstream: Upstream, listed: Listed, { suspendedCalls: lot }: DefinitionContext): Prompt {
  const { name, arguments: args, ...shown } = listed
  const complete = (argument: string) => argumentCompleter(upstream, { type: 'ref/prompt', name }, argument)
  const run = async (
    given: Readonly<Record<string, string | undefined>>,
    ctx: Context,
  ): Promise<readonly types.PromptMessage[]> => {
    const filled = Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    )
    const begin = () =>
      upstream.beginSuspendable(callerRequest(ctx), (client, suspensibleOptions) =>
        client.getPrompt(name, filled, suspensibleOptions),
      )
    const end = await relayCall(ctx, lot, { begin, server: upstream.id })
    if (end.kind === 'failed') throw protocolErrorOf(end.why, upstream.id)
    const { messages } = end.value
    return (Array.isArray(messages) ? messages : []) as unknown as types.PromptMessage[] // a stranger's, passed on as they came
  }
  // Listed as its server lists it, because readers know that a stranger wrote it.
  return {
    kind: 'prompt',
    definition: {
      ...shown,
      timeout: requestTimeoutMs(upstream),
      args: argumentsOf(args, complete),
      foreign: true,
      server: upstream.id,
      run,
    },
  }
}

function argumentsOf(
  listed: unknown,
  complete: (argument: string) => types.Completer,
): Readonly<Record<string, types.PromptArgument>> {
  if (!Array.isArray(listed)) return {}
  const named = listed.filter((one) => isObject(one) && typeof one.name === 'string')
  return Object.fromEntries(named.map(({ name, ...about }) => [name, { ...about, complete: complete(name) }]))
}
