// An upstream returns a prompt in a form that no revision allows.
import { expect, it } from 'vitest'
import { child, client, gateway, program, revisions, upstream } from '../support/upstream-fixture.js'

const text = { type: 'text', text: 'Hello' }
const whole = { role: 'user', content: text }
const results = {
  without: {},
  object: { messages: { 0: whole } },
  nothing: { messages: [null] },
  number: { messages: [whole, 7] },
  list: { messages: [[whole]] },
  bare: { messages: [{ role: 'user' }] },
  unquoted: { messages: [{ role: 'user', content: 'Hello' }] },
  untyped: { messages: [{ role: 'user', content: { text: 'Hello' } }] },
  roleless: { messages: [{ content: text }] },
}

it.each(
  revisions,
)('a malformed prompt reaches a client of %s as a malformed answer, not as an internal error', async (revision) => {
  const { url } = await gateway([
    upstream('odd', child(program('prompts-server.mjs'), JSON.stringify({ ...results, whole: { messages: [whole] } }))),
  ])
  const one = await client(url, { revision })
  expect(await one.getPrompt('odd__whole')).toMatchObject({ messages: [whole] })
  for (const name of Object.keys(results)) {
    const why = ['without', 'object'].includes(name) ? 'without messages' : 'with a malformed message'
    await expect(one.getPrompt(`odd__${name}`), name).rejects.toThrow(`odd: The prompt came back ${why}`)
  }
})
