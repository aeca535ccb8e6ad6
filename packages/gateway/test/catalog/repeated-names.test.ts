// Servers that list the same name or URI more than once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answering, listsOf } from '../support/answering-server.js'
import { gateway, http, upstream } from '../support/upstream-fixture.js'

const texts = fc.constantFrom('a', 'b', 'c')
const listed = <K extends string>(key: K, values: fc.Arbitrary<string>) =>
  fc.array(fc.record({ [key]: values, name: texts, description: texts }), { maxLength: 8 })

const lists = fc.record({
  tools: fc.array(fc.record({ name: texts, description: texts, inputSchema: fc.constant({ type: 'object' }) }), { maxLength: 8 }),
  prompts: fc.array(fc.record({ name: texts, description: texts }), { maxLength: 8 }),
  resources: listed('uri', fc.constantFrom('x:1', 'x:2')),
  templates: listed('uriTemplate', fc.constantFrom('x:{a}', 'y:{a}')),
})

/** A definition that is made again is checked again, and then all lists are made again. */
it('keep their definitions when the lists are made again, each as it was', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      const made = new Set<object>()
      const note = (definition: object) => made.add(definition).has(definition)
      const { offer } = await gateway([upstream('odd', http(await answering(listsOf(given))))], {
        isAccepted: (one) => note(one.made),
        onRegister: ({ listed }) => void note(listed),
      })
      await offer.made()
      const { size } = made
      offer.refresh()
      await offer.made()
      expect(made.size).toBe(size)
      expect(size).toBeGreaterThanOrEqual(new Set(given.tools.map(({ name }) => name)).size)
    }),
    { numRuns: 20, examples: [[{ tools: [], prompts: [], resources: [], templates: twice }]] },
  )
})

const twice = (['a', 'b'] as const).map((name) => ({ uriTemplate: 'x:{a}', name, description: 'c' as const }))
