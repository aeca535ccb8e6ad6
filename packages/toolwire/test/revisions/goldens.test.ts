// The exact messages of one server in each revision. Before you accept a changed golden, check it against the revision.
import { describe, expect, it } from 'vitest'
import { every } from '../revisions.js'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'
import { shop } from './registry.js'

const golden = (name: string) => `./goldens/${name}.golden`
const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`
const answers = { order: { name: 'Bo', size: 'm', loud: false, count: 2 } }

describe.each(every)('at %s', (revision) => {
  it('lists the same tools in the format of its revision', async () => {
    const t = await judged(shop(), { revision })
    await expect(pretty(await t.request('tools/list'))).toMatchFileSnapshot(golden(`${revision}.list`))
  })

  it.each([
    ['search', { query: 'mug' }],
    ['pick', { by: 'name', name: 'a' }],
    ['show', {}],
    ['fail', {}],
    ['silent', {}],
  ])('answers a call of %s in the format of its revision', async (name, args) => {
    const t = await judged(shop(), { revision })
    await expect(pretty(await t.call(name, args))).toMatchFileSnapshot(golden(`${revision}.${name}`))
  })
})

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('at %s', (revision) => {
  it('asks with a form in the format of its revision', async () => {
    const t = await judged(shop(), { revision, answers })
    await t.call('enquire')
    const asked =
      t.heard('elicitation/create')[0]?.params ??
      t.frames.find(({ message }) => 'inputRequests' in ((message.result as object) ?? {}))?.message.result
    const { requestState: _, ...stable } = asked as Record<string, unknown>
    await expect(pretty(stable)).toMatchFileSnapshot(golden(`${revision}.form`))
  })
})
