// The questions that a client supports, for relays that forward its calls.
import { type Context, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import type { SupportedQuestions } from '../../../src/tools/context.js'
import { Rounder } from './rounds.js'

function asking() {
  const seen: SupportedQuestions[] = []
  const look = (_: unknown, { askable, ask }: Context) => {
    seen.push(askable)
    return [ask.can('form'), ask.can('url'), ask.can('model'), ask.can('roots')].join()
  }
  return { seen, app: server({ name: 'a', version: '1', tools: { look: tool({ run: look }) } }) }
}

describe('the supported questions', () => {
  it.each<[JsonObject, Partial<SupportedQuestions>]>([
    [{}, {}],
    [{ elicitation: {} }, { form: true }],
    [{ elicitation: { url: {} } }, { page: true }],
    [
      { elicitation: { form: {}, url: {} }, sampling: {} },
      { form: true, page: true, model: true },
    ],
    [{ roots: {}, experimental: {} }, { roots: true }],
  ])('of %j equal the capabilities of each kind', async (capabilities, can) => {
    const { app, seen } = asking()
    const reply = await new Rounder(app, { capabilities }).call('look')
    expect(seen).toEqual([{ form: false, page: false, model: false, roots: false, ...can }])
    const { form, page, model, roots } = seen[0]!
    expect(reply.result).toMatchObject({ content: [{ text: [form, page, model, roots].join() }] })
  })

  it('are one frozen value for all clients with the same support', async () => {
    const { app, seen } = asking()
    for (const name of ['one', 'two'])
      await new Rounder(app, { capabilities: { elicitation: { form: {} }, [name]: {} } }).call('look')
    expect(seen[0]).toBe(seen[1])
    expect(Object.isFrozen(seen[0])).toBe(true)
  })
})
