// Which questions a client takes, for whoever passes its calls on.
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

describe('what a client can be asked', () => {
  it.each<[JsonObject, Partial<SupportedQuestions>]>([
    [{}, {}],
    [{ elicitation: {} }, { form: true }],
    [{ elicitation: { url: {} } }, { page: true }],
    [
      { elicitation: { form: {}, url: {} }, sampling: {} },
      { form: true, page: true, model: true },
    ],
    [{ roots: {}, experimental: {} }, { roots: true }],
  ])('%j is the same as what it says of each kind', async (capabilities, can) => {
    const { app, seen } = asking()
    const reply = await new Rounder(app, { capabilities }).call('look')
    expect(seen).toEqual([{ form: false, page: false, model: false, roots: false, ...can }])
    const { form, page, model, roots } = seen[0]!
    expect(reply.result).toMatchObject({ content: [{ text: [form, page, model, roots].join() }] })
  })

  it('is one frozen value for all who can be asked the same', async () => {
    const { app, seen } = asking()
    for (const name of ['one', 'two'])
      await new Rounder(app, { capabilities: { elicitation: { form: {} }, [name]: {} } }).call('look')
    expect(seen[0]).toBe(seen[1])
    expect(Object.isFrozen(seen[0])).toBe(true)
  })
})
