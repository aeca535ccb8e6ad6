import { server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { expect, it } from 'vitest'
import { askAll } from '../../src/relay/ask-caller.js'

it.each([
  ['called', { creditCard: { type: 'string' } }],
  ['titled', { value: { type: 'string', title: 'Your password' } }],
] as const)('ELIC-011 a form of an upstream with a field %s like a secret is not passed on, and the upstream hears why', async (_, properties) => {
  const refused: string[] = []
  const question = {
    kind: 'form',
    key: 'form',
    message: 'Please',
    schema: { type: 'object', properties },
    closed: new AbortController().signal,
    answer: () => {},
    refuse: (why: Error) => void refused.push(why.message),
  } as unknown as Parameters<typeof askAll>[0][number]
  const from = { server: 'shop', onQuestion: async (_: unknown, put: () => Promise<unknown>) => void (await put()) }
  const relaying = tool({ run: async (_, ctx) => String((await askAll([question], ctx.ask, from))?.name) })
  const app = server({ name: 'gateway', version: '1.0.0', tools: { relaying } })
  const client = await harness(app, { answers: { form: { creditCard: '4111', value: 'x' } } })
  expect(await client.call('relaying')).toMatchObject({ content: [{ text: 'ToolError' }] })
  expect(refused).toEqual([expect.stringContaining('asks for something secret')])
  expect(JSON.stringify(client.frames)).not.toContain('requestedSchema')
  client.close()
})
