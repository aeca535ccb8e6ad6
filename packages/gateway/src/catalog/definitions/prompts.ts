// The prompts of upstreams, with names formed like those of tools.
import type { Json, Prompt } from 'toolwire'
import { CallFailure } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { argumentCompleter } from '../../relay/complete-argument.js'
import { relayCall } from '../../relay/relay-call.js'
import { protocolErrorOf } from '../../relay/upstream-errors.js'
import type { Upstream } from '../../upstreams/upstream.js'
import { exposedName, unnameableReason } from '../names/exposed-name.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { listedCandidates, upstreamMembers } from './listed-candidates.js'
import { type Aggregate, type DefinitionContext, type Memoize, settleEntries } from './settle-names.js'

type Listed = UpstreamCatalog['prompts'][number]

export const aggregatePrompts: Aggregate<Prompt> = (all, making, memo) => {
  const candidatesOf = (upstreamCatalog: UpstreamCatalog, memoize: Memoize<Prompt>) => {
    const { upstream, prompts } = upstreamCatalog
    const read = (listed: Listed) => {
      if (typeof listed.name !== 'string') return undefined
      const why = unnameableReason(listed.name)
      const exposed = why === undefined ? exposedName(upstream.config.prefix, listed.name) : ''
      const make = () => promptOf(upstream, listed, making)
      return { kind: 'prompt', own: listed.name, called: exposed, exposed, why, make } as const
    }
    return listedCandidates(upstreamCatalog, prompts, { making, memoize, read })
  }
  return settleEntries({ all, kind: 'prompts', memo, candidatesOf })
}

function promptOf(upstream: Upstream, listed: Listed, { suspendedCalls }: DefinitionContext): Prompt {
  const { name, arguments: args, ...shown } = listed
  const complete = (argument: string) => argumentCompleter(upstream, { type: 'ref/prompt', name }, argument)
  const run: Prompt['definition']['run'] = async (given, ctx) => {
    const filled = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const end = await relayCall(ctx, suspendedCalls, {
      upstream,
      params: filled,
      async ask(client, options) {
        await options.beforeSend()
        return client.getPrompt(name, Object.fromEntries(filled), options)
      },
    })
    if (end.kind === 'failed') throw protocolErrorOf(end.why, upstream.id)
    const { messages } = end.value
    if (!Array.isArray(messages)) throw malformed('without messages', upstream)
    if (!messages.every(isMessage)) throw malformed('with a malformed message', upstream)
    return messages as unknown as types.PromptMessage[] // just checked; the rest is forwarded unchanged
  }
  // Its texts are unchanged, because readers know that the server's author wrote them.
  return { kind: 'prompt', definition: { ...upstreamMembers(upstream, shown), args: argumentsOf(args, complete), run } }
}

const malformed = (how: string, { id }: Upstream): unknown =>
  protocolErrorOf(new CallFailure('bad_response', `The prompt came back ${how}`), id)

const isMessage = (message: Json): boolean =>
  isObject(message) &&
  (message.role === 'user' || message.role === 'assistant') &&
  isObject(message.content) &&
  typeof message.content.type === 'string'

function argumentsOf(listed: unknown, complete: (argument: string) => types.Completer): Record<string, types.PromptArgument> {
  if (!Array.isArray(listed)) return {}
  const named = listed.filter((one) => isObject(one) && typeof one.name === 'string')
  return Object.fromEntries(named.map(({ name, ...about }) => [name, { ...about, complete: complete(name) }]))
}
