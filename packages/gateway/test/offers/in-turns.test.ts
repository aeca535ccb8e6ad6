// Long lists are made ready to be offered in turns, whatever is in them.
import { type AnyTool, type Prompt, prompt, type Resource, resource, server, type Template, template, tool } from 'toolwire'
import { afterEach, expect, it, vi } from 'vitest'
import { Random } from '../../../../bench/src/promises/random.js'
import { type Holdings, holdingsOf } from '../../src/offers/holdings.js'
import { Memo } from '../../src/offers/memo.js'
import { Claims, type Making, type Offered } from '../../src/offers/offered.js'
import { ParkingLot } from '../../src/offers/parking-lot.js'
import { offeredPrompts } from '../../src/offers/prompts.js'
import { offeredResources } from '../../src/offers/resources.js'
import { offeredTools } from '../../src/offers/tools.js'
import { http, listening, upstream } from './fixture.js'

afterEach(() => void vi.restoreAllMocks())

const making = (): Making => ({
  lot: new ParkingLot(),
  here: 'here',
  wanted: () => true,
  heldBack: async () => new Map(),
  onProgress: undefined,
  isOpen: () => true,
  claims: new Claims(),
})

type Make = { readonly of: (name: string) => object; readonly offer: (all: readonly Holdings[]) => Promise<Offered<unknown>> }

const kinds: { readonly [kind: string]: Make } = {
  tools: {
    of: (name) => ({ tools: { [name]: tool({ description: name, run: () => name }) } }),
    offer: (all) => offeredTools(all, making(), new Memo<AnyTool>()),
  },
  prompts: {
    of: (name) => ({ prompts: { [name]: prompt({ description: name, run: () => name }) } }),
    offer: (all) => offeredPrompts(all, making(), new Memo<Prompt>()),
  },
  resources: {
    of: (name) => ({ resources: { [name]: resource({ uri: `memo://${name}`, read: () => name }) } }),
    offer: (all) => offeredResources(all, making(), new Memo<Resource | Template>()),
  },
  templates: {
    of: (name) => ({ resources: { [name]: template({ uriTemplate: `memo://${name}/{a}`, read: () => name }) } }),
    offer: (all) => offeredResources(all, making(), new Memo<Resource | Template>()),
  },
}

/** An upstream that lists so many of a kind. */
async function listingMany(kind: string, count: number, random: Random): Promise<Holdings> {
  const made = Array.from({ length: count }, (_, at) => kinds[kind]?.of(`${random.word(5)}${at}`) ?? {})
  const [member = ''] = Object.keys(made[0] ?? {})
  const entries = Object.assign({}, ...made.map((one) => (one as Record<string, object>)[member]))
  const { url } = await listening(server({ name: 'many', version: '1.0.0', [member]: entries }))
  const holdings = holdingsOf(upstream('many', http(url)))
  await holdings.open()
  return holdings
}

it.each(Object.keys(kinds))('%s: others have their turn at least once in a few of them', async (kind) => {
  const random = new Random(7)
  for (let run = 0; run < 3; run++) {
    const count = 100 + random.below(400)
    const holdings = await listingMany(kind, count, random)
    // A clock by which each look at it is a millisecond later: one for each thing that is looked at.
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++)
    let turns = 0
    let isOver = false
    const another = () => {
      turns++
      if (!isOver) setImmediate(another)
    }
    setImmediate(another)
    const offered = await kinds[kind]?.offer([holdings])
    isOver = true
    clock.mockRestore()
    expect(offered?.entries).toHaveLength(count)
    expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 25) - 1)
  }
})
