// A subscription has the rate limit and the audit records of `resources/subscribe`, for each of its URIs.
import fc from 'fast-check'
import { resource, server, template } from 'toolwire'
import { type AuditRecord, audit } from 'toolwire/guard'
import { describe, expect, it, vi } from 'vitest'
import '../../reported-faults.js'
import type { JsonObject } from '../../../src/json.js'
import { howMany } from '../../soak.js'
import { type Pipe, said, speaking } from '../pipe.js'

const ada = { id: 'ada', scopes: [] }
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)
const note = (at: number) => `note://${at}`

type Write = (record: AuditRecord) => void | Promise<void>

function library({ calls, write = () => undefined }: { calls: number; write?: Write }) {
  const kept: AuditRecord[] = []
  const keep = (record: AuditRecord) => {
    kept.push(record)
    return write(record)
  }
  const app = server({
    name: 'library',
    version: '1',
    resources: {
      notes: template({ uriTemplate: 'note://{id}', read: () => 'x' }),
      secret: resource({ uri: 'secret://1', scopes: ['spy'], read: () => 'x' }),
    },
    limits: { reads: { calls, per: 'hour' } },
    policies: [audit({ write: keep })],
  })
  /** The intents of the records, and their URIs and outcomes. */
  const recorded = () =>
    kept.flatMap((intent) => {
      if (intent.kind !== 'intent') return []
      const outcome = kept.find(({ id, kind }) => kind === 'outcome' && id === intent.id)
      return [{ tool: intent.tool, uri: intent.arguments.uri, outcome: outcome?.kind === 'outcome' && outcome.outcome }]
    })
  return { app, kept, recorded }
}
type Library = ReturnType<typeof library>

type Opening = { readonly more?: JsonObject; readonly during?: (pipe: Pipe) => void }

/** Opens a subscription as a client of its own, and closes it. Returns what was granted, or the error. */
async function listen({ app }: Library, uris: readonly string[], { more, during }: Opening = {}) {
  const { pipe } = await speaking(app, '2026-07-28', {}, ada)
  const notifications = { resourceSubscriptions: [...uris], ...more }
  const first = pipe.say({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications, ...said() } })
  during?.(pipe)
  const { params, error } = await first
  pipe.close()
  const granted = (params?.notifications as JsonObject | undefined)?.resourceSubscriptions ?? []
  return { granted: granted as string[], error }
}

async function subscribe({ app }: Library, uris: readonly string[]): Promise<string[]> {
  const { pipe } = await speaking(app, '2025-11-25', {}, ada)
  const granted: string[] = []
  for (const uri of uris) if ((await pipe.ask('resources/subscribe', { uri })).result) granted.push(uri)
  pipe.close()
  return granted
}

const anyUri = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 40 }).map(note) },
  { weight: 1, arbitrary: fc.constantFrom('secret://1', 'nobody://1') },
)

describe('Subscriptions', () => {
  it('grant and record the same URIs as resources/subscribe, whichever they name, and not those over the rate limit', async () => {
    const wishes = fc.array(fc.uniqueArray(anyUri, { maxLength: 30 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(wishes, fc.integer({ min: 1, max: 50 }), async (wished, calls) => {
        const [newer, older] = [library({ calls }), library({ calls })]
        for (const uris of wished) {
          const { granted } = await listen(newer, uris)
          expect(granted).toEqual(await subscribe(older, uris))
        }
        const allowed = ({ recorded }: Library) => recorded().filter(({ outcome }) => outcome !== 'refused')
        expect(allowed(newer)).toEqual(allowed(older))
      }),
      { numRuns: howMany(40, 1_000) },
    )
  })

  it('that are opened again and again grant no more, and leave few records', async () => {
    const made = library({ calls: 10 })
    const uris = upTo(1_000).map(note)
    expect((await listen(made, uris)).granted).toEqual(uris.slice(0, 10))
    for (let again = 0; again < 20; again++) expect(await listen(made, uris)).toEqual({ granted: [], error: undefined })
    const outcomes = made.recorded().map(({ tool, outcome }) => `${tool} ${outcome}`)
    expect(outcomes.filter((one) => one === 'toolwire/watch-resource ok')).toHaveLength(10)
    expect(outcomes.length).toBeLessThan(10 + 21 * 10)
  })

  it('share their allowance with resources/subscribe, and count a URI once that they name twice', async () => {
    const made = library({ calls: 4 })
    expect((await listen(made, [note(1), note(1), note(2)])).granted).toEqual([note(1), note(2)])
    expect(await subscribe(made, [note(3), note(4), note(5)])).toEqual([note(3), note(4)])
    expect((await listen(made, [note(6)])).granted).toEqual([])
  })

  it('are refused if they cannot be recorded', async () => {
    const broken = () => {
      throw new Error('The disk is full')
    }
    const { error } = await listen(library({ calls: 10, write: broken }), [note(1)])
    expect(error?.message).toMatch(/could not be recorded/)
  })

  it('that are refused for their tasks or their size record no URI', async () => {
    const made = library({ calls: 10 })
    expect((await listen(made, [note(1)], { more: { taskIds: ['1'] } })).error).toBeDefined()
    expect((await listen(made, upTo(1_001).map(note))).error).toBeDefined()
    expect(
      (
        await listen(
          made,
          upTo(20).map((at) => `note://${at}${'x'.repeat(60_000)}`),
        )
      ).error,
    ).toBeDefined()
    expect(made.kept).toEqual([])
  })

  it('record no more URIs once they are cancelled', async () => {
    const writing: (() => void)[] = []
    const made = library({ calls: 1_000, write: () => new Promise((resolve) => writing.push(resolve)) })
    void listen(made, upTo(1_000).map(note), {
      during: async (pipe) => {
        await vi.waitUntil(() => writing.length > 0, 60_000)
        pipe.notify('notifications/cancelled', { requestId: 1 })
      },
    })
    const finish = () => {
      for (const done of writing.splice(0)) done()
      return made.recorded().length > 0 && made.recorded().every(({ outcome }) => outcome)
    }
    await vi.waitUntil(finish, 60_000)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([made.recorded().length < 20, writing.length]).toEqual([true, 0])
  })

  it('of many URIs let others have their turn', async () => {
    const spin = () => {
      for (const end = performance.now() + 1; performance.now() < end; );
    }
    let isOver = false
    let turns = 0
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    const opening = listen(library({ calls: 1_000, write: spin }), upTo(200).map(note), { during: count })
    expect((await opening).granted).toHaveLength(200)
    isOver = true
    // The records take 400 ms.
    expect(turns).toBeGreaterThan(8)
  })
})
