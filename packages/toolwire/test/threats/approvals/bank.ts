// A server that pays only after an approval. The tests try to make it pay without one.
import { type ServerOptions, server, tool } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import { z } from 'zod'
import type { ApproveOptions } from '../../../src/policy/approve/approve-options.js'
import { askCaller } from '../../../src/policy/approve/ask-caller.js'
import { approve } from '../../../src/policy/approve/index.js'
import type { Asked } from '../../server/questions/rounds.js'

export const allow = { action: 'accept', content: { decision: 'allow' } }
export const pay = { name: 'pay', arguments: { amount: 5 } }

type Options = Partial<ApproveOptions> & { readonly more?: readonly Policy[]; readonly secret?: ServerOptions<never>['secret'] }

/** The server, and its payments. */
export function bank({ more = [], secret, ...options }: Options = {}) {
  const paid: number[] = []
  const input = z.object({ amount: z.number() })
  const run = ({ amount }: { amount: number }) => {
    paid.push(amount)
    return `paid ${amount}`
  }
  const app = server({
    name: 'bank',
    version: '1',
    policies: [approve({ ask: askCaller(), ...options }), ...more],
    tools: {
      pay: tool({ description: 'Pays', input, run }),
      payLater: tool({ description: 'Pays later', input, run }),
      payWho: tool({
        description: 'Pays somebody',
        input,
        run: async (given, ctx) => {
          await ctx.ask('who', 'Who?', z.object({ name: z.string() }))
          return run(given)
        },
      }),
    },
    ...(secret !== undefined && { secret }),
  })
  return { app, paid }
}

/** The key of the only question. */
export const keyOf = ({ inputRequests = {} }: Asked): string => Object.keys(inputRequests)[0] ?? ''
