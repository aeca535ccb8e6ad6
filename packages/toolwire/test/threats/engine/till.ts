// A server with a tool behind all policies, which must not run unless each allows it, and a tool without policies.
import { type JsonObject, jsonSchema, server, tool } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import type { LimitStore } from '../../../src/policy/rate-limit/store.js'
import type { Limit, ReadyTool } from '../../../src/tools/tool.js'
import { judged } from '../../official-schemas.js'

export type Choice = { readonly policies?: readonly Policy[]; readonly limitStore?: LimitStore; readonly limit?: Limit }

/** The number of runs of `pay`, and the answer for the caller. */
export async function till(revision: string, { policies = [], limitStore, limit }: Choice = {}) {
  const ran: string[] = []
  const input = jsonSchema<Record<string, unknown>>({ type: 'object', additionalProperties: true })
  const pay = tool({ description: 'Pays', input, ...(limit && { limit }), run: () => `paid ${ran.push('pay')}` })
  const look = tool({ description: 'Looks', hints: { readOnly: true }, run: () => 'seen' })
  const app = server({
    name: 'till',
    version: '1',
    tools: { pay, look },
    policies: policies.map(onlyAboutPay),
    ...(limitStore && { limitStore }),
  })
  const t = await judged(app, { revision })
  const saidTo = async (name: string, args: object = {}) => {
    const settled = await t
      .call(name, args as JsonObject)
      .catch((thrown: Error) => ({ isError: true, content: [{ text: thrown.message }] }))
    const [block] = settled.content as readonly { text?: string }[]
    return { isNo: settled.isError === true, words: block?.text ?? '' }
  }
  return { app, ran, pay: (args?: object) => saidTo('pay', args), look: () => saidTo('look') }
}

/** Applies the policy only to `pay`. The inherited members are not read in advance. */
const onlyAboutPay = (policy: Policy): Policy =>
  Object.create(policy, { applies: { value: (one: ReadyTool) => one.name === 'pay' && (policy.applies?.(one) ?? true) } })
