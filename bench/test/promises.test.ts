// A short form of `npm run promises` with smaller input and the same bounds. The bounds are for the memory in use after
// a garbage collection, and for the CPU time of the main thread.
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { expectWithin } from '../../packages/toolwire/test/soak.js'

type LoopWatch = typeof import('../src/promises/loop-watch.js')
type Measure = typeof import('../src/promises/measure.js')
type Roads = typeof import('../src/promises/roads.js')

// The compiled files, because the processes under attack run without a compiler.
const built = (name: string) => import(fileURLToPath(new URL(`../dist/promises/${name}.js`, import.meta.url)))

const chosen = [
  'server: texts as arguments',
  'gateway: results with texts',
  'client: a list of tools: bare',
  'server: bodies in the smallest pieces',
  'server: ids, names, methods and cursors',
  'server: URIs',
  'gateway: a list of tools that changes over and over: alike',
  'client: results with texts',
  'client: storms of events',
]

// If the machine is busy, two generations of 9,900 tools are in memory at once: docs/rough-edges.md.
const long = ['gateway: a list of tools that changes over and over: bare']

it.each(process.env.SOAK === 'long' ? [...chosen, ...long] : chosen)('%s: every request is answered, and little memory is kept', {
  timeout: 120_000,
}, async (road) => {
  const { measureRoad, promise }: Measure = await built('measure')
  const { roads }: Roads = await built('roads')
  const one = roads.find(({ subject, name }) => `${subject}: ${name}` === road)
  if (!one) throw new Error(`There is no road ${road}`)
  const measured = await measureRoad(one, { size: 1_000_000, seed: Date.now(), seconds: 1 })
  expect(measured.failure).toBeUndefined()
  expectWithin(measured.blockMs, promise.blockMs)
  expect(measured.growthMiB).toBeLessThanOrEqual(promise.growthMiB)
})

it('the watch counts memory in use, and not freed memory', async () => {
  setFlagsFromString('--expose-gc')
  globalThis.gc = runInNewContext('gc')
  const { LoopWatch }: LoopWatch = await built('loop-watch')
  const growthAfter = async (use: (size: number) => unknown) => {
    const watch = new LoopWatch()
    const held: unknown[] = []
    for (let turn = 0; turn < 20; turn++) {
      held[0] = use(turn)
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
    return watch.end().growthBytes / 1024 / 1024
  }
  const hold: Buffer[] = []
  expect(await growthAfter(() => Buffer.alloc(4_000_000, 1))).toBeLessThan(16)
  expect(await growthAfter(() => hold.push(Buffer.alloc(4_000_000, 1)))).toBeGreaterThan(70)
})
