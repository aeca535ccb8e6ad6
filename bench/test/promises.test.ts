// A short form of `npm run promises`: smaller input, and no bound on time, which only the whole of it has.
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

type Measure = typeof import('../src/promises/measure.js')
type Roads = typeof import('../src/promises/roads.js')

// Built, because the processes under attack run without a compiler.
const built = (name: string) => import(fileURLToPath(new URL(`../dist/promises/${name}.js`, import.meta.url)))

const chosen = [
  'server: texts as arguments',
  'server: URIs',
  'gateway: a list of tools that changes over and over: bare',
  'gateway: a list of tools that changes over and over: alike',
  'gateway: results with texts',
  'client: a list of tools: bare',
]

it.each(chosen)('%s: all is answered, and little is kept', { timeout: 120_000 }, async (road) => {
  const { measureRoad }: Measure = await built('measure')
  const { roads }: Roads = await built('roads')
  const one = roads.find(({ subject, name }) => `${subject}: ${name}` === road)
  if (!one) throw new Error(`There is no road ${road}`)
  const measured = await measureRoad(one, { size: 1_000_000, seed: Date.now(), seconds: 1 })
  expect(measured.failure).toBeUndefined()
  expect(measured.growthMiB).toBeLessThan(64)
})
